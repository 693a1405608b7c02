//go:build linux

package main

import (
	"bytes"
	"crypto/x509"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func arguments(out string, more ...string) []string {
	return append([]string{"-version", "v1.2.3", "-revision", "0123abc", "-created", "1767323045", "-license",
		"../../LICENSE", "-out", out}, more...)
}

// TestImage makes the image of the released binary twice, whatever the file's time and mode are, and pushes one of
// them: both have the digest that is printed, and what was pushed is unpacked and run.
func TestImage(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	dir := t.TempDir()
	binary, here := filepath.Join(dir, "sipgen"), "linux/"+runtime.GOARCH
	output(t, exec.Command("bash", "../build.sh", "v1.2.3", here, binary))
	platforms := []string{here + "=" + binary, "linux/riscv64=../../LICENSE"}
	target := strings.TrimPrefix(server.URL, "http://") + "/fleet/sipgen"
	var pushed, made bytes.Buffer
	push := append([]string{"-push", target + ":v1.2.3"}, platforms...)
	check(t, run(t.Context(), arguments(filepath.Join(dir, "pushed"), push...), &pushed, io.Discard))
	check(t, os.Chtimes(binary, time.Time{}, time.Unix(86400, 0)))
	check(t, os.Chmod(binary, 0o600))
	check(t, run(t.Context(), arguments(filepath.Join(dir, "made"), platforms...), &made, io.Discard))
	if pushed.String() != target+"@"+made.String() {
		t.Errorf("pushed %s, made %s", &pushed, &made)
	}
	path, err := layout.FromPath(filepath.Join(dir, "made"))
	check(t, err)
	all, err := path.ImageIndex()
	check(t, err)
	manifest, err := all.IndexManifest()
	check(t, err)
	const ref = "org.opencontainers.image.ref.name"
	if m := manifest.Manifests; len(m) != 1 || m[0].Digest.String()+"\n" != made.String() ||
		m[0].Annotations[ref] != "v1.2.3" {
		t.Errorf("the layout has %+v, printed was %s", m, &made)
	}

	reference, err := name.ParseReference(strings.TrimSpace(pushed.String()))
	check(t, err)
	index, err := remote.Index(reference)
	check(t, err)
	check(t, validate.Index(index))
	image, err := remote.Image(reference, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	check(t, err)
	config, err := image.ConfigFile()
	check(t, err)
	c := config.Config
	if entry := strings.Join(c.Entrypoint, " "); c.User != "65532:65532" || entry != "/usr/local/bin/sipgen" ||
		config.Created.Unix() != 1767323045 {
		t.Errorf("config: %+v", config)
	}
	for key, want := range map[string]string{"version": "v1.2.3", "revision": "0123abc",
		"created": "2026-01-02T03:04:05Z", "licenses": "Apache-2.0"} {
		if found := c.Labels["org.opencontainers.image."+key]; found != want {
			t.Errorf("label %s: found %q, want %q", key, found, want)
		}
	}
	root := filepath.Join(dir, "root")
	check(t, os.Mkdir(root, 0o755))
	unpack := exec.Command("tar", "-xp", "-C", root)
	unpack.Stdin = mutate.Extract(image)
	output(t, unpack)
	checkRoot(t, root)
}

// checkRoot wants certificates that a program can use, no program but sipgen, and sipgen to work with nothing else, as
// nobody in particular.
func checkRoot(t *testing.T, root string) {
	t.Helper()
	roots, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	check(t, err)
	if n := bytes.Count(roots, []byte("-----BEGIN CERTIFICATE-----")); n < 100 ||
		!x509.NewCertPool().AppendCertsFromPEM(roots) {
		t.Errorf("ca-certificates.crt: %d certificates", n)
	}
	programs := output(t, exec.Command("find", root, "-type", "f", "-perm", "/111", "-printf", "%P "))
	if programs != "usr/local/bin/sipgen " {
		t.Errorf("can be executed: %s", programs)
	}
	version := output(t, exec.Command(filepath.Join(root, "usr/local/bin/sipgen"), "version"))
	if !strings.HasPrefix(version, "sipgen v1.2.3 (") {
		t.Errorf("sipgen version: %s", version)
	}
	if os.Getuid() != 0 {
		return
	}
	check(t, os.CopyFS(filepath.Join(root, "site"), os.DirFS("../../examples/single")))
	render := exec.Command("chroot", "--userspec=65532:65532", root, "/usr/local/bin/sipgen", "render",
		"--site", "/site/site.yaml", "-f", "/site/cluster.yaml", "--inventory", "/site/hosts.yaml", "--out",
		"/home/nonroot/tree")
	render.Env = []string{"HOME=/home/nonroot"}
	output(t, render)
	_, err = os.Stat(filepath.Join(root, "home/nonroot/tree/PLAN.md"))
	check(t, err)
}

// TestLicensesStay: of the documentation of Debian's packages their licenses stay, also those that are a link to
// another package's.
func TestLicensesStay(t *testing.T) {
	for name, want := range map[string]bool{
		"usr/share/doc": false, "usr/share/doc/bash": false, "usr/share/doc/bash/copyright": false,
		"usr/share/doc/bash/README": true, "usr/share/doc/bash/examples/copyright": true,
		"usr/share/common-licenses/GPL-3": false, "usr/share/man/man1/bash.1.gz": true, "usr/share/mandb": false,
	} {
		if got := unneeded(name); got != want {
			t.Errorf("%s: left out: %t, want %t", name, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "sipgen")
	check(t, os.WriteFile(binary, nil, 0o755))
	for _, row := range []struct {
		want string
		args []string
	}{
		{"want -version", []string{"-out", "x"}},
		{"want OS/ARCH=BINARY", arguments(filepath.Join(t.TempDir(), "out"), "linux="+binary)},
		{"is there", arguments(t.TempDir(), "linux/amd64="+binary)},
		{"want packages, or dockerfile", []string{"-print", "dockerfile"}},
		{"-push", arguments(filepath.Join(t.TempDir(), "out"), "-push", "no tag", "linux/amd64="+binary)},
	} {
		err := run(t.Context(), row.args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: error %v, want %q", row.args, err, row.want)
		}
	}
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
