// Package kustomization reads specs from files and folders. A folder with a kustomization is built by kustomize, as
// for an inventory. Because tenants write specs, a build reads only local files of one owner below the named folder,
// without charts, plugins or remote bases, and is bounded.
package kustomization

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/airshipit/sipgen/internal/manifest"
)

// Read is the result of Of.
type Read struct {
	// Documents of all files, and those that were built. A document that was built has the file, the lines and the fields
	// of the one that it was made from.
	Documents []manifest.Document
	// Beside are documents of files in the folder of a kustomization that no kustomization names: they are not in
	// Documents. Unreadable files are left out.
	Beside []manifest.Document
}

// Of reads files, folders and "-" for stdin, as manifest.Read does, and builds kustomizations: in a named folder and
// below it, each that no other one names is built, and no file next to one is read by itself.
//
// owner returns the owner of a file, by its path in messages; nil for one owner. A kustomization of one owner that
// names a file of another is refused, so it cannot change or hide other owners' specs.
//
// Every problem is reported, joined; a problem of a file or a kustomization is a *manifest.FileError. kustomize keeps
// global state, so Of must not run twice at the same time.
func Of(paths []string, stdin io.Reader, owner func(file string) string) (*Read, error) {
	if owner == nil {
		owner = func(string) string { return "" }
	}
	owner = remembered(owner)
	specs := manifest.Specs.Of(owner)
	specs.Empty = true
	var (
		out     Read
		errs    []error
		folders []*folder
	)
	for _, name := range paths {
		if info, err := os.Stat(name); name == manifest.Stdin || err != nil || !info.IsDir() {
			continue // manifest.Read reports the error
		}
		f, err := open(name, owner)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		defer f.close()
		folders = append(folders, f)
	}
	inside := func(file string) bool {
		return slices.ContainsFunc(folders, func(f *folder) bool { return f.covers(file) })
	}
	docs, err := specs.ReadExcept(paths, stdin, inside)
	out.Documents, errs = docs, append(errs, err)
	built := map[string]bool{}
	for _, f := range folders {
		for _, root := range f.roots() {
			// One folder may be named twice, or lie in another that is named.
			at, err := filepath.Abs(filepath.Join(f.name, filepath.FromSlash(root)))
			if err != nil || built[at] {
				continue
			}
			built[at] = true
			docs, err := f.build(root)
			out.Documents = append(out.Documents, docs...)
			if err != nil {
				errs = append(errs, f.inFile(root, err))
			}
		}
		errs = append(errs, f.circles()...)
		out.Beside = append(out.Beside, f.beside()...)
	}
	return &out, errors.Join(errs...)
}

// remembered asks once for each file: a site may have a thousand tenants with folders.
func remembered(owner func(string) string) func(string) string {
	known := map[string]string{}
	return func(file string) string {
		whose, found := known[file]
		if !found {
			whose = owner(file)
			known[file] = whose
		}
		return whose
	}
}

// open finds the kustomizations in a folder and below it.
func open(name string, owner func(string) string) (*folder, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, manifest.WithoutOperation(name, err)
	}
	f := &folder{name: name, root: root, owner: owner, used: map[string]int64{}, made: map[string]size{},
		kustomizations: map[string]*kustomization{}, read: map[string]bool{}}
	files, err := manifest.Specs.Of(owner).Folder(root, name,
		func(base string) bool { return slices.Contains(konfig.RecognizedKustomizationFileNames(), base) })
	if err != nil {
		f.close()
		return nil, err
	}
	for _, file := range files {
		dir := path.Dir(file)
		k, ok := f.parse(file)
		switch {
		case !ok:
		case f.kustomizations[dir] != nil:
			f.kustomizations[dir].err = errors.New(f.shown(dir) + ": more than one kustomization in this folder, want one")
		default:
			f.kustomizations[dir] = k
		}
	}
	for _, dir := range f.folders() {
		f.resolve(f.kustomizations[dir])
	}
	return f, nil
}

// covers reports whether a file, by its name in messages, is in the folder of a kustomization or below it.
func (f *folder) covers(file string) bool {
	inside, err := filepath.Rel(f.name, file)
	if err != nil || !filepath.IsLocal(inside) {
		return false
	}
	return f.kustomizationOver(filepath.ToSlash(inside)) != ""
}

// kustomizationOver returns the innermost folder with a kustomization of the file's own owner above a file: another
// owner's kustomization does not hide it.
func (f *folder) kustomizationOver(inside string) string {
	whose := f.owner(f.shown(inside))
	for dir := path.Dir(inside); ; dir = path.Dir(dir) {
		if k := f.kustomizations[dir]; k != nil && f.owner(f.shown(k.file)) == whose {
			return dir
		}
		if dir == "." {
			return ""
		}
	}
}

// beside reads the files that no kustomization names.
func (f *folder) beside() []manifest.Document {
	if len(f.kustomizations) == 0 {
		return nil
	}
	files, err := manifest.Specs.Of(f.owner).Folder(f.root, f.name, func(base string) bool {
		return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(base))
	})
	if err != nil {
		return nil // the reader of the rest reports it
	}
	var out []manifest.Document
	for _, file := range files {
		over := f.kustomizationOver(file)
		if f.read[file] || over == "" || f.kustomizations[over].err != nil {
			continue
		}
		text, err := f.text(file)
		if err != nil {
			continue
		}
		docs, _ := limits.Parse(f.shown(file), text) // unreadable files are not inputs
		out = append(out, docs...)
	}
	return out
}

// shown returns a path inside of the folder as messages name it.
func (f *folder) shown(inside string) string {
	return filepath.ToSlash(filepath.Join(f.name, filepath.FromSlash(inside)))
}

func (f *folder) close() { _ = f.root.Close() } // only read

// inFile makes an error one of the kustomization's file, unless it is one of another file already.
func (f *folder) inFile(dir string, err error) error {
	var inFile *manifest.FileError
	if errors.As(err, &inFile) {
		return err
	}
	return &manifest.FileError{File: f.shown(f.kustomizations[dir].file), Err: err}
}

// local returns what is wrong with a reference as a path, "" for nothing.
func local(reference string) string {
	switch {
	case reference == "":
		return "empty, want a file or folder"
	case strings.Contains(reference, "://") || strings.Contains(reference, "?"):
		return "found a remote one, want a file or folder beside it: nothing is fetched"
	case path.IsAbs(reference) || filepath.IsAbs(reference):
		return "found an absolute path, want one relative to the kustomization"
	}
	return ""
}
