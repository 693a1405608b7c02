//go:build linux

package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// generation is one of two trees that differ in every file; each file says of which it is.
func generation(n int) Tree {
	files := Tree{}
	for i := range 300 {
		files[fmt.Sprintf("clusters/%d/%d/file.yaml", i%17, i)] = fmt.Appendf(nil, "generation %d\n%s", n%2, strings.Repeat("x", i*10))
	}
	files[fmt.Sprintf("only/in/%d", n%2)] = fmt.Appendf(nil, "generation %d\n", n%2)
	return files
}

// whole fails unless the tree is exactly one of the generations.
func whole(t *testing.T, what string, found Tree) {
	t.Helper()
	if len(found) == 0 {
		return // killed before the first one was whole
	}
	for n := range 2 {
		if len(Diff(found, generation(n))) == 0 {
			return
		}
	}
	t.Errorf("%s: found a mixture: %d files differ from the one generation, %d from the other", what, len(Diff(found, generation(0))), len(Diff(found, generation(1))))
}

func TestKilledWhileWritingAFolder(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	mustWrite(t, dir, generation(0))
	put(t, dir, tree("notes.txt", "hand"))
	for range 25 {
		kill(t, child{Do: "folder, for ever", Dir: dir}.start(t), 150*time.Millisecond)
		found := onDisk(t, dir)
		if string(found["notes.txt"]) != "hand" {
			t.Error("somebody's file is gone")
		}
		delete(found, "notes.txt")
		whole(t, "on disk", found)
		if _, err := ReadDir(dir); err != nil {
			t.Error("ReadDir after a kill:", err)
		}
	}
	mustWrite(t, dir, generation(1))
	mustWrite(t, dir, generation(0))
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Errorf("after the next run: found %v beside the folder, want nothing (%v)", entries, err)
	}
}

func TestKilledWhileReplacingFilesInPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	put(t, dir, tree("keep/notes.txt", "hand"))
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteDir(dir, generation(0), DirOptions{Adopt: true}); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		kill(t, child{Do: "folder, for ever", Dir: dir}.start(t), 150*time.Millisecond)
		for name, text := range onDisk(t, dir) { // each file is whole, and the next run makes the tree whole
			old, new := generation(0)[name], generation(1)[name]
			if !strings.HasPrefix(name, stageInside) && name != "keep/notes.txt" && string(text) != string(old) && string(text) != string(new) {
				t.Errorf("%s is cut: %q", name, text)
			}
		}
		mustWrite(t, dir, generation(0))
		want := generation(0)
		want["keep/notes.txt"] = []byte("hand")
		same(t, "after the next run", onDisk(t, dir), want)
	}
}

func TestKilledWhilePublishing(t *testing.T) {
	repo := bare(t)
	target := Target{URL: repo, Branch: "main", Path: "site"}
	mustPublish(t, target, generation(0))
	for range 15 {
		kill(t, child{Do: "branch, for ever", Target: target}.start(t), 300*time.Millisecond)
		tip, err := Read(context.Background(), target)
		if err != nil {
			t.Fatal(err)
		}
		whole(t, "in git", tip.Tree)
		fsck(t, repo)
	}
	// git's own receive-pack was killed too; what it had locked stays locked until somebody removes it, as after
	// any push with git. Without such a lock the next run goes through.
	if _, err := os.Stat(filepath.Join(repo, "refs/heads/main.lock")); err == nil {
		t.Log("git's receive-pack was killed between taking its lock and moving the branch")
		if err := os.Remove(filepath.Join(repo, "refs/heads/main.lock")); err != nil {
			t.Fatal(err)
		}
	}
	mustPublish(t, target, tree("a", "after"))
	fsck(t, repo)
}

func TestFullDisk(t *testing.T) {
	for _, way := range []string{"a full file system", "a limit on a file's size"} {
		t.Run(way, func(t *testing.T) {
			parent, what := t.TempDir(), "folder, small files only"
			if way == "a full file system" {
				// One generation fits, two do not.
				if err := syscall.Mount("tmpfs", parent, "tmpfs", 0, "size=1800k"); err != nil {
					t.Skipf("NOT TESTED: no tmpfs can be mounted here: %v", err)
				}
				t.Cleanup(func() { _ = syscall.Unmount(parent, syscall.MNT_DETACH) })
				what = "folder, once"
			}
			dir := filepath.Join(parent, "out")
			mustWrite(t, dir, generation(0))
			command := child{Do: what, Dir: dir}.start(t)
			if err := command.Wait(); err == nil {
				t.Fatal("want the writer to fail")
			}
			same(t, "after the failure", onDisk(t, dir), generation(0))
			if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
				t.Errorf("left beside the folder: %v, %v", entries, err)
			}
			if what == "folder, once" {
				if err := syscall.Mount("tmpfs", parent, "tmpfs", syscall.MS_REMOUNT, "size=20m"); err != nil {
					t.Fatal(err)
				}
			}
			mustWrite(t, dir, generation(1))
			same(t, "the next run", onDisk(t, dir), generation(1))
		})
	}
}

func TestReadOnlyFolder(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	mustWrite(t, dir, generation(0))
	for _, folder := range []string{dir, parent} {
		if err := os.Chmod(folder, 0o555); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = errors.Join(os.Chmod(parent, 0o755), os.Chmod(dir, 0o755)) })
	if os.Geteuid() == 0 {
		// Root may write anywhere; the writer runs as nobody.
		t.Log("as root: the writer runs as user 65534")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(os.TempDir(), fmt.Sprintf("publish-test-%d", os.Getpid()))
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, text, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(copied) })
	for up := parent; up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		if up != parent {
			_ = os.Chmod(up, 0o755) // the way there
		}
	}
	command := exec.Command(copied)
	command.Dir = "/"
	command.Env = child{Do: "folder, once", Dir: dir}.command(t).Env
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "permission denied") {
		t.Errorf("found %v, %s; want permission denied", err, out)
	}
	same(t, "after the refusal", onDisk(t, dir), generation(0))
}
