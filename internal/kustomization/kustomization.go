// Package kustomization reads manifests of specs and of hosts. A named folder with a kustomization is read as kustomize
// builds it: from local files, without programs, within bounds, and never from files that a tenant writes.
package kustomization

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/airshipit/sipgen/internal/manifest"
)

// Hosts reads files, folders and "-" as manifest.Inventory does, and builds each folder among them that has a
// kustomization: its other files are not read. A kustomization below a named folder is an error: its hosts are other
// ones than those in its files. The document of a built object has the name of the file that the object
// is from, and no line. Problems of one file are *manifest.FileErrors, all are joined. kustomize keeps global state, so
// only one call may run at a time, and none after a build that takes too long, which ends all.
func Hosts(paths []string, stdin io.Reader) ([]manifest.Document, error) {
	built, written, err := read(manifest.Inventory, paths, stdin, func(string) string { return "" })
	errs := []error{err}
	for i := range written {
		if d := &written[i]; isBelow(d, paths) {
			errs = append(errs, &manifest.FileError{File: d.File, Err: fmt.Errorf("%s: %w", d.File, errHostsNotBuilt)})
		}
	}
	return append(built, written...), errors.Join(errs...)
}

var errHostsNotBuilt = errors.New("not built: want the output of kubectl kustomize in its place, or a kustomization in " +
	"the named folder that has this one among its resources")

// isBelow reports whether a document is a kustomization in a folder that is not among the named paths.
func isBelow(d *manifest.Document, paths []string) bool {
	return slices.Contains(names, filepath.Base(d.File)) && !anotherTools(d) && !slices.Contains(paths, d.File) &&
		!slices.ContainsFunc(paths, func(path string) bool { return filepath.Clean(path) == filepath.Dir(d.File) })
}

// Specs is Hosts for specs. A kustomization below a named folder is refused, and the files of its folder are left out,
// because the specs that it makes of them are other ones. owner returns the tenant's folder of a file, by its name in
// messages, "" for none; nil for no tenants. No kustomization in a tenant's folder is built, and none reads a file
// there.
func Specs(paths []string, stdin io.Reader, owner func(file string) string) ([]manifest.Document, error) {
	known := map[string]string{} // a site may have a thousand tenants with folders
	remembered := func(file string) string {
		whose, found := known[file]
		if !found && owner != nil {
			whose = owner(file)
			known[file] = whose
		}
		return whose
	}
	built, written, err := read(manifest.Specs, paths, stdin, remembered)
	written, err = leaveOut(written, err, paths, remembered)
	return append(built, written...), err
}

// Is reports whether a path is a folder with a kustomization.
func Is(folder string) bool { return find(manifest.Specs, filepath.Clean(folder)) != "" }

// IsFile reports whether a path is named as the file of a kustomization is.
func IsFile(path string) bool { return slices.Contains(names, filepath.Base(path)) }

// Site builds the kustomization of a folder, within the bounds of Specs, and returns the files that were read for it.
// The documents have the name of the kustomization's file: many sites may share one base, and a message has to name the
// site.
func Site(folder string) (docs []manifest.Document, files []string, err error) {
	folder = filepath.Clean(folder)
	file := find(manifest.Specs, folder)
	docs, err = build(manifest.Specs, folder, file, func(file string) string {
		files = append(files, file)
		return ""
	})
	for i := range docs {
		docs[i].File = file
	}
	return docs, files, err
}

func read(limits manifest.Limits, paths []string, stdin io.Reader,
	owner func(string) string) (built, written []manifest.Document, err error) {
	limits.Empty = true
	var (
		others []string
		errs   []error
		known  = map[string]bool{}
	)
	for _, path := range paths {
		folder := filepath.Clean(path)
		file := find(limits, folder)
		if file == "" {
			others = append(others, path)
		} else if !known[folder] {
			known[folder] = true
			docs, err := build(limits, folder, file, owner)
			built = append(built, docs...)
			if errors.Is(err, errTooLong) {
				return nil, nil, err
			}
			if err != nil {
				errs = append(errs, &manifest.FileError{File: file, Err: err})
			}
		}
	}
	written, err = limits.Of(owner).Read(others, stdin)
	return built, written, errors.Join(append(errs, err)...)
}

// names are those of a kustomization's file.
var names = konfig.RecognizedKustomizationFileNames()

// anotherTools reports whether a file with a kustomization's name has an object of another tool, such as Flux.
func anotherTools(d *manifest.Document) bool {
	return d.APIVersion != "" && !strings.HasPrefix(d.APIVersion, "kustomize.config.k8s.io/")
}

// find returns the kustomization of a folder, "" for none.
func find(limits manifest.Limits, folder string) string {
	for _, name := range names {
		file := filepath.ToSlash(filepath.Join(folder, name))
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			continue
		}
		text, _ := limits.ReadFile(file) // the build reports the error
		if docs, _ := limits.Parse(file, text); len(docs) != 1 || !anotherTools(&docs[0]) {
			return file
		}
	}
	return ""
}

var errNotBuilt = errors.New("not built: want the output of kubectl kustomize in its place, or, without tenants' " +
	"files, its folder in -f or the Site's spec.inputs.specs")

// leaveOut leaves out the files in folders with a kustomization, but for files that are named or have another owner.
// Each such kustomization is an error beside those of err, but for those in named folders, which are built.
func leaveOut(documents []manifest.Document, err error, paths []string,
	owner func(string) string) ([]manifest.Document, error) {
	over := map[string]string{} // the owner of a folder's kustomization
	covers := func(file string) bool {
		if !slices.Contains(names, filepath.Base(file)) || slices.Contains(paths, file) {
			return false
		}
		over[filepath.Dir(file)] = owner(file)
		return true
	}
	errs := []error{err}
	for _, err := range manifest.Split(err) {
		var inFile *manifest.FileError
		if errors.As(err, &inFile) {
			covers(inFile.File) // and its error is there
		}
	}
	for i := range documents {
		d := &documents[i]
		if !anotherTools(d) && covers(d.File) && isBelow(d, paths) {
			errs = append(errs, &manifest.FileError{File: d.File, Err: fmt.Errorf("%s: %w", d.File, errNotBuilt)})
		}
	}
	return slices.DeleteFunc(documents, func(d manifest.Document) bool {
		at, is := d.File, false
		for len(over) > 0 && !is && at != filepath.Dir(at) && !slices.Contains(paths, d.File) {
			at = filepath.Dir(at)
			whose, has := over[at]
			is = has && whose == owner(d.File)
		}
		return is
	}), errors.Join(errs...)
}
