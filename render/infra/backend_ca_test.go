package infra

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/templates"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// TestBackendCA: the authority is where the configuration looks for it, and of a Secret nothing else is mounted.
// Without one nothing is other.
func TestBackendCA(t *testing.T) {
	const name = "loadbalancer-controlplane-edge-a"
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	require.NoError(t, err)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}))
	plain := render(t, tenant())
	for _, row := range []struct {
		why          string
		ca           *v1.BackendCA
		verify, item string
	}{
		{"none", nil, " check-ssl verify none inter ", ""},
		{"inline", &v1.BackendCA{PEM: "comment\n" + authority},
			" check-ssl verify required ca-file /usr/local/etc/haproxy/ca.crt verifyhost kubernetes inter ", ""},
		{"a ConfigMap", &v1.BackendCA{ConfigMap: "root", ServerName: "api.example"},
			" check-ssl verify required ca-file /usr/local/etc/haproxy-ca/ca.crt verifyhost api.example inter ",
			"ca.crt"},
		{"a Secret", &v1.BackendCA{Secret: "edge-a-ca", Key: "tls.crt"},
			" check-ssl verify required ca-file /usr/local/etc/haproxy-ca/ca.crt verifyhost kubernetes inter ",
			"tls.crt"},
	} {
		in := tenant()
		in.Cluster.Spec.Services.LoadBalancerControlPlane[0].HealthCheck = &v1.HealthCheck{CA: row.ca}
		files := render(t, in)
		assert.Contains(t, string(files[name+".cfg"]), row.verify, row.why)
		if row.ca == nil {
			for file := range files {
				assert.Truef(t, bytes.Equal(files[file], plain[file]), "%s: %s is other than without a check", row.why,
					file)
			}
			continue
		}
		pod := ofKind[appsv1.Deployment](t, files, "Deployment")[name].Spec.Template.Spec
		at := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == "backend-ca" })
		if row.item == "" {
			config := ofKind[corev1.ConfigMap](t, files, "ConfigMap")[pod.Volumes[0].ConfigMap.Name]
			assert.Truef(t, at < 0 && config != nil && config.Data["ca.crt"] == authority,
				"%s: volume %d, want the authority, and nothing else, beside the configuration: %+v", row.why, at,
				config)
			continue
		}
		if at < 0 || len(pod.Containers[0].VolumeMounts) != 2 ||
			pod.Containers[0].VolumeMounts[1] != (corev1.VolumeMount{Name: "backend-ca",
				MountPath: "/usr/local/etc/haproxy-ca", ReadOnly: true}) {
			t.Errorf("%s: found %+v", row.why, pod.Containers[0].VolumeMounts)
			continue
		}
		var items []corev1.KeyToPath
		if row.ca.Secret != "" {
			items = pod.Volumes[at].Secret.Items
		} else {
			items = pod.Volumes[at].ConfigMap.Items
		}
		assert.Truef(t, slices.Equal(items, []corev1.KeyToPath{{Key: row.item, Path: "ca.crt"}}),
			"%s: found %+v, want %s and nothing else", row.why, items, row.item)
	}
}

func TestFillWantsEveryValueAndNoOther(t *testing.T) {
	good := values{"name": "n", "purpose": "p", "maxConn": "1", "hardStop": "2", "bind": "3", "connect": "4s",
		"check": "4s", "queue": "4s", "client": "4s", "server": "4s", "tunnel": "4s",
		"globalLines": "", "defaultsLines": "    option x\n"}
	for want, change := range map[string]func(values){
		"":                                func(values) {},
		"no value for purpose":            func(v values) { delete(v, "purpose") },
		"it has no backend":               func(v values) { v["backend"] = "s" },
		"name: found a control":           func(v values) { v["name"] = "n\nglobal" },
		"no value for name\ntemplate hap": func(v values) { clear(v) },
	} {
		v := maps.Clone(good)
		change(v)
		text, err := fill("haproxy-head.cfg.tmpl", v)
		need.Error(t, "", err, want)
		assert.Truef(t, strings.HasPrefix(string(text), "# n: p\n") == (want == ""), "%q: found %q", want, text)
	}
	_, err := fill("ssh_config.tmpl", values{"name": "n", "hosts": "Host a"})
	assert.ErrorContains(t, err, "hosts: want whole lines", "half a line")
	// A value is text: nothing in it is looked up.
	text, err := fill("ssh_config.tmpl", values{"name": "{{hosts}}", "hosts": "{{name}}\n"})
	assert.Truef(t,
		err == nil && strings.Contains(string(text), "that {{hosts}} leads") && strings.Contains(string(text),
			"\n{{name}}\n"),
		"found %q, %v", text, err)
}

// Every brace of a template is part of a placeholder that fill knows.
func TestTemplatesHavePlaceholdersOnly(t *testing.T) {
	files, err := fs.Glob(templates.FS, "*.tmpl")
	require.Truef(t, err == nil && len(files) != 0, "%v %v", files, err)
	for _, file := range files {
		text, err := templates.FS.ReadFile(file)
		require.NoError(t, err)
		page := placeholder.ReplaceAllString(string(text), "")
		for _, word := range []string{"{{", "}}"} {
			assert.NotContains(t, page, word, file)
		}
	}
}
