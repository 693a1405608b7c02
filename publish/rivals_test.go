package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
)

// Seven publishers, twenty at night, and a writer with the real git race on one repository: each with a path of its own, then
// all of them on one path, then some over https. Every change lands exactly once, and history is a line.
func TestRivals(t *testing.T) {
	t.Parallel()
	rivals := times(20)
	repo := with(t, tree("x", "1"))
	local := Target{URL: repo, Branch: "main"}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	race := func(t *testing.T, target Target, rivals int, path func(int) string, line func(int) string) {
		var wait sync.WaitGroup
		for i := range rivals {
			wait.Go(func() {
				target := target
				target.Path = path(i)
				about := meta
				about.Message = FixedMessage("publisher " + line(i))
				done, _, err := Loop(ctx, target, func(tip *Snapshot) (Tree, Meta, string, error) {
					text := string(tip.Tree["lines"]) + line(i) + "\n"
					return tree("lines", text), about, "", nil
				})
				need.That(t, err == nil && done.Changed, "publisher %d: %+v, %v", i, done, err)
			})
		}
		wait.Go(func() { // somebody else, with git
			clone := cloned(t, "file://"+repo)
			for i := range 3 {
				put(t, clone, tree("git/"+path(0)+fmt.Sprint(i), "x"))
				git(t, clone, "add", "-A")
				git(t, clone, "commit", "--quiet", "-m", "rival")
				for try := 0; ; try++ {
					git(t, clone, "pull", "--quiet", "--rebase")
					if _, err := tryGit(clone, "push", "--quiet"); err == nil || try > 200 {
						break
					}
				}
			}
		})
		wait.Wait()
		fsck(t, repo)
		need.Equal(t, "history is no line", git(t, repo, "rev-list", "--merges", "main"), "")
	}
	t.Run("own paths", func(t *testing.T) {
		race(t, local, rivals, func(i int) string { return fmt.Sprintf("sites/s%02d", i) }, func(i int) string { return fmt.Sprint("own ", i) })
		found := inGit(t, repo, "main")
		for i := range rivals {
			if got, want := string(found[fmt.Sprintf("sites/s%02d/lines", i)]), fmt.Sprintf("own %d\n", i); got != want {
				t.Errorf("publisher %d: found %q, want %q", i, got, want)
			}
		}
	})
	t.Run("one path", func(t *testing.T) {
		race(t, local, rivals, func(int) string { return "sites/all" }, func(i int) string { return fmt.Sprintf("<%d>", i) })
		text := string(inGit(t, repo, "main")["sites/all/lines"])
		for i := range rivals {
			got := strings.Count(text, fmt.Sprintf("<%d>", i))
			need.That(t, got == 1, "publisher %d: its line is there %d times, want once", i, got)
		}
	})
	remote := times(6)
	t.Run("one path, over https", func(t *testing.T) {
		race(t, httpsTarget(t, repo), remote, func(int) string { return "sites/far" }, func(i int) string { return fmt.Sprintf("<%d>", i) })
		text := string(inGit(t, repo, "main")["sites/far/lines"])
		for i := range remote {
			got := strings.Count(text, fmt.Sprintf("<%d>", i))
			need.That(t, got == 1, "publisher %d: its line is there %d times, want once", i, got)
		}
	})
	need.Equal(t, "commits", strings.Count(git(t, repo, "log", "--format=%s", "main"), "publisher"), 2*rivals+remote)
	if out, err := exec.Command("find", repo, "-name", "*.lock").Output(); err != nil || len(out) > 0 {
		t.Errorf("locks left: %s %v", out, err)
	}
}

// Publishers whose objects come in packs, while git replaces these packs again and again.
func TestRivalsWhileGitRepacks(t *testing.T) {
	t.Parallel()
	rivals := times(30)
	repo := bare(t)
	git(t, repo, "config", "transfer.unpackLimit", "1")
	rival(t, repo, "main", tree("x", "1"))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var published, repacks sync.WaitGroup
	for i := range rivals {
		published.Go(func() {
			target := Target{URL: repo, Branch: "main", Path: fmt.Sprintf("sites/s%02d", i)}
			done, _, err := Loop(ctx, target, func(*Snapshot) (Tree, Meta, string, error) {
				return tree("lines", fmt.Sprint(i)), meta, "", nil
			})
			need.That(t, err == nil && done.Changed, "publisher %d: %+v, %v", i, done, err)
		})
	}
	all := make(chan struct{})
	repacks.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-all:
				t.Logf("%d repacks", n)
				return
			default:
				_, _ = tryGit(repo, "repack", "-adq") // a push may take from it what it wants to pack
			}
		}
	})
	published.Wait()
	close(all)
	repacks.Wait()
	fsck(t, repo)
	found := inGit(t, repo, "main")
	for i := range rivals {
		if got, want := string(found[fmt.Sprintf("sites/s%02d/lines", i)]), fmt.Sprint(i); got != want {
			t.Errorf("publisher %d: found %q, want %q", i, got, want)
		}
	}
}

