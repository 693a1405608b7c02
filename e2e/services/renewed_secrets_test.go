package services

import (
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
)

// docs/services.md says which value of a Secret or ConfigMap takes effect by itself. TestRenewedCertificateOfDex has
// Dex's certificate, TestHostCommandByRedfish the BMC Secrets.

// TestRenewedBackendCA: HAProxy keeps the authority of its start; one that is started later has the renewed one.
func TestRenewedBackendCA(t *testing.T) {
	ours, renewed := issue(t, nil, "ours"), issue(t, nil, "renewed")
	startBackend(t, "node-1", "127.0.17.1", *issue(t, renewed, "kubernetes"))
	files := overlay(t, input(controlPlane(&v1.HealthCheck{CA: &v1.BackendCA{Secret: "ca"}}), v1.RoleControlPlane,
		"127.0.17.1"))
	file := filepath.Join(t.TempDir(), "ca.crt")
	write(t, file, []byte(pemOf(ours)), 0o600)
	config := []byte(replaceOnce(t, string(files[controlPlaneConfig]), "/usr/local/etc/haproxy-ca/ca.crt", file))
	before := startHAProxy(t, config)
	before.waitState(t, "node-1", "DOWN")
	write(t, file, []byte(pemOf(renewed)), 0o600)
	startHAProxy(t, config).waitState(t, "node-1", "UP")
	before.waitState(t, "node-1", "DOWN")
}

// TestRenewedKeysOfTheJumpHost: without a restart, a listed user gets in, and sshd proves itself by the new host key.
func TestRenewedKeysOfTheJumpHost(t *testing.T) {
	need.Program(t, "sshd", "openssh-server")
	first, _ := newSigner(t)
	second, _ := newSigner(t)
	hostKey, hostPrivate := newSigner(t)
	renewed, renewedPrivate := newSigner(t)
	files := overlay(t, input(v1.Services{JumpHost: []v1.JumpHost{{
		NodeInterface: "oam", NodePort: 30022, SSHAuthorizedKeys: []string{authorized(first.PublicKey())},
	}}}, v1.RoleWorker, "127.0.14.1"))
	p := stage(t, files, jumpName, map[string]map[string][]byte{
		jumpName + "-host-keys": {"ssh_host_ed25519_key": privatePEM(t, hostPrivate)},
	})
	start(t, p.command(t, p.spec.Containers[0].Command...))
	dial := sshd(t, "127.0.0.1:2222", hostKey)
	_, err := dial("sip", ssh.PublicKeys(second))
	need.That(t, err != nil, "a key that is not listed gets in")
	keys := filepath.Join(p.root, "opt", "sip")
	write(t, filepath.Join(keys, "keys", "authorized_keys"), []byte(authorized(second.PublicKey())+"\n"), 0o444)
	write(t, filepath.Join(keys, "host-keys", "ssh_host_ed25519_key"), privatePEM(t, renewedPrivate), 0o440)
	_, err = dial("sip", ssh.PublicKeys(second))
	need.Error(t, "the former host key", err, "host key mismatch")
	dial = sshd(t, "127.0.0.1:2222", renewed)
	client, err := dial("sip", ssh.PublicKeys(second))
	need.OK(t, err)
	need.OK(t, client.Close())
	_, err = dial("sip", ssh.PublicKeys(first))
	need.That(t, err != nil, "a key that is listed no more gets in")
}
