package sipgen_test

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/airshipit/sipgen/hack/need"
)

var (
	contractLine = regexp.MustCompile(`(?m)^(\d+)\. `)
	// A test names lines as "contract 3", "contract 9 and 12", "contract 9, 10 and 12" or "contract 3 to 7".
	contractNamed = regexp.MustCompile(`[Cc]ontract \d+(?:(?:, | and | to )\d+)*`)
	contractRange = regexp.MustCompile(`(\d+)(?: to (\d+))?`)
)

// TestContract: a test names each line of docs/contract.md, and names no other.
func TestContract(t *testing.T) {
	var lines []int
	for _, match := range contractLine.FindAllStringSubmatch(readText(t, "docs/contract.md"), -1) {
		lines = append(lines, number(t, match[1]))
	}
	require.NotEmpty(t, lines)
	for i, line := range lines {
		require.Equal(t, i+1, line, "docs/contract.md: want lines with each number in turn")
	}
	named := map[int]bool{}
	for _, ending := range []string{"_test.go", ".txtar"} {
		each(t, ".", ending, []string{"demo", "bin", "out"}, func(file string) {
			if file == "contract_test.go" {
				return
			}
			for _, text := range contractNamed.FindAllString(readText(t, file), -1) {
				for _, match := range contractRange.FindAllStringSubmatch(text, -1) {
					first := number(t, match[1])
					last := first
					if match[2] != "" {
						last = number(t, match[2])
					}
					for line := first; line <= last; line++ {
						named[line] = true
						assert.True(t, slices.Contains(lines, line), "%s: %q: docs/contract.md has no line %d", file, text, line)
					}
				}
			}
		})
	}
	for _, line := range lines {
		assert.True(t, named[line], "docs/contract.md: %d: no test names it", line)
	}
}

func number(t *testing.T, digits string) int {
	t.Helper()
	return need.Value(strconv.Atoi(digits))(t)
}
