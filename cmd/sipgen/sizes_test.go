package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slack is how many times the promised seconds of the processor a command may take before it is ended. A step that
// grows with the square of the hosts takes more, and no slow or busy machine does. make bench has the time itself.
const slack = 20

// TestSizes is contract 32: no command has more memory than promised, on sites of each size.
func TestSizes(t *testing.T) {
	plan := []string{"plan"}
	most := []string{"publish", "publish-unchanged", "plan-image", "impact-by"} // each of the most for what it does
	for _, row := range []struct {
		name, cluster string
		write         func(folder string)
		commands      []string // all, if there are none
		seconds       int
		megabytes     uint64
	}{
		{"5,000 hosts", "tenant-0/c-0", func(folder string) { writeFleet(t, folder, 5_000) }, most, 3, 400},
		{"5,000 hosts with all commands", "tenant-0/c-0", func(folder string) { writeFleet(t, folder, 5_000) }, nil, 3, 400},
		{"20,000 hosts", "tenant-0/c-0", func(folder string) { writeFleet(t, folder, 20_000) }, plan, 30, 4_000},
		{"10,000 clusters", "edge-0/edge", func(folder string) { writeClusters(t, folder, 10_000) }, plan, 20, 800},
	} {
		t.Run(row.name, func(t *testing.T) {
			folder := t.TempDir()
			repo, tree, from := fleetIn(t, folder, row.write)
			for _, c := range fleetCommands(repo, tree, row.cluster) {
				if row.commands != nil && !slices.Contains(row.commands, c.name) {
					continue
				}
				args := slices.Concat(c.args, from, []string{"--site", filepath.Join(folder, c.site+".yaml")})
				found := aloneWithin(t, folder, args, slack*row.seconds)
				require.NotEqual(t, exitError, found.Code, "%s: %.2000s", c.name, found.Stderr)
				assert.LessOrEqual(t, found.Peak>>20, row.megabytes, "%s: megabytes", c.name)
			}
		})
	}
}
