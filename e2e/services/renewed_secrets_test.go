package services

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// docs/rotate-keys.md says which value of a Secret or ConfigMap takes effect by itself. TestRenewedCertificateOfDex has
// Dex's certificate, TestHostCommandByRedfish the BMC Secrets.

// TestRenewedBackendCA: HAProxy keeps the authority of its start; one that is started later has the renewed one.
func TestRenewedBackendCA(t *testing.T) {
	ours, renewed := issue(t, nil, "ours"), issue(t, nil, "renewed")
	node := need.Loopback(t, "17.1")
	startBackend(t, "node-1", node, *issue(t, renewed, "kubernetes"))
	files := overlay(t, input(controlPlane(&v1.HealthCheck{CA: &v1.BackendCA{Secret: "ca"}}), v1.RoleControlPlane,
		node))
	file := filepath.Join(t.TempDir(), "ca.crt")
	write(t, file, []byte(pemOf(ours)), 0o600)
	config := []byte(replaceOnce(t, string(files[controlPlaneConfig]), "/usr/local/etc/haproxy-ca/ca.crt", file))
	before := startHAProxy(t, config)
	before.waitState(t, "node-1", "DOWN")
	write(t, file, []byte(pemOf(renewed)), 0o600)
	startHAProxy(t, config).waitState(t, "node-1", "UP")
	before.waitState(t, "node-1", "DOWN")
}

// TestRenewedKeysOfTheJumpHost: without a restart, a listed user gets in. After one, sshd proves itself by the new host
// key: from 9.8 on, as in the image, sshd keeps the host keys of its start, and earlier ones read them for each
// connection.
func TestRenewedKeysOfTheJumpHost(t *testing.T) {
	need.Program(t, "sshd", "openssh-server")
	first, _ := newSigner(t)
	second, _ := newSigner(t)
	hostKey, hostPrivate := newSigner(t)
	renewed, renewedPrivate := newSigner(t)
	files := overlay(t, input(v1.Services{JumpHost: []v1.JumpHost{{
		NodeInterface: "oam", NodePort: 30022, SSHAuthorizedKeys: []string{authorized(first.PublicKey())},
	}}}, v1.RoleWorker, need.Loopback(t, "14.1")))
	address := onFreePort(t, files)
	p := stage(t, files, jumpName, map[string]map[string][]byte{
		jumpName + "-host-keys": {"ssh_host_ed25519_key": privatePEM(t, hostPrivate)},
	})
	before := start(t, p.command(t, p.spec.Containers[0].Command...))
	dial := sshd(t, address, hostKey)
	_, err := dial("sip", ssh.PublicKeys(second))
	assert.Truef(t, err != nil, "a key that is not listed gets in")
	keys := filepath.Join(p.root, "opt", "sip")
	write(t, filepath.Join(keys, "keys", "authorized_keys"), []byte(authorized(second.PublicKey())+"\n"), 0o444)
	listed, err := dial("sip", ssh.PublicKeys(second))
	require.NoError(t, err, "without a restart")
	require.NoError(t, listed.Close())
	write(t, filepath.Join(keys, "host-keys", "ssh_host_ed25519_key"), privatePEM(t, renewedPrivate), 0o440)
	before.end(t, address)
	start(t, p.command(t, p.spec.Containers[0].Command...))
	dial = sshd(t, address, renewed)
	client, err := dial("sip", ssh.PublicKeys(second))
	require.NoError(t, err)
	require.NoError(t, client.Close())
	_, err = dial("sip", ssh.PublicKeys(first))
	assert.Truef(t, err != nil, "a key that is listed no more gets in")
}

