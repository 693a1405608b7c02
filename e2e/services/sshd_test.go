package services

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

const jumpName = "jumphost-" + cluster

// newSigner makes a key pair.
func newSigner(t *testing.T) (ssh.Signer, ed25519.PrivateKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	return signer, private
}

func privatePEM(t *testing.T, key ed25519.PrivateKey) []byte {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(key, "test")
	require.NoError(t, err)
	return pem.EncodeToMemory(block)
}

func authorized(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// certified signs a user's key for the login name sip.
func certified(t *testing.T, ca, user ssh.Signer, principal string) ssh.Signer {
	t.Helper()
	certificate := &ssh.Certificate{
		Key: user.PublicKey(), CertType: ssh.UserCert, KeyId: "test", ValidPrincipals: []string{principal},
		ValidBefore: ssh.CertTimeInfinity,
	}
	require.NoError(t, certificate.SignCert(rand.Reader, ca))
	signer, err := ssh.NewCertSigner(certificate, user)
	require.NoError(t, err)
	return signer
}

// sshd waits until it listens, and gives what logs in there.
func sshd(t *testing.T, address string, hostKey ssh.Signer) func(user string, method ssh.AuthMethod) (*ssh.Client,
	error) {
	t.Helper()
	eventually(t, "sshd listens", func() error {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		return connection.Close()
	})
	return func(user string, method ssh.AuthMethod) (*ssh.Client, error) {
		return ssh.Dial("tcp", address, &ssh.ClientConfig{
			User: user, Auth: []ssh.AuthMethod{method}, HostKeyCallback: ssh.FixedHostKey(hostKey.PublicKey()),
			Timeout: 30 * time.Second,
		})
	}
}

// onFreePort has a jump host's sshd listen on a port that no other process has, and returns its address.
func onFreePort(t *testing.T, files map[string][]byte) string {
	t.Helper()
	port := need.Port(t)
	for name, text := range files {
		if strings.HasSuffix(name, "sshd_config") {
			files[name] = []byte(replaceOnce(t, string(text), "Port 2222\n", fmt.Sprintf("Port %d\n", port)))
		}
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}

func TestJumpHost(t *testing.T) {
	t.Parallel()
	need.Program(t, "sshd", "openssh-server")
	listed, _ := newSigner(t)
	stranger, _ := newSigner(t)
	ca, _ := newSigner(t)
	otherCA, _ := newSigner(t)
	hostKey, hostPrivate := newSigner(t)
	host := need.Loopback(t, "14.1")
	files := overlay(t, input(v1.Services{JumpHost: []v1.JumpHost{{
		NodeInterface: "oam", NodePort: 30022,
		SSHAuthorizedKeys: []string{authorized(listed.PublicKey()) + " ops@example"},
		TrustedUserCA:     authorized(ca.PublicKey()),
	}}}, v1.RoleWorker, host))
	address := onFreePort(t, files)
	p := stage(t, files, jumpName, map[string]map[string][]byte{
		jumpName + "-host-keys": {"ssh_host_ed25519_key": privatePEM(t, hostPrivate)},
	})
	start(t, p.command(t, p.spec.Containers[0].Command...))
	dial := sshd(t, address, hostKey)
	for _, row := range []struct {
		why, user string
		method    ssh.AuthMethod
		in        bool
	}{
		{"a listed key", "sip", ssh.PublicKeys(listed), true},
		{"a key that is not listed", "sip", ssh.PublicKeys(stranger), false},
		{"a certificate by the trusted CA", "sip", ssh.PublicKeys(certified(t, ca, stranger, "sip")), true},
		{"a certificate for another name", "sip", ssh.PublicKeys(certified(t, ca, stranger, "root")), false},
		{"a certificate by another CA", "sip", ssh.PublicKeys(certified(t, otherCA, stranger, "sip")), false},
		{"a password", "sip", ssh.Password("secret"), false},
		{"a dialogue, which could ask for a password", "sip", ssh.KeyboardInteractive(
			func(_, _ string, questions []string, _ []bool) ([]string, error) {
				return slices.Repeat([]string{"secret"}, len(questions)), nil
			}), false},
		{"root with a listed key", "root", ssh.PublicKeys(listed), false},
	} {
		client, err := dial(row.user, row.method)
		assert.Truef(t, (err == nil) == row.in, "%s: got %v, want in: %t", row.why, err, row.in)
		if err == nil {
			client.Close()
		}
	}

	// Ansible comes with 50 at once.
	logins := make(chan error)
	for range 50 {
		go func() {
			client, err := dial("sip", ssh.PublicKeys(listed))
			if err == nil {
				err = client.Close()
			}
			logins <- err
		}()
	}
	for range 50 {
		require.NoError(t, <-logins)
	}

	client, err := dial("sip", ssh.PublicKeys(listed))
	require.NoError(t, err)
	defer client.Close()
	session, err := client.NewSession()
	require.NoError(t, err)
	out, err := session.CombinedOutput("id -u")
	assert.Truef(t, err == nil && string(out) == "1000\n", "the session's id -u: %v, %s", err, out)
	// The way on: to a host's SSH by name and by address, and to nothing else.
	node, err := net.Listen("tcp", host+":22")
	if err != nil {
		need.Missing(t, "the port of SSH: %v", err)
	}
	defer node.Close()
	go func() {
		for {
			connection, err := node.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(connection, "SSH-2.0-node\r\n")
			connection.Close()
		}
	}()
	for _, target := range []string{"node-1:22", "node-1." + namespace + ":22", host + ":22"} {
		connection, err := client.Dial("tcp", target)
		require.Truef(t, err == nil, "on to %s: %v", target, err)
		banner, _ := io.ReadAll(connection)
		assert.Contains(t, string(banner), "SSH-2.0-node", "on to "+target)
		connection.Close()
	}
	for _, target := range []string{host + ":6443", address, "localhost:22"} {
		_, err := client.Dial("tcp", target)
		assert.ErrorContains(t, err, "administratively prohibited", "on to "+target)
	}
	_, err = client.Listen("tcp", "127.0.0.1:0")
	assert.Truef(t, err != nil, "the jump host listens for its user")
}
