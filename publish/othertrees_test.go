package publish

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Trees in other folders of the commit are found by their lists, and of their files only those that are asked for are read, or fetched where the server
// leaves out files when it is asked to.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	first := bare(t)
	rival(t, first, "main", Tree{"README.md": []byte("r"), "notes/clusters/x/hosts/n.yaml": []byte("no list beside it")})
	big := string(noise(t, 3<<19))
	mustPublish(t, Target{URL: first, Branch: "main", Path: "sites/a"}, tree("clusters/x/hosts/n1.yaml", big, "clusters/x/assignments.yaml", "a has n1", "PLAN.md", "a"))
	mustPublish(t, Target{URL: first, Branch: "main", Path: "sites/b"}, tree("clusters/y/hosts/n2.yaml", big, "clusters/y/assignments.yaml", "b has n2", "PLAN.md", "b"))
	mustPublish(t, Target{URL: first, Branch: "main", Path: "sites/b/deep"}, tree("clusters/z/hosts/n1.yaml", "1", "clusters/z/assignments.yaml", "deep has n1"))
	mustPublish(t, Target{URL: first, Branch: "main", Path: "empty"}, tree("PLAN.md", "no clusters"))
	asked := func(t *testing.T, target Target) ([]string, string, error) {
		t.Helper()
		tip, err := Read(context.Background(), target)
		if err != nil {
			t.Fatal(err)
		}
		var saw []string
		found, err := tip.Elsewhere(context.Background(), "clusters", func(folder string, names []string) []string {
			saw = append(saw, folder)
			if !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, "/hosts/n1.yaml") }) {
				return nil
			}
			return slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, "/assignments.yaml") })
		})
		words := ""
		for _, tree := range found {
			words += fmt.Sprintf("%s%s ", tree.Path, tree.Tree)
		}
		return saw, words, err
	}
	const all = "sites/amap[clusters/x/assignments.yaml:a has n1] sites/b/deepmap[clusters/z/assignments.yaml:deep has n1] "
	for _, row := range []struct {
		path, branch string
		saw          []string
		want         string
	}{
		{"sites/c", "main", []string{"sites/a", "sites/b", "sites/b/deep"}, all},
		{"", "main", []string{"sites/a", "sites/b", "sites/b/deep"}, all},
		{"sites/a", "main", []string{"sites/b", "sites/b/deep"}, "sites/b/deepmap[clusters/z/assignments.yaml:deep has n1] "},
		{"sites/b", "main", []string{"sites/a", "sites/b/deep"}, all},
		{"sites", "main", []string{"sites/a", "sites/b", "sites/b/deep"}, all},
		{"sites/c", "new", []string{"sites/a", "sites/b", "sites/b/deep"}, all}, // it is made from main, which has them
	} {
		saw, found, err := asked(t, Target{URL: first, Branch: row.branch, Path: row.path, Create: true})
		if err != nil || found != row.want || !slices.Equal(saw, row.saw) {
			t.Errorf("beside %q of %s: found %s in %v, %v, want %s in %v", row.path, row.branch, found, saw, err, row.want, row.saw)
		}
	}
	for _, breaks := range []bool{false, true} {
		t.Run(fmt.Sprintf("fetched, and the server breaks its promise: %v", breaks), func(t *testing.T) {
			repo := filepath.Join(t.TempDir(), "fleet.git")
			git(t, t.TempDir(), "clone", "--quiet", "--bare", first, repo)
			for _, setting := range []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
				git(t, repo, "config", setting, "true")
			}
			server := serveHTTPS(t, filepath.Dir(repo))
			server.breaks.Store(breaks)
			_, found, err := asked(t, Target{
				URL: server.url + "/fleet.git", Branch: "main", Path: "sites/c",
				Auth: Auth{Username: "robot", Password: "s3cret", CAFile: server.ca, NoHelper: true},
			})
			if err != nil || found != all {
				t.Errorf("found %s, %v, want %s", found, err, all)
			}
			if sent := server.sent.Load(); (sent < 1<<20) == breaks {
				t.Errorf("the server has sent %d bytes; want everything: %v", sent, breaks)
			}
		})
	}
}

// A repository of a hundred sites is looked through without its files.
func BenchmarkElsewhere(b *testing.B) {
	repo := bare(b)
	files := Tree{}
	for site := range 100 {
		for cluster := range 10 {
			for host := range 5 {
				files[fmt.Sprintf("sites/%d/clusters/t/%d/hosts/metal3.n%d.yaml", site, cluster, host)] = []byte(fmt.Sprint(site, cluster, host))
			}
		}
		files[fmt.Sprintf("sites/%d/%s", site, OwnershipFile)] = nil
	}
	rival(b, repo, "main", files)
	for b.Loop() {
		tip, err := Read(context.Background(), Target{URL: repo, Branch: "main", Path: "sites/new"})
		if err != nil {
			b.Fatal(err)
		}
		trees := 0
		if _, err := tip.Elsewhere(context.Background(), "clusters", func(string, []string) []string { trees++; return nil }); err != nil || trees != 100 {
			b.Fatal(trees, err)
		}
	}
}
