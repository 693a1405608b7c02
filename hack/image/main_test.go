//go:build linux

package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/x509"
	"errors"
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

// sipgen builds the released binary for this machine.
func sipgen(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sipgen")
	build := exec.Command("bash", "../build.sh", "v1.2.3", "linux/"+runtime.GOARCH, file)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

func arguments(out string, more ...string) []string {
	return append([]string{"-version", "v1.2.3", "-revision", "0123abc", "-created", "1767323045", "-license", "../../LICENSE", "-out", out}, more...)
}

func TestImage(t *testing.T) {
	binary := sipgen(t)
	other := filepath.Join(t.TempDir(), "other")
	check(t, os.WriteFile(other, []byte("for another machine"), 0o755))
	foreign := "arm64"
	if runtime.GOARCH == foreign {
		foreign = "amd64"
	}
	platforms := []string{"linux/" + runtime.GOARCH + "=" + binary, "linux/" + foreign + "=" + other}
	folder := filepath.Join(t.TempDir(), "layout")
	var first, told bytes.Buffer
	check(t, run(t.Context(), arguments(folder, platforms...), &first, &told))
	if !strings.Contains(told.String(), "MiB") {
		t.Errorf("no size: %s", &told)
	}

	index := readLayout(t, folder, strings.TrimSpace(first.String()))
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	image := forPlatform(t, index, runtime.GOARCH)
	config, err := image.ConfigFile()
	check(t, err)
	c := config.Config
	if c.User != "65532:65532" || len(c.Entrypoint) != 1 || c.Entrypoint[0] != "/usr/local/bin/sipgen" || config.Architecture != runtime.GOARCH || !config.Created.Equal(time.Unix(1767323045, 0)) {
		t.Errorf("config: %+v", config)
	}
	for key, want := range map[string]string{"version": "v1.2.3", "revision": "0123abc", "created": "2026-01-02T03:04:05Z", "licenses": "Apache-2.0"} {
		if found := c.Labels["org.opencontainers.image."+key]; found != want {
			t.Errorf("label %s: found %q, want %q", key, found, want)
		}
	}
	root := unpack(t, image)
	checkRoot(t, root)
	out, err := exec.Command(filepath.Join(root, "usr/local/bin/sipgen"), "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "sipgen v1.2.3 (") {
		t.Errorf("sipgen version: %v\n%s", err, out)
	}
	if os.Getuid() == 0 {
		checkAsUser(t, root)
	}
}

// TestImageIsReproducible wants one digest for equal content, whatever the files' times and modes are and wherever they are.
func TestImageIsReproducible(t *testing.T) {
	digests := map[string]bool{}
	for i, mode := range []os.FileMode{0o755, 0o600} {
		binary := filepath.Join(t.TempDir(), "binary")
		check(t, os.WriteFile(binary, []byte("any content"), mode))
		check(t, os.Chtimes(binary, time.Time{}, time.Unix(int64(i)*86400, 0)))
		var digest bytes.Buffer
		check(t, run(t.Context(), arguments(filepath.Join(t.TempDir(), "layout"), "linux/amd64="+binary, "linux/arm64="+binary), &digest, io.Discard))
		digests[digest.String()] = true
	}
	if len(digests) != 1 {
		t.Errorf("two builds give %v", digests)
	}
}

// checkAsUser runs sipgen as the image does: with nothing but the image's files, as nobody in particular.
func checkAsUser(t *testing.T, root string) {
	t.Helper()
	check(t, os.CopyFS(filepath.Join(root, "site"), os.DirFS("../../examples/single")))
	render := exec.Command("chroot", "--userspec=65532:65532", root, "/usr/local/bin/sipgen", "render",
		"--site", "/site/site.yaml", "-f", "/site/cluster.yaml", "--inventory", "/site/hosts.yaml", "--out", "/home/nonroot/tree")
	render.Env = []string{"HOME=/home/nonroot"}
	if out, err := render.CombinedOutput(); err != nil {
		t.Errorf("render in the image: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(root, "home/nonroot/tree/PLAN.md")); err != nil {
		t.Error(err)
	}
}

func TestPush(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	binary := filepath.Join(t.TempDir(), "sipgen")
	check(t, os.WriteFile(binary, []byte("any content"), 0o755))
	target := strings.TrimPrefix(server.URL, "http://") + "/fleet/sipgen:v1.2.3"
	var out bytes.Buffer
	check(t, run(t.Context(), arguments(filepath.Join(t.TempDir(), "layout"), "-push", target, "linux/amd64="+binary, "linux/arm64="+binary), &out, io.Discard))
	reference, err := name.ParseReference(target)
	check(t, err)
	pulled, err := remote.Index(reference)
	check(t, err)
	digest, err := pulled.Digest()
	check(t, err)
	if want := strings.TrimSuffix(target, ":v1.2.3") + "@" + digest.String() + "\n"; out.String() != want {
		t.Errorf("printed %q, the registry has %q", &out, want)
	}
	if err := validate.Index(pulled); err != nil {
		t.Error(err)
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
		{"want OS/ARCH=BINARY", arguments(filepath.Join(t.TempDir(), "out"), "sipgen")},
		{"want OS/ARCH=BINARY", arguments(filepath.Join(t.TempDir(), "out"), "linux="+binary)},
		{"no such file", arguments(filepath.Join(t.TempDir(), "out"), "linux/amd64="+binary+"-none")},
		{"is there", arguments(t.TempDir(), "linux/amd64="+binary)},
		{"-push", arguments(filepath.Join(t.TempDir(), "out"), "-push", "no tag", "linux/amd64="+binary)},
	} {
		err := run(context.Background(), row.args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: error %v, want %q", row.args, err, row.want)
		}
	}
}

// readLayout opens the one image of a layout, and wants its digest and name.
func readLayout(t *testing.T, folder, digest string) v1.ImageIndex {
	t.Helper()
	path, err := layout.FromPath(folder)
	check(t, err)
	all, err := path.ImageIndex()
	check(t, err)
	manifest, err := all.IndexManifest()
	check(t, err)
	if n := len(manifest.Manifests); n != 1 {
		t.Fatalf("the layout has %d images, want 1", n)
	}
	entry := manifest.Manifests[0]
	if entry.Digest.String() != digest || entry.Annotations["org.opencontainers.image.ref.name"] != "v1.2.3" {
		t.Errorf("the layout has %s %v, printed was %s", entry.Digest, entry.Annotations, digest)
	}
	index, err := all.ImageIndex(entry.Digest)
	check(t, err)
	return index
}

func forPlatform(t *testing.T, index v1.ImageIndex, architecture string) v1.Image {
	t.Helper()
	manifest, err := index.IndexManifest()
	check(t, err)
	if len(manifest.Manifests) != 2 {
		t.Errorf("%d platforms, want 2", len(manifest.Manifests))
	}
	for _, entry := range manifest.Manifests {
		if entry.Platform.OS == "linux" && entry.Platform.Architecture == architecture {
			image, err := index.Image(entry.Digest)
			check(t, err)
			return image
		}
	}
	t.Fatalf("no linux/%s", architecture)
	return nil
}

// unpack gives the folder that the image's files are in.
func unpack(t *testing.T, image v1.Image) string {
	t.Helper()
	root := t.TempDir()
	check(t, os.Chmod(root, 0o755))
	content := mutate.Extract(image)
	defer content.Close()
	archive := tar.NewReader(content)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return root
		}
		check(t, err)
		target := filepath.Join(root, header.Name)
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(target, 0o755)
		} else {
			var text []byte
			if text, err = io.ReadAll(archive); err == nil {
				err = errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, text, 0o644))
			}
		}
		check(t, err)
		check(t, os.Chmod(target, header.FileInfo().Mode()))
		if os.Getuid() == 0 {
			check(t, os.Chown(target, header.Uid, header.Gid))
		}
	}
}

// checkRoot wants certificates that a program can use, and no shell.
func checkRoot(t *testing.T, root string) {
	t.Helper()
	roots, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	check(t, err)
	if !x509.NewCertPool().AppendCertsFromPEM(roots) || bytes.Count(roots, []byte("-----BEGIN CERTIFICATE-----")) < 100 {
		t.Errorf("ca-certificates.crt: %d certificates", bytes.Count(roots, []byte("-----BEGIN CERTIFICATE-----")))
	}
	err = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil && info.Mode()&0o111 != 0 && entry.Name() != "sipgen" {
				t.Errorf("%s can be executed", path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
