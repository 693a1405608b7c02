package services

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// pod is a folder that holds what the pod's container finds in its volumes.
type pod struct {
	spec corev1.PodSpec
	root string
}

// stage lays out the pod's volumes below a folder as the kubelet would: ConfigMaps from the overlay's folder of that
// name, Secrets from the ones given.
func stage(t *testing.T, files map[string][]byte, name string, secrets map[string]map[string][]byte) pod {
	t.Helper()
	deployments := objects(t, files[name+".yaml"], "Deployment")
	require.Truef(t, len(deployments) == 1, "%d Deployments, want one", len(deployments))
	var d appsv1.Deployment
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(deployments[0].Object, &d))
	p := pod{spec: d.Spec.Template.Spec, root: t.TempDir()}
	// A pod's user reaches its files, whatever the mode of the test's folders.
	for dir := p.root; dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o055 != 0o055 {
			_ = os.Chmod(dir, info.Mode().Perm()|0o055)
		}
	}
	volumes := map[string]corev1.Volume{}
	for _, v := range p.spec.Volumes {
		volumes[v.Name] = v
	}
	for _, mount := range p.spec.Containers[0].VolumeMounts {
		target := filepath.Join(p.root, mount.MountPath)
		require.NoError(t, os.MkdirAll(target, 0o755))
		switch v := volumes[mount.Name]; {
		case v.ConfigMap != nil:
			for key, text := range configMap(t, files, name, v.ConfigMap.Name) {
				items := v.ConfigMap.Items
				if len(items) == 0 || slices.ContainsFunc(items,
					func(i corev1.KeyToPath) bool { return i.Key == key }) {
					write(t, filepath.Join(target, key), text, os.FileMode(*v.ConfigMap.DefaultMode))
				}
			}
		case v.Secret != nil:
			secret, found := secrets[v.Secret.SecretName]
			require.Truef(t, found, "the pod wants the Secret %s", v.Secret.SecretName)
			for key, text := range secret {
				write(t, filepath.Join(target, key), text, os.FileMode(*v.Secret.DefaultMode))
				_ = os.Chown(filepath.Join(target, key), 0, int(*p.spec.SecurityContext.FSGroup))
			}
		case v.Projected != nil:
			for _, source := range v.Projected.Sources {
				for _, item := range source.Secret.Items {
					write(t, filepath.Join(target, item.Path), secrets[source.Secret.Name][item.Key], 0o440)
					_ = os.Chown(filepath.Join(target, item.Path), 0, int(*p.spec.SecurityContext.FSGroup))
				}
			}
		case v.EmptyDir != nil:
			require.NoError(t, os.Chmod(target, 0o777))
		default:
			t.Fatalf("volume %s is of a kind that this test does not know", mount.Name)
		}
	}
	return p
}

// configMap gives the keys of a ConfigMap that the kustomization generates.
func configMap(t *testing.T, files map[string][]byte, folder, name string) map[string][]byte {
	t.Helper()
	var k struct {
		ConfigMapGenerator []struct {
			Name  string   `json:"name"`
			Files []string `json:"files"`
		} `json:"configMapGenerator"`
	}
	require.NoError(t, yaml.Unmarshal(files["kustomization.yaml"], &k))
	for _, generator := range k.ConfigMapGenerator {
		if generator.Name != name {
			continue
		}
		out := map[string][]byte{}
		for _, entry := range generator.Files {
			key, file, _ := strings.Cut(entry, "=")
			out[key] = files[file]
		}
		return out
	}
	t.Fatalf("no ConfigMap %s", name)
	return nil
}

// command runs a program as the pod would: in a mount namespace with the volumes at their places, as the pod's user
// without capabilities, with /etc/hosts and a user database of its own. It needs root to get there.
func (p pod) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		need.Missing(t, "only root can become another user, as the pod's is")
	}
	write(t, filepath.Join(p.root, "hosts"), p.hosts(), 0o644)
	write(t, filepath.Join(p.root, "passwd"), []byte("root:x:0:0::/root:/bin/sh\nsip:x:1000:1000::/tmp:/bin/sh\n"),
		0o644)
	script := []string{"mount -t tmpfs none /opt", "mkdir /opt/sip"}
	for from, to := range map[string]string{
		"opt/sip": "/opt/sip", "etc/ssh": "/etc/ssh", "hosts": "/etc/hosts", "passwd": "/etc/passwd",
	} {
		if _, err := os.Stat(filepath.Join(p.root, from)); err == nil {
			script = append(script, "mount --bind "+filepath.Join(p.root, from)+" "+to)
		}
	}
	return p.unshared(t, filepath.Join(p.root, "programs")+":/usr/local/bin:/usr/bin:/bin",
		append(script, "exec "+asUser), args)
}

// asUser runs a program as the pod's user without capabilities.
const asUser = `setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"`

// hosts is /etc/hosts of the pod.
func (p pod) hosts() []byte {
	hosts := "127.0.0.1 localhost\n"
	for _, alias := range p.spec.HostAliases {
		hosts += alias.IP + " " + strings.Join(alias.Hostnames, " ") + "\n"
	}
	return []byte(hosts)
}

// unshared runs lines of shell in a mount namespace, with the environment of the pod's container.
func (p pod) unshared(t *testing.T, path string, script, args []string) *exec.Cmd {
	t.Helper()
	args = append([]string{"--mount", "sh", "-ec", strings.Join(script, "\n"), "sh"}, args...)
	cmd := exec.Command(need.Program(t, "unshare", "util-linux"), args...)
	cmd.Env = []string{"PATH=" + path}
	for _, env := range p.spec.Containers[0].Env {
		cmd.Env = append(cmd.Env, env.Name+"="+env.Value)
	}
	cmd.Dir = "/"
	return cmd
}
