package publish

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// httpsServer is git http-backend behind TLS with a certificate of a private authority, and basic auth.
type httpsServer struct {
	url, ca string
	expired atomic.Bool // credentials are not taken any more
	cut     atomic.Bool // the next push is taken, and its answer is lost
	drop    atomic.Bool // the next push is dropped half way
}

func serveHTTPS(t testing.TB, root string) *httpsServer {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path:   filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env:    []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"},
		Stderr: os.Stderr,
	}
	if _, err := os.Stat(backend.Path); err != nil {
		t.Skipf("NOT TESTED: https: %v", err)
	}
	served := &httpsServer{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case user == "reader" && password == "reads" && strings.Contains(r.RequestURI, "receive-pack"):
			http.Error(w, "you may only read here", http.StatusForbidden)
			return
		case user == "reader" && password == "reads":
		case user != "robot" || password != "s3cret" || served.expired.Load():
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		r.Header.Set("X-Remote-User", user)
		handler := *backend
		handler.Env = append(append([]string{}, backend.Env...), "REMOTE_USER="+user)
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "git-receive-pack") && served.cut.CompareAndSwap(true, false) {
			handler.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "git-receive-pack") && served.drop.CompareAndSwap(true, false) {
			r.Body, r.ContentLength = io.NopCloser(io.LimitReader(r.Body, 300)), 300
			handler.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = false
	server.Config.ErrorLog = nil
	certificate, ca := privateAuthority(t)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	t.Cleanup(server.Close)
	served.url, served.ca = server.URL, ca
	return served
}

