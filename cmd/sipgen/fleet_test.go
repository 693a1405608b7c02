package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
)

// TestFleet publishes the sites of examples/fleet into one repository, all at once, and holds the workflow and the Job there to them.
func TestFleet(t *testing.T) {
	fleet, err := filepath.Abs("../../examples/fleet")
	check(t, err)
	folders, err := filepath.Glob(filepath.Join(fleet, "sites", "*"))
	check(t, err)
	var sites []string
	for _, folder := range folders {
		sites = append(sites, filepath.Base(folder))
	}
	var workflow struct {
		Jobs struct {
			Publish struct {
				Strategy struct{ Matrix struct{ Site []string } }
				Steps    []struct{ Run string }
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(fleet, "github-matrix.yaml"))
	check(t, err)
	check(t, yaml.Unmarshal(text, &workflow))
	if !slices.Equal(workflow.Jobs.Publish.Strategy.Matrix.Site, sites) || len(sites) < 2 {
		t.Errorf("the matrix has %v, and the folder %v", workflow.Jobs.Publish.Strategy.Matrix.Site, sites)
	}
	var job batchv1.Job
	text, err = os.ReadFile(filepath.Join(fleet, "indexed-job.yaml"))
	check(t, err)
	check(t, yaml.UnmarshalStrict(text, &job))
	if *job.Spec.CompletionMode != batchv1.IndexedCompletion || int(*job.Spec.Completions) != len(sites) {
		t.Errorf("the Job has %d completions for %d sites", *job.Spec.Completions, len(sites))
	}
	args := job.Spec.Template.Spec.Containers[0].Args
	if _, rest, err := newRoot(&terminal.UI{}).Find(args); err != nil || slices.Contains(rest, "publish") {
		t.Errorf("%v: %v", args, err)
	}

	// What the workflow runs, with another repository.
	command := workflow.Jobs.Publish.Steps[len(workflow.Jobs.Publish.Steps)-1].Run
	dir := t.TempDir()
	check(t, os.CopyFS(dir, os.DirFS(fleet)))
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	repo := filepath.Join(dir, "fleet.git")
	git(t, "init", "--quiet", "--bare", "--initial-branch=main", repo)
	publish := func(want string, more ...string) {
		var wait sync.WaitGroup
		for _, site := range sites {
			words := strings.Fields(strings.ReplaceAll(command, "${{ matrix.site }}", site))
			words = append(slices.DeleteFunc(words[1:], func(word string) bool { return len(more) == 0 && (word == "--propose" || word == "sipgen/"+site) }), "--repo", repo)
			wait.Go(func() {
				var out, errOut bytes.Buffer
				if code := run(context.Background(), words, strings.NewReader(""), &out, &errOut); code != exitDone || !strings.Contains(errOut.String(), want) {
					t.Errorf("%v: exit code %d, want %q\n%s", words, code, want, errOut.String())
				}
			})
		}
		wait.Wait()
	}
	publish("committed")
	files := git(t, "-C", repo, "ls-tree", "-r", "--name-only", "main")
	for _, site := range sites {
		if !strings.Contains(files, "sites/"+site+"/clusters/edge/edge/assignments.yaml\n") {
			t.Errorf("%s is not in\n%s", site, files)
		}
	}
	for line := range strings.Lines(files) {
		if !strings.HasPrefix(line, "sites/") {
			t.Errorf("outside of the sites: %s", line)
		}
	}
	publish("nothing to commit")
	publish("nothing to commit", "as proposals")
}
