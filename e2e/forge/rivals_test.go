package forge

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// rivals run at the same time: those that push to main all get through one after the other, whatever words Gitea has
// for a race, and proposals of several runs from one branch are one pull request.
func rivals(t *testing.T, s *site) {
	binary, err := command()
	need.OK(t, err)
	run := func(args ...string) (string, error) {
		cmd := exec.Command(binary, append([]string{"publish", "--site", "site.yaml", "-f", "tenants", "--repo", s.repo}, args...)...)
		cmd.Dir = s.dir
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir}, s.env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const n = 6
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if out, err := run("--path", fmt.Sprintf("sites/dc%d", i), "--inventory", hostsOf(t, s.dir, i)); err != nil {
				t.Errorf("dc%d: %v\n%s", i, err, out)
			}
		})
	}
	group.Wait()
	s.git(t, "fetch", "--quiet", "origin")
	need.Equal(t, n+1, s.git(t, "rev-list", "--count", "origin/main"), fmt.Sprint(n+1))
	for i := range n {
		s.git(t, "cat-file", "-e", fmt.Sprintf("origin/main:sites/dc%d/PLAN.md", i))
	}
	var mu sync.Mutex
	words := ""
	for range n {
		group.Go(func() {
			out, err := run("--inventory", "hosts", "--path", "proposed", "--propose", "sipgen/two", "--forge", "gitea", "--author", "Ada <ada@example.org>")
			mu.Lock()
			defer mu.Unlock()
			words += out
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	group.Wait()
	open := 0
	for _, one := range s.pulls(t) {
		if one.State == "open" {
			open++
		}
	}
	if open != 1 { // those that Gitea let in at the same moment were closed again
		t.Errorf("%d pull requests are open, of %d\n%s", open, len(s.pulls(t)), words)
	}
	need.Without(t, "", words, filepath.Join(s.dir, "x"))
}

// hostsOf are the hosts of another API server, which have the same names and uids of their own: two trees of one branch do not get the same hosts.
func hostsOf(t *testing.T, dir string, i int) string {
	folder := fmt.Sprintf("hosts-dc%d", i)
	need.Error(t, "", os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(dir, "hosts"))), "")
	files, _ := filepath.Glob(filepath.Join(dir, folder, "*.yaml"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, uid.ReplaceAll(text, fmt.Appendf(nil, "${1}%08d", i)), 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
	return folder
}

var uid = regexp.MustCompile(`(?m)^(  uid: ).{8}`)
