package publish

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
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

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/stretchr/testify/require"
)

// httpsServer is git http-backend behind TLS with a certificate of a private authority. It takes the user robot
// with the password s3cret, any user with the token t0ken as forges do, and that token as a bearer's.
type httpsServer struct {
	url, ca string
	sent    atomic.Int64 // bytes of packs that were fetched
	asked   atomic.Int32 // requests
	breaks  atomic.Bool  // gives no object by its hash, whatever it has said
	cut     atomic.Bool  // the next push is taken, and its answer is lost
	drop    atomic.Bool  // the next push is dropped half way
	ack     atomic.Bool  // wants multi_ack, as Azure DevOps and AWS CodeCommit do
}

func serveHTTPS(t testing.TB, root string) *httpsServer {
	t.Helper()
	return serveClients(t, root, nil)
}

// serveClients is serveHTTPS for clients with a certificate of that authority.
func serveClients(t testing.TB, root string, clients *authority) *httpsServer {
	t.Helper()
	out := need.Value(exec.Command("git", "--exec-path").Output())(t)
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_CONFIG_SYSTEM=/dev/null"},
		Stderr: io.Discard, Logger: log.New(io.Discard, "", 0),
	}
	if _, err := os.Stat(backend.Path); err != nil {
		need.Missing(t, "https: %v", err)
	}
	served := &httpsServer{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.asked.Add(1)
		user, password, _ := r.BasicAuth()
		if user == "parrot" { // a server, or a proxy's error page, that repeats what it was told
			http.Error(w, fmt.Sprintf("\x1b[31mnot you: %s %s \u202e%s", r.Header.Get("Authorization"), user, password),
				http.StatusForbidden)
			return
		}
		if password == "t0ken" || r.Header.Get("Authorization") == "Bearer t0ken" {
			user, password = "robot", "s3cret"
		}
		switch {
		case user == "reader" && password == "reads" && strings.Contains(r.RequestURI, "receive-pack"):
			http.Error(w, "you may only read here", http.StatusForbidden)
			return
		case user == "reader" && password == "reads":
		case user != "robot" || password != "s3cret":
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		// As nginx does it: the request is read before git is started, which waits for ever for one that ends early.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set("X-Remote-User", user)
		handler := *backend
		handler.Env = append(append([]string{}, backend.Env...), "REMOTE_USER="+user)
		asks := func(end string) bool { return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, end) }
		dropped := asks("git-receive-pack") && served.drop.CompareAndSwap(true, false)
		if dropped {
			r.Body, r.ContentLength = io.NopCloser(io.LimitReader(r.Body, 300)), 300
		}
		switch {
		case dropped || asks("git-receive-pack") && served.cut.CompareAndSwap(true, false):
			handler.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case asks("git-upload-pack") && served.breaks.Load() && !bytes.Contains(body, []byte("deepen 1")) &&
			!bytes.Contains(body, []byte("have ")):
			fmt.Fprint(w, "0030ERR upload-pack: not our ref 00000000000000\n")
			return
		case asks("git-upload-pack") && served.ack.Load() && !bytes.Contains(body, []byte(" multi_ack ")):
			http.Error(w, "want multi_ack", http.StatusBadRequest)
			return
		case strings.HasSuffix(r.URL.Path, "/info/refs") && served.ack.Load():
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, r)
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			_, _ = w.Write(bytes.Replace(answer.Body.Bytes(), []byte(" multi_ack_detailed "),
				[]byte(" molti_ack_detailed "), 1))
			return
		}
		handler.ServeHTTP(&counted{w, &served.sent}, r)
	}))
	server.EnableHTTP2 = false
	own := newAuthority(t)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{own.issue(t, "server").pair}}
	if clients != nil {
		server.TLS.ClientAuth, server.TLS.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		server.TLS.ClientCAs.AddCert(clients.certificate)
	}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // what is wrong there is what the tests do
	server.StartTLS()
	t.Cleanup(server.Close)
	served.url, served.ca = server.URL, own.file
	return served
}

func (s *httpsServer) login() Auth {
	return Auth{Username: "robot", Password: "s3cret", CAFile: s.ca, NoHelper: true}
}

// counted counts what is written to it.
type counted struct {
	http.ResponseWriter
	sum *atomic.Int64
}

func (c *counted) Write(text []byte) (int, error) {
	c.sum.Add(int64(len(text)))
	return c.ResponseWriter.Write(text)
}

// sshd is a real one, on loopback, with a host key and one user key.
type sshd struct {
	address, hostKey, userKey, stranger, knownHosts string
}

func serveSSH(t testing.TB) sshd {
	t.Helper()
	binary := need.Program(t, "sshd", "openssh-server")
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	address := need.Address(t)
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	ofSession := "SIPGEN_TEST_SSHD=" + port
	s := sshd{address: address, hostKey: sshKey(t), userKey: sshKey(t), stranger: sshKey(t),
		knownHosts: filepath.Join(dir, "known_hosts")}
	read := func(file string) string { return string(need.Read(t, file)) }
	files := map[string]string{
		s.knownHosts:                     "[127.0.0.1]:" + port + " " + read(s.hostKey+".pub"),
		filepath.Join(dir, "authorized"): read(s.userKey + ".pub"),
		filepath.Join(dir, "config"): "Port " + port + "\nListenAddress 127.0.0.1\nHostKey " + s.hostKey +
			"\nAuthorizedKeysFile " + filepath.Join(dir, "authorized") +
			"\nSetEnv " + ofSession + " HOME=" + dir + // a login shell reads its files there
			"\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nPermitRootLogin yes\nPidFile none\n",
	}
	for file, text := range files {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	_ = os.MkdirAll("/run/sshd", 0o755) // sshd's own, for its privilege separation; without root sshd does not want it
	server := exec.Command(binary, "-D", "-e", "-f", filepath.Join(dir, "config"))
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		orphans.EndWith(ofSession) // a hook that prints a lot outlives its session
	})
	listens(t, "tcp", s.address)
	return s
}

// url is a repository's, for the user who runs the test.
func (s sshd) url(t testing.TB, repo string) string {
	t.Helper()
	user := need.Value(exec.Command("id", "-un").Output())(t)
	return "ssh://" + strings.TrimSpace(string(user)) + "@" + s.address + repo
}

// authority signs certificates that only those trust who know its file.
type authority struct {
	file        string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// issued is a certificate for 127.0.0.1 and git.example.test, for servers and clients, and its files.
type issued struct {
	pair              tls.Certificate
	certFile, keyFile string
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key := need.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of " + t.Name()}, IsCA: true,
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageCertSign,
	}
	der := need.Value(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	certificate := need.Value(x509.ParseCertificate(der))(t)
	return &authority{writePEM(t, "ca.pem", "CERTIFICATE", der), certificate, key}
}

func (a *authority) issue(t testing.TB, name string) issued {
	t.Helper()
	key := need.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: a.certificate.NotBefore,
		NotAfter:    a.certificate.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"git.example.test"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der := need.Value(x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key))(t)
	private := need.Value(x509.MarshalPKCS8PrivateKey(key))(t)
	return issued{
		tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		writePEM(t, name+".pem", "CERTIFICATE", der), writePEM(t, name+"-key.pem", "PRIVATE KEY", private),
	}
}

func writePEM(t testing.TB, name, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	return file
}