func TestConflictAndLoop(t *testing.T) {
	t.Parallel()
	repo, target := site(t)
	mustPublish(t, target, tree("a", "1"))
	tip := mustRead(t, target)
	rival(t, repo, "main", tree("elsewhere", "x"))
	wantError(t, "", need.Err(Commit(context.Background(), target, tip, tree("a", "2"), meta)), ErrConflict)
	calls := 0
	rivals := []Tree{tree("elsewhere", "y"), tree("site/unowned", "x"), nil}
	done, _, err := Loop(context.Background(), target, func(tip *Snapshot) (Tree, Meta, string, error) {
		if files := rivals[calls]; files != nil { // somebody is faster
			rival(t, repo, "main", files)
		}
		calls++
		next := maps.Clone(tip.Tree)
		next["a"] = append(next["a"], '+')
		return next, meta, "", nil
	})
	need.OK(t, err)
	// The first rival wrote elsewhere: the same tree is built upon. No attempt saw the second rival.
	need.That(t, calls == 1 && done.Changed, "attempts: found %d, want 1; %+v", calls, done)
	calls = 1
	if _, _, err := Loop(context.Background(), target, func(tip *Snapshot) (Tree, Meta, string, error) {
		if files := rivals[calls]; files != nil {
			rival(t, repo, "main", files)
		}
		calls++
		return tree("a", "3"), meta, "", nil
	}); err != nil {
		t.Fatal(err)
	}
	need.That(t, calls == 3, "attempts after a change below the path: found %d, want 2", calls-1)
	fsck(t, repo)
	same(t, "the branch", inGit(t, repo, "main"), tree("site/a", "3", "site/unowned", "x", "elsewhere", "y"))
	own := errors.New("unschedulable")
	if _, _, err := Loop(context.Background(), target, func(*Snapshot) (Tree, Meta, string, error) { return nil, Meta{}, "", own }); err != own {
		t.Errorf("found %v, want the attempt's own error", err)
	}
}

// cable is a way to a server that can break: the bytes that one connection may carry there, and what happens to
// the connection then.
type cable struct {
	address string
	most    atomic.Int64 // 0: no limit
	broken  atomic.Int64 // connections so far
}

func newCable(t testing.TB, to string) *cable {
	t.Helper()
	listener := need.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	w := &cable{address: listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				server, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer func() { _ = server.Close() }()
				go func() { _, _ = io.Copy(conn, server); _ = conn.Close() }()
				if most := w.most.Load(); most == 0 {
					_, _ = io.Copy(server, conn)
				} else if n, _ := io.CopyN(server, conn, most); n == most {
					w.broken.Add(1)
				}
			}()
		}
	}()
	return w
}

// A connection that breaks while a pack goes up leaves the branch as it was, and the next run succeeds.
func TestConnectionLostInTheMiddleOfAPush(t *testing.T) {
	t.Parallel()
	big := noise(t, 1<<20)
	for _, way := range []string{"https", "ssh"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			repo := with(t, tree("x", "1"))
			reach := map[string]func(testing.TB, string) Target{"https": httpsTarget, "ssh": sshTarget}[way](t, repo)
			straight := addressOf(reach.URL)
			cable := newCable(t, straight)
			target := reach
			target.URL = strings.Replace(target.URL, straight, cable.address, 1)
			target.Auth.KnownHosts = knownAs(t, target.Auth.KnownHosts, straight, cable.address)
			mustPublish(t, target, tree("a", "1"))
			for _, row := range []struct {
				why  string
				most int64
				says string
			}{
				{"while it goes up", 400_000, "push: "},
				{"at its beginning", 20_000, "push: "},
			} {
				t.Run(row.why, func(t *testing.T) {
					leaves(t, repo, func() error {
						tip := mustRead(t, target)
						cable.most.Store(row.most)
						before := cable.broken.Load()
						_, err := Commit(context.Background(), target, tip, Tree{"a": big}, meta)
						wantError(t, "", err, nil, row.says)
						need.That(t, cable.broken.Load() != before, "the connection did not break")
						return err
					})
					cable.most.Store(0)
					mustPublish(t, target, tree("a", row.why))
					fsck(t, repo)
				})
			}
		})
	}
}

func addressOf(url string) string {
	_, rest, _ := strings.Cut(url, "@")
	address, _, _ := strings.Cut(rest, "/")
	return address
}

// knownAs gives a known_hosts file where the server has another address.
func knownAs(t testing.TB, files []string, address, other string) []string {
	t.Helper()
	var found []string
	for _, file := range files {
		text := need.Value(os.ReadFile(file))(t)
		_, port, _ := strings.Cut(address, ":")
		_, as, _ := strings.Cut(other, ":")
		dir := t.TempDir()
		put(t, dir, tree("known_hosts", strings.ReplaceAll(string(text), ":"+port+" ", ":"+as+" ")))
		found = append(found, filepath.Join(dir, "known_hosts"))
	}
	return found
}

// sshKey makes a key without a passphrase, and gives its file.
func sshKey(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	need.Output(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file))
	return file
}
