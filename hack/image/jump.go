package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// jumpIndex returns an index with one image per argument "OS/ARCH=ROOT,KUBECTL": a folder with unpacked packages, and
// a binary.
func jumpIndex(about about, d description, args []string) (v1.ImageIndex, error) {
	about.title, about.description = "jump-host", "sshd, kubectl and a Redfish client, for the jump hosts that sipgen renders"
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arg := range args {
		text, rest, _ := strings.Cut(arg, "=")
		root, kubectl, found := strings.Cut(rest, ",")
		platform, err := v1.ParsePlatform(text)
		if !found || err != nil || platform.OS == "" || platform.Architecture == "" {
			return nil, fmt.Errorf("found %q, want OS/ARCH=ROOT,KUBECTL", arg)
		}
		made, err := madeByScripts(root, d)
		if err != nil {
			return nil, err
		}
		image, err := jumpImage(about, d, *platform, root, kubectl, made)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image,
			Descriptor: v1.Descriptor{Platform: platform}})
	}
	annotated, isIndex := mutate.Annotations(index, about.labels()).(v1.ImageIndex)
	if !isIndex {
		return nil, errors.New("annotations made something else of the index")
	}
	return annotated, nil
}

func jumpImage(about about, d description, platform v1.Platform, root, kubectl string, made []file) (v1.Image, error) {
	program, err := os.ReadFile(kubectl)
	if err != nil {
		return nil, err
	}
	packages, err := folderLayer(about, root)
	if err != nil {
		return nil, err
	}
	made = append(made,
		file{name: "opt/sip/", mode: 0o755},
		file{name: "usr/local/bin/", mode: 0o755},
		file{name: strings.TrimPrefix(d.Link, "/"), link: d.Target},
		file{name: strings.TrimPrefix(d.Kubectl, "/"), mode: 0o755, content: program},
		file{name: "usr/share/licenses/", mode: 0o755},
		file{name: "usr/share/licenses/sipgen", mode: 0o644, content: about.license})
	ours, err := layer(about.created, made)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		Created: v1.Time{Time: about.created}, OS: platform.OS, Architecture: platform.Architecture,
		Variant: platform.Variant,
		RootFS:  v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: fmt.Sprintf("%d:%d", d.ID, d.ID), Cmd: d.Cmd, Labels: about.labels(),
			ExposedPorts: map[string]struct{}{fmt.Sprintf("%d/tcp", d.Port): {}},
			Env:          []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		},
	})
	if err != nil {
		return nil, err
	}
	when := v1.Time{Time: about.created}
	return mutate.Append(image,
		mutate.Addendum{Layer: packages, History: v1.History{Created: when, CreatedBy: "packages of Debian"}},
		mutate.Addendum{Layer: ours, History: v1.History{Created: when,
			CreatedBy: "users, root certificates, kubectl"}})
}

// madeByScripts returns the files that Debian's maintainers' scripts make, which were not run.
func madeByScripts(root string, d description) ([]file, error) {
	var errs []error
	read := func(path ...string) string {
		content, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
		errs = append(errs, err)
		return string(content)
	}
	passwd, group, shadow := d.account()
	passwd = read("usr/share/base-passwd/passwd.master") + "sshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n" + passwd
	group = read("usr/share/base-passwd/group.master") + group
	profile := read("usr/share/base-files/profile")
	// ca-certificates trusts all of them unless told otherwise.
	var trusted bytes.Buffer
	certificates, err := filepath.Glob(filepath.Join(root, "usr", "share", "ca-certificates", "mozilla", "*.crt"))
	errs = append(errs, err)
	slices.Sort(certificates)
	for _, path := range certificates {
		content, err := os.ReadFile(path)
		errs = append(errs, err)
		trusted.Write(bytes.TrimSpace(content))
		trusted.WriteString("\n")
	}
	if len(certificates) == 0 {
		errs = append(errs, fmt.Errorf("%s: no certificates", root))
	}
	for line := range strings.Lines(passwd) {
		if name, _, _ := strings.Cut(line, ":"); !strings.HasPrefix(shadow, name+":") {
			shadow += name + ":*::0:99999:7:::\n"
		}
	}
	return []file{
		{name: "etc/group", mode: 0o644, content: []byte(group)},
		{name: "etc/hosts", mode: 0o644},
		{name: "etc/nsswitch.conf", mode: 0o644,
			content: []byte("passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n")},
		{name: "etc/passwd", mode: 0o644, content: []byte(passwd)},
		{name: "etc/profile", mode: 0o644, content: []byte(profile)},
		{name: "etc/resolv.conf", mode: 0o644},
		{name: "etc/shadow", mode: 0o600, content: []byte(shadow)},
		{name: "etc/shells", mode: 0o644, content: []byte("/bin/sh\n/bin/bash\n")},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, content: trusted.Bytes()},
		{name: "usr/bin/awk", link: "mawk"},
	}, errors.Join(errs...)
}

// unneeded are paths in packages that nothing in a container reads. Licenses stay: Debian has them in copyright.
func unneeded(name string) bool {
	if of, ok := strings.CutPrefix(name, "usr/share/doc/"); ok { // a package's folder, or a link to another's
		_, file, inside := strings.Cut(of, "/")
		return inside && file != "copyright"
	}
	return slices.ContainsFunc([]string{"usr/share/info", "usr/share/locale", "usr/share/man"},
		func(folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") })
}

// folderLayer returns a layer of a folder's files, all of root and of one time. Nothing in it can become another user.
func folderLayer(about about, root string) (v1.Layer, error) {
	write := func(out io.Writer) error {
		buffered := bufio.NewWriter(out)
		writer := tar.NewWriter(buffered)
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || path == root {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil || unneeded(name) {
				return err
			}
			return addFile(writer, about, path, name, entry)
		})
		return errors.Join(err, writer.Close(), buffered.Flush())
	}
	if err := write(io.Discard); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) {
		reader, writer := io.Pipe()
		go func() { writer.CloseWithError(write(writer)) }()
		return reader, nil
	}
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}

func addFile(writer *tar.Writer, about about, path, name string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	header := &tar.Header{Name: name, ModTime: about.created, Mode: int64(info.Mode().Perm()), Format: tar.FormatPAX}
	switch {
	case entry.IsDir():
		header.Typeflag, header.Name = tar.TypeDir, name+"/"
		if name == "tmp" || name == "var/tmp" {
			header.Mode = 0o1777
		}
	case entry.Type() == fs.ModeSymlink:
		header.Typeflag = tar.TypeSymlink
		if header.Linkname, err = os.Readlink(path); err != nil {
			return err
		}
	case entry.Type().IsRegular():
		header.Typeflag, header.Size = tar.TypeReg, info.Size()
	default:
		return fmt.Errorf("%s: is no file, folder or link", path)
	}
	if err := writer.WriteHeader(header); err != nil || header.Typeflag != tar.TypeReg {
		return err
	}
	content, err := os.Open(path)
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = io.Copy(writer, content)
	return err
}
