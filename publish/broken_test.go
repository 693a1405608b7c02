package publish

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// cable is a way to a server that can break: the bytes that one connection may carry there, and what happens to
// the connection then.
type cable struct {
	address string
	most    atomic.Int64 // 0: no limit
	broken  atomic.Int64 // connections so far
}

func newCable(t testing.TB, to string) *cable {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
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
			reach := map[string]func(testing.TB, string) reached{"https": httpsTarget, "ssh": sshTarget}[way](t, repo)
			straight := addressOf(reach.URL)
			cable := newCable(t, straight)
			target := reach.Target
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
						if cable.broken.Load() == before {
							t.Error("the connection did not break")
						}
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

// addressOf gives the host and port of a URL.
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
		text, err := os.ReadFile(file)
		check(t, err)
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
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v: %s", err, out)
	}
	return file
}
