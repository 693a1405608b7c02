// Package record holds the program to what it decided before: which host each cluster gets on sites where nothing was
// handed out yet. A change that is to change none of that leaves testdata/record as it is.
//
//	go test ./schedule/record                            compare
//	go test ./schedule/record -update                    write it anew: the difference is part of the change
//	go test ./schedule/record -run Small -show 17 -v     print the world of a seed, and who gets what
//
// Package golden records the golden trees beside it.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

var (
	update = flag.Bool("update", false, "write testdata/record anew")
	show   = flag.Int("show", -1, "print the world of this seed, and its assignments")
)

// decide is who gets which host, as the program decides: sorted lines "NAMESPACE/CLUSTER ROLE HOST active" (or
// standby), and "NAMESPACE/CLUSTER short" for a cluster that lacks active hosts. It is the only part of this
// package that calls the program.
func decide(w world) ([]string, error) {
	site := &v1alpha1.Site{}
	site.Spec.Tenants = slices.Clone(w.tenants)
	site.Default()
	keys := site.Spec.LabelKeys
	options := schedule.Options{Keys: schedule.LabelKeys{
		ClusterNamespace: keys.ClusterNamespace, ClusterName: keys.ClusterName,
		NodeType: keys.NodeType, Standby: keys.Standby,
	}, Reserved: w.reserved}
	tenants := tenancy.Of(site, []string{"metal", "annex"})
	var clusters []schedule.ClusterKey
	for i := range w.clusters {
		clusters = append(clusters, schedule.KeyOf(&w.clusters[i]))
	}
	options.Granted = tenants.Granted(clusters)
	placement, err := schedule.Plan(w.clusters, w.hosts, schedule.Previous{}, options)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, c := range placement.Clusters {
		for _, refusal := range c.Refused {
			return nil, fmt.Errorf("%v is frozen, and worlds have no such cluster: %#v", c.Key, refusal)
		}
		short := c.Unschedulable
		for _, r := range c.Roles {
			short = short || r.ShortActive > 0
			for _, a := range r.Assigned {
				slot := "active"
				if a.Standby {
					slot = "standby"
				}
				lines = append(lines, fmt.Sprintf("%v %s %s %s", c.Key, r.Name, a.Host.Key(), slot))
			}
		}
		if short {
			lines = append(lines, fmt.Sprintf("%v short", c.Key))
		}
	}
	slices.Sort(lines)
	return lines, nil
}

func hashOf(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}

// compare holds lines "NAME HASH" against a file of testdata/record, or writes it. A difference is shown by name.
func compare(t *testing.T, file string, names, hashes []string) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "record", file)
	var text strings.Builder
	for i, name := range names {
		fmt.Fprintln(&text, name, hashes[i])
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o644))
		return
	}
	recorded, err := os.ReadFile(path)
	require.NoError(t, err)
	want := strings.Split(strings.TrimSuffix(string(recorded), "\n"), "\n")
	if len(want) < len(names) || len(want) > len(names) && !testing.Short() {
		t.Errorf("%s: found %d lines, want %d", path, len(want), len(names))
	}
	different := 0
	for i, name := range names[:min(len(names), len(want))] {
		if found := name + " " + hashes[i]; found != want[i] {
			if different++; different <= 10 {
				t.Errorf("%s: line %d: found %q, want %q", path, i+1, found, want[i])
			}
		}
	}
	assert.Truef(t, different <= 10, "%s: %d lines differ", path, different)
}

// record plans worlds, and compares. What is recorded was planned in the order in which it was made, and what is
// compared is planned in another: so it fails, too, where the result depends on the order of the inputs.
func record(t *testing.T, file string, n int, world func(i int) (string, world)) {
	names, hashes := make([]string, n), make([]string, n)
	sideBySide(n, func(i int) {
		name, w := world(i)
		given := w
		if !*update {
			given = w.shuffled(newDice(uint64(i), 101))
		}
		lines, err := decide(given)
		assert.Truef(t, err == nil, "%s: %v", name, err)
		names[i], hashes[i] = name, hashOf(lines)
		if i == *show {
			t.Logf("%s\n%s", w, strings.Join(lines, "\n"))
		}
	})
	compare(t, file, names, hashes)
}

// recordSites has the worlds of the seeds below n, with -short a fifth of them.
func recordSites(t *testing.T, file string, n int, size scale, more ...func(*world, dice)) {
	t.Parallel()
	if testing.Short() && !*update {
		n /= 5
	}
	record(t, file, n, func(seed int) (string, world) {
		w := newWorld(uint64(seed), size)
		for _, add := range more {
			add(&w, newDice(uint64(seed), size.stream+200))
		}
		return fmt.Sprint(seed), w
	})
}

// sideBySide calls do with each number below n, as many at a time as there are processors.
func sideBySide(n int, do func(int)) {
	var group sync.WaitGroup
	numbers := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range numbers {
				do(i)
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	group.Wait()
}

func TestSmallSites(t *testing.T) { recordSites(t, "small.txt", 5000, small) }

// TestReservedSites: the small sites once more, with reservations and vendors.
func TestReservedSites(t *testing.T) { recordSites(t, "reserved.txt", 1000, small, (*world).reserve) }

func TestLargeSites(t *testing.T) { recordSites(t, "large.txt", 50, large) }

func TestRecordOfHardShapes(t *testing.T) {
	t.Parallel()
	record(t, "shapes.txt", len(hardShapes),
		func(i int) (string, world) { return hardShapes[i].name, hardShapes[i].make(5000) })
}

// BenchmarkShapes measures the same sites, and ten times as many hosts: in what is near n^1.3 that takes 20 times as
// long.
func BenchmarkShapes(b *testing.B) {
	for _, shape := range hardShapes {
		for _, n := range []int{5_000, 50_000} {
			b.Run(fmt.Sprint(shape.name, "/", n), func(b *testing.B) {
				w := shape.make(n)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := decide(w); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func (w world) String() string {
	text, err := yaml.Marshal(map[string]any{"tenants": w.tenants, "clusters": w.clusters, "hosts": w.hosts,
		"reserved": w.reserved})
	if err != nil {
		return err.Error()
	}
	return string(text)
}
