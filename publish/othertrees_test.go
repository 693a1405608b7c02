package publish

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
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
	most := int64(1000)
	asked := func(t *testing.T, target Target) ([]string, string, error) {
		t.Helper()
		tip, err := Read(context.Background(), target)
		if err != nil {
			t.Fatal(err)
		}
		var saw []string
		found, err := tip.Elsewhere(context.Background(), "clusters", func(folder string, names []string) map[string]int64 {
			saw = append(saw, folder)
			if !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, "/hosts/n1.yaml") }) {
				return nil
			}
			chosen := map[string]int64{}
			for _, name := range names {
				if strings.HasSuffix(name, "/assignments.yaml") {
					chosen[name] = most
				}
			}
			return chosen
		})
		words := ""
		for _, tree := range found {
			words += fmt.Sprintf("%s%s ", tree.Path, tree.Tree)
			if len(tree.TooLarge) > 0 {
				words += fmt.Sprintf("too large %s ", tree.TooLarge)
			}
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
	const small = "sites/amap[clusters/x/assignments.yaml:a has n1] sites/b/deepmap[] too large [clusters/z/assignments.yaml] "
	atMost8 := func(t *testing.T, target Target) {
		t.Helper()
		most = int64(len("a has n1"))
		defer func() { most = 1000 }()
		if _, found, err := asked(t, target); err != nil || found != small {
			t.Errorf("at most %d bytes of each: found %s, %v, want %s", most, found, err, small)
		}
	}
	atMost8(t, Target{URL: first, Branch: "main", Path: "sites/c"})
	for _, breaks := range []bool{false, true} {
		t.Run(fmt.Sprintf("fetched, and the server breaks its promise: %v", breaks), func(t *testing.T) {
			repo := filepath.Join(t.TempDir(), "fleet.git")
			git(t, t.TempDir(), "clone", "--quiet", "--bare", first, repo)
			for _, setting := range []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
				git(t, repo, "config", setting, "true")
			}
			server := serveHTTPS(t, filepath.Dir(repo))
			server.breaks.Store(breaks)
			target := Target{
				URL: server.url + "/fleet.git", Branch: "main", Path: "sites/c",
				Auth: Auth{Username: "robot", Password: "s3cret", CAFile: server.ca, NoHelper: true},
			}
			_, found, err := asked(t, target)
			if err != nil || found != all {
				t.Errorf("found %s, %v, want %s", found, err, all)
			}
			if sent := server.sent.Load(); (sent < 1<<20) == breaks {
				t.Errorf("the server has sent %d bytes; want everything: %v", sent, breaks)
			}
			atMost8(t, target)
		})
	}
}

// TestElsewhereIsBounded: whoever writes other folders makes no run read more than a run may take, however much each file may have, and keeps it from reading no
// smaller file.
func TestElsewhereIsBounded(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	large := strings.Repeat("a", maxElsewhere/2+2)
	for i, folder := range []string{"a", "b"} {
		mustPublish(t, Target{URL: repo, Branch: "main", Path: folder}, tree("clusters/x/assignments.yaml", large[i:]))
	}
	tip, err := Read(context.Background(), Target{URL: repo, Branch: "main", Path: "c"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := tip.Elsewhere(context.Background(), "clusters", func(string, []string) map[string]int64 {
		return map[string]int64{"clusters/x/assignments.yaml": maxElsewhere}
	})
	if err != nil || len(found) != 2 || len(found[1].Tree) != 1 || len(found[1].TooLarge) != 0 || len(found[0].Tree) != 0 || len(found[0].TooLarge) != 1 {
		t.Errorf("found %d trees, %v, want the file of the second one, which is smaller", len(found), err)
	}
}

// Files of other folders that are larger than they may be are not even fetched, as they are sent or as they unpack, and the others are.
func TestElsewhereFetchesNothingLarge(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	const name = "clusters/x/assignments.yaml"
	for i := range 9 {
		content := fmt.Sprintf("tree %d", i)
		switch i {
		case 3:
			content = string(noise(t, 8<<20))
		case 6:
			content = strings.Repeat("a", 2<<20) // some 2 KB of a pack
		}
		mustPublish(t, Target{URL: repo, Branch: "main", Path: fmt.Sprint("sites/", i)}, tree(name, content))
	}
	for _, setting := range []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
		git(t, repo, "config", setting, "true")
	}
	server := serveHTTPS(t, filepath.Dir(repo))
	tip, err := Read(context.Background(), Target{
		URL: server.url + "/" + filepath.Base(repo), Branch: "main", Path: "sites/new", Auth: Auth{Username: "robot", Password: "s3cret", CAFile: server.ca, NoHelper: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	found, err := tip.Elsewhere(context.Background(), "clusters", func(string, []string) map[string]int64 { return map[string]int64{name: 1000} })
	if err != nil || len(found) != 9 {
		t.Fatalf("found %d trees, %v, want 9", len(found), err)
	}
	for i, tree := range found {
		large := i == 3 || i == 6
		if got := string(tree.Tree[name]); large != (len(tree.TooLarge) == 1) || !large && got != fmt.Sprintf("tree %d", i) {
			t.Errorf("tree %d: got %q, too large %q", i, got, tree.TooLarge)
		}
		hash := plumbing.NewHash(strings.TrimSpace(git(t, repo, "rev-parse", fmt.Sprintf("main:sites/%d/%s", i, name))))
		if fetched := tip.files.store.HasEncodedObject(hash) == nil; fetched == large {
			t.Errorf("tree %d: fetched %v, want %v", i, fetched, !large)
		}
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
		if _, err := tip.Elsewhere(context.Background(), "clusters", func(string, []string) map[string]int64 { trees++; return nil }); err != nil || trees != 100 {
			b.Fatal(trees, err)
		}
	}
}
