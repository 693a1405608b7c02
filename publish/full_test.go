//go:build linux

package publish

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"a full file system", "a limit on a file's size"} {
		t.Run(way, func(t *testing.T) {
			parent, what := t.TempDir(), "folder, small files only"
			if way == "a full file system" {
				// One generation fits, two do not.
				if err := syscall.Mount("tmpfs", parent, "tmpfs", 0, "size=1800k"); err != nil {
					need.Missing(t, "no tmpfs can be mounted here, which root may: %v", err)
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
	command := asNobody(t, parent, child{Do: "folder, once", Dir: dir})
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "permission denied") {
		t.Errorf("found %v, %s; want permission denied", err, out)
	}
	same(t, "after the refusal", onDisk(t, dir), generation(0))
}

// asNobody gives a child that is not root, and opens it the way to a folder: root may write anywhere.
func asNobody(t *testing.T, folder string, work child) *exec.Cmd {
	t.Helper()
	command := work.command(t)
	text, err := os.ReadFile(command.Path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(os.TempDir(), fmt.Sprintf("publish-test-%d-%s", os.Getpid(), filepath.Base(t.Name())))
	if err := os.WriteFile(copied, text, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(copied) })
	for up := filepath.Dir(folder); up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		_ = os.Chmod(up, 0o755)
	}
	command.Path, command.Args, command.Dir = copied, []string{copied}, "/"
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	return command
}

// A repository that this user may not write, by a local path: git's own words come through.
func TestReadOnlyRepository(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	rival(t, repo, "main", tree("x", "1"))
	readOnly := func(name string, mode, dirs os.FileMode) {
		t.Helper()
		err := filepath.WalkDir(name, func(name string, entry os.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				return os.Chmod(name, dirs)
			}
			return errors.Join(err, os.Chmod(name, mode))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct{ why, says, safe string }{
		{"somebody else's", "it belongs to another user, and git does not touch it", ""},
		{"somebody else's, and that is said to be all right", "unable to create temporary object directory: permission denied", "*"},
	} {
		t.Run(row.why, func(t *testing.T) {
			if row.safe == "" && os.Geteuid() != 0 {
				need.Missing(t, "only root can make a repository that is somebody else's")
			}
			readOnly(repo, 0o444, 0o555)
			t.Cleanup(func() { readOnly(repo, 0o644, 0o755) })
			command := asNobody(t, repo, child{Do: "branch, once", Target: Target{URL: repo, Branch: "main", Path: "site"}})
			command.Env = append(command.Env, "GIT_CONFIG_GLOBAL=/dev/null", "HOME=/")
			if row.safe != "" {
				command.Env = append(command.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0="+row.safe)
			}
			leaves(t, repo, func() error {
				out, err := command.CombinedOutput()
				if err == nil || !strings.Contains(string(out), row.says) {
					t.Errorf("found %v, %s; want %q", err, out, row.says)
				}
				return errors.New(string(out))
			})
		})
	}
}