// TestRenewedNodeKeys: the jump host's ssh uses a renewed key at its next start, and a key under a new name after a
// restart of the pod.
func TestRenewedNodeKeys(t *testing.T) {
	need.Program(t, "sshd", "openssh-server")
	need.Program(t, "ssh", "openssh-client")
	listed, _ := newSigner(t)
	hostKey, hostPrivate := newSigner(t)
	first, firstPrivate := newSigner(t)
	renewed, renewedPrivate := newSigner(t)
	other, otherPrivate := newSigner(t)
	host := need.Loopback(t, "14.2")
	node := newSSHNode(t, host+":22")
	files := overlay(t, input(v1.Services{JumpHost: []v1.JumpHost{{
		NodeInterface: "oam", NodePort: 30022, SSHAuthorizedKeys: []string{authorized(listed.PublicKey())},
		NodeSSHPrivateKeys: "node-keys",
	}}}, v1.RoleWorker, host))
	address := onFreePort(t, files)
	p := stage(t, files, jumpName, map[string]map[string][]byte{
		jumpName + "-host-keys": {"ssh_host_ed25519_key": privatePEM(t, hostPrivate)},
		"node-keys":             {"key": privatePEM(t, firstPrivate)},
	})
	var gets func(ssh.Signer) bool
	pod := func() *running {
		started := start(t, p.command(t, p.spec.Containers[0].Command...))
		dial := sshd(t, address, hostKey)
		gets = func(key ssh.Signer) bool { // on to a node that accepts this key alone
			t.Helper()
			node.accept(key.PublicKey())
			client, err := dial("sip", ssh.PublicKeys(listed))
			require.NoError(t, err)
			defer client.Close()
			session, err := client.NewSession()
			require.NoError(t, err)
			out, err := session.CombinedOutput("ssh -o BatchMode=yes node-1 true")
			assert.Truef(t, err == nil || bytes.Contains(out, []byte("Permission denied (publickey)")), "ssh: %v, %s",
				err, out)
			return err == nil
		}
		return started
	}
	secret := filepath.Join(p.root, "opt", "sip", "ssh-private-keys")
	put := func(name string, key ed25519.PrivateKey) {
		write(t, filepath.Join(secret, name), privatePEM(t, key), 0o440)
		require.NoError(t, os.Chown(filepath.Join(secret, name), 0, int(*p.spec.SecurityContext.FSGroup)))
	}
	before := pod()
	assert.Truef(t, gets(first), "the key of the Secret does not get in")
	assert.Truef(t, !gets(renewed), "a key that is not in the Secret gets in")
	put("key", renewedPrivate)
	assert.Truef(t, gets(renewed), "a renewed key does not get in")
	put("other", otherPrivate)
	assert.Truef(t, !gets(other), "a key under a new name gets in without a restart: so the page may say")
	before.end(t, address)
	pod()
	assert.Truef(t, gets(other), "a key under a new name does not get in after a restart")
	assert.Truef(t, gets(renewed), "the renewed key does not get in after a restart")
}

// sshNode is the SSH of a node: it accepts one key, and says yes to any command.
type sshNode struct {
	mu  sync.Mutex
	key ssh.PublicKey
}

func (n *sshNode) accept(key ssh.PublicKey) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.key = key
}

func newSSHNode(t *testing.T, address string) *sshNode {
	t.Helper()
	n := &sshNode{}
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions,
		error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if !bytes.Equal(key.Marshal(), n.key.Marshal()) {
			return nil, errors.New("another key")
		}
		return &ssh.Permissions{}, nil
	}}
	own, _ := newSigner(t)
	config.AddHostKey(own)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		need.Missing(t, "the port of SSH: %v", err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go serveTrue(connection, config)
		}
	}()
	return n
}

// serveTrue answers each command of a connection with success.
func serveTrue(connection net.Conn, config *ssh.ServerConfig) {
	defer connection.Close()
	_, channels, requests, err := ssh.NewServerConn(connection, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for channel := range channels {
		session, asked, err := channel.Accept()
		if err != nil {
			return
		}
		for request := range asked {
			_ = request.Reply(true, nil)
			if request.Type == "exec" {
				_, _ = session.SendRequest("exit-status", false, make([]byte, 4))
				_ = session.Close()
			}
		}
	}
}

// TestRenewedEnvOfDex: the company renews the secret of Dex's client. Dex goes on with the one of its start, and one
// that is started later has the renewed one.
func TestRenewedEnvOfDex(t *testing.T) {
	d := newDexServer(t)
	up := upstream(t, d, "renewed")
	config := inMemory(t, overlay(t, input(dexServices(d, up), v1.RoleWorker)))
	const redirect = "http://localhost:8000"
	before := d.run(t, config, "", "UPSTREAM_SECRET=former")
	response, err := d.client(t, up).Get(d.issuer + "/auth?" + loginQuery("kubernetes", redirect))
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, http.StatusInternalServerError, response.StatusCode, "a login with the former secret")
	eventually(t, "Dex's log of the former secret", func() error { // Dex answers before its log is read
		return notYet(strings.Contains(before.String(), "invalid_client"))
	})
	before.end(t, d.listen)
	d.run(t, config, "", "UPSTREAM_SECRET=renewed")
	login(t, d.client(t, up), d.issuer, "kubernetes", redirect)
}
