// Command image puts sipgen's binaries into a container image, without a container engine: an OCI image layout with an
// image per platform. Equal binaries, version, revision and time give the same digest.
//
//	image -version v1.2.3 -revision SHA -created SECONDS -license FILE -out FOLDER [-push REGISTRY/NAME:TAG] OS/ARCH=BINARY...
//	image -jump-host ... OS/ARCH=ROOT,KUBECTL...   the jump host's image instead, of unpacked packages and kubectl
//	image -print packages                          Debian's suite and packages of the jump host's image
//	image -print dockerfile VERSION                the same image's Dockerfile, with a version of kubectl
//
// It is a module of its own, so that what it needs does not get into sipgen.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var (
		about     about
		created   int64
		license   string
		jump      bool
		show      string
		out, push string
	)
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&about.version, "version", "", "the release")
	flags.StringVar(&about.revision, "revision", "", "the commit")
	flags.Int64Var(&created, "created", -1, "the time of everything in the image, in seconds since 1970")
	flags.BoolVar(&jump, "jump-host", false, "make the jump host's image, of OS/ARCH=ROOT,KUBECTL")
	flags.StringVar(&show, "print", "", "print packages or dockerfile of the jump host's image, and make nothing")
	flags.StringVar(&license, "license", "", "the licenses of sipgen, and of the code in its programs")
	flags.StringVar(&out, "out", "", "the layout's folder, which must not be there yet")
	flags.StringVar(&push, "push", "", "push to this name as well; credentials are those of docker login")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if show != "" {
		return printJumpHost(stdout, show, flags.Args())
	}
	if about.version == "" || about.revision == "" || created < 0 || license == "" || out == "" || flags.NArg() == 0 {
		return errors.New("want -version, -revision, -created, -license, -out, and OS/ARCH=BINARY")
	}
	about.created = time.Unix(created, 0).UTC()
	var (
		target name.Reference
		err    error
	)
	if push != "" {
		if target, err = name.ParseReference(push, name.StrictValidation); err != nil {
			return fmt.Errorf("-push: %w", err)
		}
	}
	if about.license, err = os.ReadFile(license); err != nil {
		return err
	}
	index, err := makeIndex(about, jump, flags.Args())
	if err != nil {
		return err
	}
	if err := writeLayout(out, index, about.version); err != nil {
		return err
	}
	if err := describe(stderr, index); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	if target == nil {
		fmt.Fprintln(stdout, digest)
		return nil
	}
	if err := remote.WriteIndex(target, index, remote.WithContext(ctx),
		remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return fmt.Errorf("push to %s: %w", target, err)
	}
	fmt.Fprintf(stdout, "%s@%s\n", target.Context(), digest)
	return nil
}

// printJumpHost prints the packages or the Dockerfile of the jump host's image.
func printJumpHost(stdout io.Writer, show string, args []string) error {
	text, err := "", error(nil)
	switch {
	case show == "packages" && len(args) == 0:
		text = jumpHost.packages()
	case show == "dockerfile" && len(args) == 1 && args[0] != "":
		text, err = jumpHost.dockerfile(args[0])
	default:
		err = fmt.Errorf("-print: found %q, want packages, or dockerfile and kubectl's version",
			append([]string{show}, args...))
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, text)
	return err
}

// makeIndex returns sipgen's image or the jump host's.
func makeIndex(about about, jump bool, args []string) (v1.ImageIndex, error) {
	if jump {
		return jumpIndex(about, jumpHost, args)
	}
	binaries, err := readBinaries(args)
	if err != nil {
		return nil, err
	}
	return build(about, binaries)
}

// readBinaries reads "OS/ARCH=FILE", in the order given.
func readBinaries(args []string) ([]binary, error) {
	var binaries []binary
	for _, arg := range args {
		text, file, found := strings.Cut(arg, "=")
		platform, err := v1.ParsePlatform(text)
		if !found || err != nil || platform.OS == "" || platform.Architecture == "" {
			return nil, fmt.Errorf("found %q, want OS/ARCH=BINARY", arg)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		binaries = append(binaries, binary{platform: *platform, content: content})
	}
	return binaries, nil
}

// writeLayout writes an OCI image layout whose index.json names the image by its version, which is what docker buildx,
// skopeo and crane expect.
func writeLayout(folder string, index v1.ImageIndex, version string) error {
	if _, err := os.Lstat(folder); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: is there, want a folder that is not: %w", folder, errors.Join(err, os.ErrExist))
	}
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	return path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version}))
}

// describe says each platform's digest and size as it is pulled.
func describe(w io.Writer, index v1.ImageIndex) error {
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, entry := range manifest.Manifests {
		image, err := index.Image(entry.Digest)
		if err != nil {
			return err
		}
		layers, err := image.Layers()
		if err != nil {
			return err
		}
		var size int64
		for _, layer := range layers {
			n, err := layer.Size()
			if err != nil {
				return err
			}
			size += n
		}
		fmt.Fprintf(w, "%s: %s, %.1f MiB compressed\n", entry.Platform, entry.Digest, float64(size)/(1<<20))
	}
	return nil
}
