package services

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// unpackLayout unpacks this machine's image of a layout by tar, as root, and gives its folder and configuration.
func unpackLayout(t *testing.T, layout string) (root string, config jumpConfig) {
	t.Helper()
	blob := func(digest string) string {
		return filepath.Join(layout, "blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))
	}
	type descriptor struct{ Digest string }
	var index, platforms struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	require.NoError(t, json.Unmarshal(need.Read(t, filepath.Join(layout, "index.json")), &index))
	require.NoError(t, json.Unmarshal(need.Read(t, blob(index.Manifests[0].Digest)), &platforms))
	require.NoError(t, json.Unmarshal(need.Read(t, blob(platforms.Manifests[0].Digest)), &manifest))
	require.NoError(t, json.Unmarshal(need.Read(t, blob(manifest.Config.Digest)), &config))
	root = filepath.Join(t.TempDir(), "root")
	require.NoError(t, os.Mkdir(root, 0o755))
	for _, layer := range manifest.Layers {
		need.Output(t, exec.Command("tar", "--extract", "--gzip", "--same-owner", "--numeric-owner",
			"--preserve-permissions",
			"--keep-directory-symlink", "--file", blob(layer.Digest), "--directory", root))
	}
	return root, config
}

// jumpConfig is what the image says of how it runs.
type jumpConfig struct {
	Config struct {
		User         string
		Cmd          []string
		ExposedPorts map[string]struct{}
		Labels       map[string]string
	}
}

// TestJumpHostImage: the image that make jump-image makes has what its Dockerfile says, and its own programs, by its
// own libraries, do what a pod of a jump host does.
func TestJumpHostImage(t *testing.T) {
	if os.Getuid() != 0 {
		need.Missing(t, "only root can unpack an image and change to it")
	}
	layout := filepath.Join(t.TempDir(), "layout")
	build := exec.Command("bash", filepath.Join("..", "..", "hack", "jump-image.sh"), "v1.2.3", layout)
	build.Env = append(os.Environ(), "PLATFORMS=linux/"+runtime.GOARCH, "JUMP_ROOTS="+engine.CacheDir(),
		"DEBIAN_CACHE="+debianCache(), "KUBECTL="+engine.Binary(t, "kubectl"))
	if out, err := build.CombinedOutput(); err != nil {
		if _, cached := os.Stat(filepath.Join(engine.CacheDir(), "debian-trixie-jump-"+runtime.GOARCH)); cached != nil {
			need.Missing(t, "the jump host's image: Debian's packages cannot be had: %v\n%s", err, out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	root, config := unpackLayout(t, layout)
	version := asDockerfileSays(t, root, config, string(need.Read(t, "../../images/jump-host/Dockerfile")))

	listed, _ := newSigner(t)
	stranger, _ := newSigner(t)
	hostKey, hostPrivate := newSigner(t)
	_, nodePrivate := newSigner(t)
	files := overlay(t, input(v1.Services{JumpHost: []v1.JumpHost{{
		NodeInterface: "oam", NodeSSHPrivateKeys: "node-keys",
		SSHAuthorizedKeys: []string{authorized(listed.PublicKey())},
	}}}, v1.RoleWorker, "127.0.15.1"))
	address := onFreePort(t, files)
	p := stage(t, files, jumpName, map[string]map[string][]byte{
		jumpName + "-host-keys": {"ssh_host_ed25519_key": privatePEM(t, hostPrivate)},
		"node-keys":             {"key": privatePEM(t, nodePrivate)},
	})
	start(t, p.inImage(t, root, config.Config.Cmd...))
	dial := sshd(t, address, hostKey)
	// As a port scan or a user with a wrong key, at the source address that all clients of a node port have.
	for range 12 {
		_, err := dial("sip", ssh.PublicKeys(stranger))
		assert.ErrorContains(t, err, "unable to authenticate", "a key that is not listed, which sshd hears out")
	}
	client, err := dial("sip", ssh.PublicKeys(listed))
	require.NoError(t, err)
	defer client.Close()
	for _, row := range []struct{ command, want string }{
		{"id -u; id -un; readlink /proc/$$/root", `^1000\nsip\n/\n$`},
		{"cat /etc/debian_version", `^13\.`},
		{"bash -lc 'host list'", `(?m)^node-1 +Worker +\S+ +127\.0\.15\.1$`},
		// There is no API server: what the host command gives to kubectl reaches for it.
		{"host reboot node-1; true", `kubernetes\.default\.svc|serviceaccount`},
		{"kubectl version --client", `^Client Version: ` + regexp.QuoteMeta(version) + `\n`},
		{"curl --version", `^curl 8\.(.|\n)*https`},
		{`echo '{"PowerState":"On"}' | jq -r .PowerState`, `^On\n$`},
		{"ssh -G node-1", `(?m)^hostname 127\.0\.15\.1$(.|\n)*^identityfile /opt/sip/ssh-private-keys/key$`},
		{"ssh -G node-1", `(?m)^hostkeyalias node-1\.` + namespace + `$`},
		{"ssh-keygen -y -f /opt/sip/ssh-private-keys/key", `^ssh-ed25519 `},
		{"echo | awk '{print 6 * 7}'", `^42\n$`},
		{"openssl verify -CAfile /etc/ssl/certs/ca-certificates.crt /usr/share/ca-certificates/mozilla/ISRG_Root_X1.crt", `: OK\n$`},
		{"touch /usr/local/bin/x; touch /etc/x; true", `Read-only file system(.|\n)*Read-only file system`},
		{"grep -E '^(NoNewPrivs|CapBnd):' /proc/self/status", `CapBnd:\t0+\nNoNewPrivs:\t1\n`},
	} {
		session, err := client.NewSession()
		require.NoError(t, err)
		out, err := session.CombinedOutput(row.command)
		assert.Truef(t, err == nil && regexp.MustCompile(row.want).Match(out), "%s: %v, want %s\n%s", row.command, err,
			row.want, out)
		session.Close()
	}
	keepsHostKeys(t, p, dial, stranger)
}

// keepsHostKeys: as docs/rotate-keys.md has it, a newly listed user gets in without a restart, and sshd does not prove
// itself by a new host key without one. Earlier versions than the image's, as the machine's may be, do.
func keepsHostKeys(t *testing.T, p pod, dial func(string, ssh.AuthMethod) (*ssh.Client, error), next ssh.Signer) {
	t.Helper()
	_, renewed := newSigner(t)
	keys := filepath.Join(p.root, "opt", "sip")
	write(t, filepath.Join(keys, "host-keys", "ssh_host_ed25519_key"), privatePEM(t, renewed), 0o440)
	write(t, filepath.Join(keys, "keys", "authorized_keys"), []byte(authorized(next.PublicKey())+"\n"), 0o444)
	client, err := dial("sip", ssh.PublicKeys(next))
	require.NoError(t, err, "with the former host key")
	require.NoError(t, client.Close())
}

// asDockerfileSays compares the image with its Dockerfile, and gives the version of kubectl in that.
func asDockerfileSays(t *testing.T, root string, config jumpConfig, dockerfile string) string {
	t.Helper()
	one := func(pattern string) string {
		found := regexp.MustCompile(`(?m)` + pattern).FindStringSubmatch(dockerfile)
		require.Truef(t, found != nil, "the Dockerfile has no %s", pattern)
		return found[1]
	}
	for _, name := range strings.Fields(one(`--no-install-recommends (.*) \\$`)) {
		assert.NoError(t, need.Err(os.Stat(filepath.Join(root, "var", "lib", "dpkg", "status.d", name))),
			"the Dockerfile installs it")
	}
	listed, err := os.ReadDir(filepath.Join(root, "var", "lib", "dpkg", "status.d"))
	require.NoError(t, err)
	for _, of := range listed { // the link of some packages leads to another's
		require.NoError(t, need.Err(os.Stat(filepath.Join(root, "usr", "share", "doc", of.Name(), "copyright"))))
	}
	page := string(need.Read(t, filepath.Join(root, "usr", "share", "licenses", "sipgen")))
	for _, word := range []string{
		"Apache License", "\nk8s.io/kubernetes v", "\nk8s.io/kubectl v", "github.com/spf13/cobra v",
		"\nthe Go standard library: LICENSE",
	} {
		assert.Contains(t, page, word, "the licenses of the programs")
	}
	cmd, err := json.Marshal(config.Config.Cmd)
	require.NoError(t, err)
	_, exposed := config.Config.ExposedPorts[one(`^EXPOSE (\d+)$`)+"/tcp"]
	assert.Truef(t, config.Config.User == one(`^USER (.*)$`) && strings.ReplaceAll(string(cmd), ",",
		", ") == one(`^CMD (.*)$`) &&
		exposed && config.Config.Labels["org.opencontainers.image.title"] == "jump-host",
		"the image runs as %+v, which is not what the Dockerfile says", config.Config)
	target, err := os.Readlink(filepath.Join(root, one(`ln -s \S+ (\S+)$`)))
	assert.Truef(t, err == nil && target == one(`ln -s (\S+) \S+$`), "the link to the host command: %q, %v", target,
		err)
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		assert.Truef(t, err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid) == 0,
			"%s makes another user of who runs it", path)
		assert.Truef(t, !strings.HasPrefix(entry.Name(), "ssh_host_"), "%s: a key that all who have the image have",
			path)
		return err
	}))
	return one(`^ARG KUBECTL=.*:(v.*)$`)
}

// inImage runs a program as the pod would: with the image as its read-only root, the volumes at their places, as the
// pod's user without capabilities.
func (p pod) inImage(t *testing.T, root string, args ...string) *exec.Cmd {
	t.Helper()
	write(t, filepath.Join(root, "etc", "hosts"), p.hosts(), 0o644)
	script := []string{"mount --bind " + root + " " + root, "mount -o remount,bind,ro " + root}
	for _, mount := range p.spec.Containers[0].VolumeMounts {
		require.NoError(t, os.MkdirAll(filepath.Join(root, mount.MountPath),
			0o755)) // as a runtime makes the places of volumes
		script = append(script, "mount --bind "+filepath.Join(p.root, mount.MountPath)+" "+filepath.Join(root,
			mount.MountPath))
	}
	for _, shared := range []string{"/dev", "/proc"} {
		require.NoError(t, os.MkdirAll(root+shared, 0o755))
		script = append(script, "mount --rbind "+shared+" "+root+shared)
	}
	script = append(script, "exec chroot "+root+" /usr/bin/"+asUser)
	return p.unshared(t, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", script, args)
}
