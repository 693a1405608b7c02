package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nonroot is the user and group that sipgen runs as, by number: Kubernetes' runAsNonRoot cannot check a name.
const nonroot = 65532

// about says what the image is. Everything in it has the time created.
type about struct {
	title, description string
	version, revision  string
	created            time.Time
	license            []byte
}

// binary is a static executable for one platform.
type binary struct {
	platform v1.Platform
	content  []byte
}

// build returns an index with one image per binary, in the order given. It depends on its arguments and the modules'
// versions only.
func build(about about, binaries []binary) (v1.ImageIndex, error) {
	about.title, about.description = "sipgen", "hands out bare-metal hosts to tenant Kubernetes clusters, through git"
	base, err := baseLayer(about)
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, binary := range binaries {
		image, err := buildImage(about, base, binary)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", binary.platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image,
			Descriptor: v1.Descriptor{Platform: &binary.platform}})
	}
	annotated, isIndex := mutate.Annotations(index, about.labels()).(v1.ImageIndex)
	if !isIndex {
		return nil, errors.New("annotations made something else of the index")
	}
	return annotated, nil
}

func buildImage(about about, base v1.Layer, binary binary) (v1.Image, error) {
	program, err := layer(about.created, []file{{name: "usr/local/bin/", mode: 0o755},
		{name: "usr/local/bin/sipgen", mode: 0o755, content: binary.content}})
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		Created:      v1.Time{Time: about.created},
		OS:           binary.platform.OS,
		Architecture: binary.platform.Architecture,
		Variant:      binary.platform.Variant,
		RootFS:       v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:       fmt.Sprintf("%d:%d", nonroot, nonroot),
			Entrypoint: []string{"/usr/local/bin/sipgen"},
			WorkingDir: "/home/nonroot",
			Env:        []string{"PATH=/usr/local/bin", "HOME=/home/nonroot"},
			Labels:     about.labels(),
		},
	})
	if err != nil {
		return nil, err
	}
	when := v1.Time{Time: about.created}
	return mutate.Append(image,
		mutate.Addendum{Layer: base, History: v1.History{Created: when, CreatedBy: "root certificates, user, license"}},
		mutate.Addendum{Layer: program, History: v1.History{Created: when, CreatedBy: "sipgen " + about.version}})
}

// labels returns the predefined annotation keys of the OCI image specification.
func (a about) labels() map[string]string {
	const prefix, source = "org.opencontainers.image.", "https://github.com/airshipit/sipgen"
	return map[string]string{
		prefix + "title":         a.title,
		prefix + "description":   a.description,
		prefix + "version":       a.version,
		prefix + "revision":      a.revision,
		prefix + "created":       a.created.Format(time.RFC3339),
		prefix + "source":        source,
		prefix + "documentation": source + "/blob/main/README.md",
		prefix + "licenses":      "Apache-2.0",
	}
}

// baseLayer returns what does not change from release to release.
func baseLayer(about about) (v1.Layer, error) {
	roots, err := rootCertificates()
	if err != nil {
		return nil, err
	}
	return layer(about.created, []file{
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, content: fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", nonroot)},
		{name: "etc/nsswitch.conf", mode: 0o644, content: []byte("hosts: files dns\n")},
		{name: "etc/passwd", mode: 0o644, content: fmt.Appendf(nil,
			"root:x:0:0:root:/:/sbin/nologin\nnonroot:x:%d:%d:sipgen:/home/nonroot:/sbin/nologin\n", nonroot, nonroot)},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, content: roots},
		{name: "home/", mode: 0o755},
		{name: "home/nonroot/", mode: 0o700, owner: nonroot},
		{name: "tmp/", mode: 0o1777},
		{name: "usr/", mode: 0o755},
		{name: "usr/local/", mode: 0o755},
		{name: "usr/share/", mode: 0o755},
		{name: "usr/share/licenses/", mode: 0o755},
		{name: "usr/share/licenses/sipgen", mode: 0o644, content: about.license},
	})
}

// file is an entry of a layer; a name that ends in a slash is a folder's.
type file struct {
	name    string
	mode    int64
	owner   int
	content []byte
	// link is what a symbolic link leads to; empty: it is none.
	link string
}

// layer returns a gzipped tar of files, all of one time.
func layer(when time.Time, files []file) (v1.Layer, error) {
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for _, f := range files {
		kind := byte(tar.TypeReg)
		if f.name[len(f.name)-1] == '/' {
			kind = tar.TypeDir
		}
		if f.link != "" {
			kind = tar.TypeSymlink
			f.mode = 0o777
		}
		header := &tar.Header{Typeflag: kind, Name: f.name, Mode: f.mode, Uid: f.owner, Gid: f.owner,
			Size: int64(len(f.content)), Linkname: f.link, ModTime: when, Format: tar.FormatUSTAR}
		if err := writer.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer),
		tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching)
}
