package services

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/hack/need"
)

// deployment is the Deployment in a rendered file.
func deployment(t *testing.T, file []byte) *appsv1.Deployment {
	t.Helper()
	for _, document := range strings.Split(string(file), "\n---\n") {
		var d appsv1.Deployment
		need.OK(t, yaml.Unmarshal([]byte(document), &d))
		if d.Kind == "Deployment" {
			return &d
		}
	}
	t.Fatal("no Deployment")
	return nil
}

// pod is a folder that holds what the pod's container finds in its volumes.
type pod struct {
	spec corev1.PodSpec
	root string
	// programs is a folder with what the image brings and Debian does not.
	programs string
}

// brings puts a program where the pod's user finds it and may run it.
func (p *pod) brings(t *testing.T, program string) {
	t.Helper()
	text := need.Read(t, program)
	p.programs = filepath.Join(p.root, "programs")
	write(t, filepath.Join(p.programs, filepath.Base(program)), text, 0o755)
}

// stage lays out the pod's volumes below a folder as the kubelet would: ConfigMaps from the overlay's folder of that
// name, Secrets from the ones given.
func stage(t *testing.T, files map[string][]byte, name string, secrets map[string]map[string][]byte) pod {
	t.Helper()
	spec := deployment(t, files[name+".yaml"]).Spec.Template.Spec
	p := pod{spec: spec, root: t.TempDir()}
	// A pod's user reaches its files, whatever the mode of the test's folders.
	for dir := p.root; dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o055 != 0o055 {
			_ = os.Chmod(dir, info.Mode().Perm()|0o055)
		}
	}
	volumes := map[string]corev1.Volume{}
	for _, v := range spec.Volumes {
		volumes[v.Name] = v
	}
	for _, mount := range spec.Containers[0].VolumeMounts {
		target := filepath.Join(p.root, mount.MountPath)
		need.OK(t, os.MkdirAll(target, 0o755))
		switch v := volumes[mount.Name]; {
		case v.ConfigMap != nil:
			for key, text := range configMap(t, files, name, v.ConfigMap.Name) {
				if wanted(v.ConfigMap.Items, key) {
					write(t, filepath.Join(target, key), text, os.FileMode(*v.ConfigMap.DefaultMode))
				}
			}
		case v.Secret != nil:
			secret, found := secrets[v.Secret.SecretName]
			need.Must(t, found, "the pod wants the Secret %s", v.Secret.SecretName)
			for key, text := range secret {
				write(t, filepath.Join(target, key), text, os.FileMode(*v.Secret.DefaultMode))
				_ = os.Chown(filepath.Join(target, key), 0, int(*spec.SecurityContext.FSGroup))
			}
		case v.Projected != nil:
			for _, source := range v.Projected.Sources {
				for _, item := range source.Secret.Items {
					write(t, filepath.Join(target, item.Path), secrets[source.Secret.Name][item.Key], 0o440)
					_ = os.Chown(filepath.Join(target, item.Path), 0, int(*spec.SecurityContext.FSGroup))
				}
			}
		case v.EmptyDir != nil:
			need.OK(t, os.Chmod(target, 0o777))
		default:
			t.Fatalf("volume %s is of a kind that this test does not know", mount.Name)
		}
	}
	return p
}

func wanted(items []corev1.KeyToPath, key string) bool {
	for _, item := range items {
		if item.Key == key {
			return true
		}
	}
	return len(items) == 0
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
	need.OK(t, yaml.Unmarshal(files["kustomization.yaml"], &k))
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

// command runs a program as the pod would: in a mount namespace with the volumes at their places, as the pod's user without
// capabilities, with /etc/hosts and a user database of its own. It needs root to get there.
func (p pod) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		need.Missing(t, "only root can become another user, as the pod's is")
	}
	write(t, filepath.Join(p.root, "hosts"), p.hosts(), 0o644)
	write(t, filepath.Join(p.root, "passwd"), []byte("root:x:0:0::/root:/bin/sh\nsip:x:1000:1000::/tmp:/bin/sh\n"), 0o644)
	script := []string{"mount -t tmpfs none /opt", "mkdir /opt/sip"}
	for from, to := range map[string]string{"opt/sip": "/opt/sip", "etc/ssh": "/etc/ssh", "hosts": "/etc/hosts", "passwd": "/etc/passwd"} {
		if _, err := os.Stat(filepath.Join(p.root, from)); err == nil {
			script = append(script, "mount --bind "+filepath.Join(p.root, from)+" "+to)
		}
	}
	return p.unshared(t, p.programs+":/usr/local/bin:/usr/bin:/bin", append(script, "exec "+asUser), args)
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
	cmd := exec.Command(need.Program(t, "unshare", "util-linux"), append([]string{"--mount", "sh", "-ec", strings.Join(script, "\n"), "sh"}, args...)...)
	cmd.Env = []string{"PATH=" + path}
	for _, env := range p.spec.Containers[0].Env {
		cmd.Env = append(cmd.Env, env.Name+"="+env.Value)
	}
	cmd.Dir = "/"
	return cmd
}