// privateAuthority makes an authority and a certificate for 127.0.0.1, and gives the authority's file.
func privateAuthority(t testing.TB) (tls.Certificate, string) {
	t.Helper()
	make := func(template, parent *x509.Certificate, signer *rsa.PrivateKey) ([]byte, *rsa.PrivateKey) {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		if signer == nil {
			signer = key
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		if err != nil {
			t.Fatal(err)
		}
		return der, key
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	root, rootKey := make(authority, authority, nil)
	leaf, leafKey := make(&x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority, rootKey)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{leaf}, PrivateKey: leafKey}, file
}

func TestHTTPS(t *testing.T) {
	repo := bare(t)
	git(t, repo, "config", "http.receivepack", "true")
	server := serveHTTPS(t, filepath.Dir(repo))
	target := Target{
		URL: server.url + "/fleet.git", Branch: "main", Path: "site",
		Auth: Auth{Username: "robot", Password: "s3cret", CAFile: server.ca, NoHelper: true},
	}
	remoteRoundTrip(t, target, repo)

	t.Run("the answer is lost after the push was taken", func(t *testing.T) {
		server.cut.Store(true)
		done := mustPublish(t, target, tree("a", "lost answer"))
		if !done.Changed || done.Commit != git(t, repo, "rev-parse", "main") {
			t.Errorf("found %+v, want the commit that landed", done)
		}
		if server.cut.Load() {
			t.Error("the answer was not lost")
		}
	})
	t.Run("the connection is lost in the middle of a push", func(t *testing.T) {
		before := git(t, repo, "rev-parse", "main")
		server.drop.Store(true)
		if done, err := publishTree(target, tree("a", "dropped"), meta); err == nil {
			t.Errorf("found %+v, want an error", done)
		}
		if after := git(t, repo, "rev-parse", "main"); after != before || server.drop.Load() {
			t.Errorf("the branch: found %s, want %s", after, before)
		}
		fsck(t, repo)
		mustPublish(t, target, tree("a", "dropped"))
	})
	t.Run("git's credential helper", func(t *testing.T) {
		store := filepath.Join(t.TempDir(), "credentials")
		address := strings.Replace(server.url, "https://", "https://robot:s3cret@", 1)
		if err := os.WriteFile(store, []byte(address+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GIT_CONFIG_COUNT", "1")
		t.Setenv("GIT_CONFIG_KEY_0", "credential.helper")
		t.Setenv("GIT_CONFIG_VALUE_0", "store --file="+store)
		helped := target
		helped.Auth = Auth{CAFile: server.ca}
		mustPublish(t, helped, tree("a", "by helper"))
	})
	t.Run("credentials in the URL", func(t *testing.T) {
		inside := target
		inside.URL = strings.Replace(target.URL, "https://", "https://robot:s3cret@", 1)
		inside.Auth = Auth{CAFile: server.ca}
		mustPublish(t, inside, tree("a", "by URL"))
		if said := inside.String(); strings.Contains(said, "s3cret") || strings.Contains(said, "robot") {
			t.Errorf("String: found %s", said)
		}
	})
	before := git(t, repo, "for-each-ref")
	_, stranger := privateAuthority(t)
	rows := []struct {
		why    string
		change func(*Target)
		want   error
		says   string
	}{
		{"an authority that nobody named", func(t *Target) { t.Auth.CAFile = "" }, ErrCertificate, "SIPGEN_GIT_CA_FILE"},
		{"another authority", func(t *Target) { t.Auth.CAFile = stranger }, ErrCertificate, "SIPGEN_GIT_CA_FILE"},
		{"no credentials", func(t *Target) { t.Auth.Username, t.Auth.Password = "", "" }, ErrAuth, "SIPGEN_GIT_PASSWORD"},
		{"wrong credentials", func(t *Target) { t.Auth.Password = "wr0ng" }, ErrAuth, "expired"},
		{"a token that has expired", func(*Target) { server.expired.Store(true) }, ErrAuth, "expired"},
		{"may read only", func(t *Target) { t.Auth.Username, t.Auth.Password = "reader", "reads" }, ErrAuth, "you may only read here"},
		{"no such repository", func(t *Target) { t.URL = server.url + "/other.git" }, ErrNoRepository, "check the URL"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			server.expired.Store(false)
			bad := target
			row.change(&bad)
			_, err := publishTree(bad, tree("a", row.why), meta)
			if !errors.Is(err, row.want) || !strings.Contains(fmt.Sprint(err), row.says) {
				t.Errorf("found %v, want %v with %q", err, row.want, row.says)
			}
			for _, secret := range []string{"s3cret", "wr0ng"} {
				if strings.Contains(fmt.Sprint(err), secret) {
					t.Errorf("the error tells the password: %v", err)
				}
			}
			if after := git(t, repo, "for-each-ref"); after != before {
				t.Errorf("branches: found %s, want %s", after, before)
			}
		})
	}
}

// remoteRoundTrip is what every transport has to do.
func remoteRoundTrip(t *testing.T, target Target, repo string) {
	t.Helper()
	first := mustPublish(t, target, tree("a", "1", "b/c", strings.Repeat("long ", 20000)))
	if !first.Changed || first.Base != "" {
		t.Errorf("first commit: found %+v", first)
	}
	rival(t, repo, "main", tree("elsewhere", "x", "site/notes", "hand"))
	done, err := Loop(context.Background(), target, func(tip *Snapshot) (Tree, Meta, error) {
		same(t, "the previous tree", tip.Tree, tree("a", "1", "b/c", strings.Repeat("long ", 20000)))
		return tree("a", "2"), meta, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if again := mustPublish(t, target, tree("a", "2")); again.Changed || again.Commit != done.Commit {
		t.Errorf("an unchanged tree: found %+v", again)
	}
	same(t, "the branch", inGit(t, repo, "main"), tree("elsewhere", "x", "site/notes", "hand", "site/a", "2"))
	fsck(t, repo)

	hook := filepath.Join(repo, "hooks/pre-receive")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho 'main is protected: ask the release team'\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = publishTree(target, tree("a", "3"), meta)
	if !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "ask the release team") {
		t.Errorf("a protected branch: found %v, want the server's message", err)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	tip, err := Read(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	rival(t, repo, "main", tree("elsewhere", "y"))
	if _, err := Commit(context.Background(), target, tip, tree("a", "3"), meta); !errors.Is(err, ErrConflict) {
		t.Errorf("a branch that has moved: found %v, want ErrConflict", err)
	}
	proposal := target
	proposal.Proposal = "sipgen/site"
	mustPublish(t, proposal, tree("a", "4"))
	if again := mustPublish(t, proposal, tree("a", "4")); again.Changed {
		t.Errorf("the same proposal: found %+v", again)
	}
	mustPublish(t, proposal, tree("a", "5"))
	if count := git(t, repo, "rev-list", "--count", "main..sipgen/site"); count != "1" {
		t.Errorf("commits in the proposal: found %s, want 1", count)
	}
	fsck(t, repo)
}

// sshd is a real one, on loopback, with a host key and one user key.
type sshd struct {
	address, hostKey, userKey, stranger, knownHosts string
}

func serveSSH(t testing.TB) sshd {
	t.Helper()
	binary := "/usr/sbin/sshd"
	if _, err := os.Stat(binary); err != nil {
		t.Skip("NOT TESTED: ssh: there is no sshd here; Debian has it in openssh-server")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	key := func(name string) string {
		file := filepath.Join(dir, name)
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
		return file
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	s := sshd{address: "127.0.0.1:" + port, hostKey: key("host"), userKey: key("user"), stranger: key("stranger"), knownHosts: filepath.Join(dir, "known_hosts")}
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	files := map[string]string{
		s.knownHosts:                     "[127.0.0.1]:" + port + " " + read(s.hostKey+".pub"),
		filepath.Join(dir, "authorized"): read(s.userKey + ".pub"),
		filepath.Join(dir, "config"): "Port " + port + "\nListenAddress 127.0.0.1\nHostKey " + s.hostKey + "\nAuthorizedKeysFile " + filepath.Join(dir, "authorized") +
			"\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nPermitRootLogin yes\nPidFile none\n",
	}
	for file, text := range files {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.MkdirAll("/run/sshd", 0o755) // sshd's own, for its privilege separation; without root sshd does not want it
	server := exec.Command(binary, "-D", "-e", "-f", filepath.Join(dir, "config"))
	var said bytes.Buffer
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	for range 200 {
		if conn, err := net.Dial("tcp", s.address); err == nil {
			_ = conn.Close()
			return s
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("sshd does not answer: %s", said.String())
	return s
}

func TestSSH(t *testing.T) {
	server := serveSSH(t)
	repo := bare(t)
	user, err := exec.Command("id", "-un").Output()
	if err != nil {
		t.Fatal(err)
	}
	target := Target{
		URL: "ssh://" + strings.TrimSpace(string(user)) + "@" + server.address + repo, Branch: "main", Path: "site",
		Auth: Auth{SSHKeyFile: server.userKey, KnownHosts: []string{server.knownHosts}},
	}
	remoteRoundTrip(t, target, repo)

	before := git(t, repo, "for-each-ref")
	unknown, changed := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "changed")
	other, err := os.ReadFile(server.stranger + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(server.address, ":")
	for file, text := range map[string]string{unknown: "", changed: "[127.0.0.1]:" + port + " " + string(other)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rows := []struct {
		why    string
		change func(*Target)
		want   error
		says   string
	}{
		{"an unknown host", func(t *Target) { t.Auth.KnownHosts = []string{unknown} }, ErrHostKey, "ssh-keyscan"},
		{"a host whose key has changed", func(t *Target) { t.Auth.KnownHosts = []string{changed} }, ErrHostKey, "another key"},
		{"no known_hosts at all", func(t *Target) { t.Auth.KnownHosts = []string{unknown + "x"} }, ErrHostKey, "ssh-keyscan"},
		{"a key that the server does not know", func(t *Target) { t.Auth.SSHKeyFile = server.stranger }, ErrAuth, "SSH keys"},
		{"a key file that is none", func(t *Target) { t.Auth.SSHKeyFile = server.knownHosts }, nil, "ssh key"},
		{"no such repository", func(t *Target) { t.URL += "x" }, ErrNoRepository, "check the URL"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			bad := target
			row.change(&bad)
			_, err := publishTree(bad, tree("a", row.why), meta)
			if err == nil || row.want != nil && !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("found %v, want %v with %q", err, row.want, row.says)
			}
			if after := git(t, repo, "for-each-ref"); after != before {
				t.Errorf("branches: found %s, want %s", after, before)
			}
		})
	}
}
