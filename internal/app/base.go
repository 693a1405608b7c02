package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/tenancy"
)

// specsBase is the folder that spec.tenants[].specs are relative to.
type specsBase struct {
	// folder is its absolute path, empty for none.
	folder string
	// stdin: the specs include standard input.
	stdin bool
	// here names the folder in messages, inTree in the tree, without paths of this machine.
	here, inTree string
}

// path returns a file as package tenancy names it: relative to the base, with slashes. For standard input it is "-",
// and empty for a spec from the cluster. A file outside the base begins with "..".
func (b *specsBase) path(file string) string {
	switch {
	case file == "stdin" && b.stdin:
		return v1alpha1.SpecsFromStdin
	case file == "" || b.folder == "":
		return ""
	}
	return pathBelow(b.folder, file)
}

// baseOf returns the base for specs: the common folder of the Site's spec.inputs.specs, so that it is the same for a
// part of them. If the Site names none, or all given paths are others, it is that of the given paths.
func (in *Inputs) baseOf(site *v1alpha1.Site, given []string) (*specsBase, error) {
	b := &specsBase{stdin: slices.Contains(given, manifest.Stdin)}
	files := slices.DeleteFunc(slices.Clone(given), func(path string) bool { return path == manifest.Stdin })
	if len(files) == 0 {
		return b, nil
	}
	var named, owned []string
	if site != nil {
		for _, path := range site.Spec.Inputs.Specs {
			if path != FromCluster {
				named = append(named, in.Beside(path))
			}
		}
		for i := range site.Spec.Tenants {
			owned = append(owned, site.Spec.Tenants[i].Specs...)
		}
	}
	if common := commonFolder(named); len(named) > 0 {
		outside := slices.DeleteFunc(slices.Clone(files), func(file string) bool {
			return liesIn(common, file) || !There(file) // its reader reports the error
		})
		if len(outside) == 0 || len(outside) < len(files) && len(owned) > 0 {
			b.folder = common
			b.inTree = "below " + in.shown(common) + ", the common folder of the Site's spec.inputs.specs"
			b.here = b.inTree
			return b, errors.Join(in.outside(b, outside), in.moved(site, b, named, "spec.inputs.specs"))
		}
	}
	b.folder = commonFolder(files)
	err := in.walkUp(site, b, files)
	b.inTree = "below the common folder of --filename"
	b.here = "below " + inWorkingFolder(b.folder) + ", the common folder of --filename"
	return b, errors.Join(err, in.moved(site, b, files, "--filename"))
}

// outside refuses specs that are not below the base of the Site, among others that are: they would move the base.
func (in *Inputs) outside(b *specsBase, files []string) error {
	var errs []error
	for _, file := range files {
		errs = append(errs, redact.Errorf("--filename: %s: not %s (%s), which spec.tenants[].specs are relative to: "+
			"want all files there, or none", file, b.here, in.Site))
	}
	return errors.Join(errs...)
}

// moved refuses folders of tenants that are not below the base, and are below one of the folders that it is made of:
// another one moved the base. A folder in what may be a tenant's proves nothing: the tenant may have made it.
func (in *Inputs) moved(site *v1alpha1.Site, b *specsBase, named []string, by string) error {
	if site == nil {
		return nil
	}
	var errs []error
	for i := range site.Spec.Tenants {
		for j, folder := range site.Spec.Tenants[i].Specs {
			if folder == v1alpha1.SpecsFromStdin || exists(filepath.Join(b.folder, folder)) {
				continue
			}
			for _, root := range named {
				at := filepath.Join(root, folder)
				if !exists(at) {
					continue
				}
				if owned, _ := in.foldersOver(site, root); len(owned) == 0 {
					errs = append(errs, redact.Errorf("%s: spec.tenants[%d].specs[%d]: found %q, and nothing of that name %s; "+
						"want %q: another folder of %s moves the common one", in.Site, i, j, folder, b.here, b.path(at), by))
					break
				}
			}
		}
	}
	return errors.Join(errs...)
}

// walkUp moves the base up, so that the given files are in a tenant's folder, but not out of the Site's folder or the
// working folder: a part of the specs may be given. It stays where the given folder has a tenant's folder.
func (in *Inputs) walkUp(site *v1alpha1.Site, b *specsBase, files []string) error {
	if site == nil {
		return nil
	}
	probe, _ := filepath.Abs(files[0])
	if len(files) > 1 || isFolder(probe) {
		probe = b.folder
		for i := range site.Spec.Tenants {
			if slices.ContainsFunc(site.Spec.Tenants[i].Specs,
				func(folder string) bool { return exists(filepath.Join(probe, folder)) }) {
				return nil
			}
		}
	}
	found, bases := in.foldersOver(site, probe)
	if len(found) == 0 {
		return nil
	}
	b.folder = bases[0]
	for i, folder := range found {
		if ownerOfFolder(site, folder) != ownerOfFolder(site, found[0]) {
			return redact.Errorf("--filename: %s: in %s below %s, and in %s below %s, folders of two tenants "+
				"(spec.tenants[].specs): want spec.inputs.specs in the Site, which says what they are relative to",
				files[0], found[0], inWorkingFolder(bases[0]), folder, inWorkingFolder(bases[i]))
		}
	}
	return nil
}

// foldersOver returns the tenants' folders that a path may be in, and for each the base that makes it so, innermost
// first.
func (in *Inputs) foldersOver(site *v1alpha1.Site, path string) (folders, bases []string) {
	path, _ = filepath.Abs(path)
	top := filepath.VolumeName(path) + string(filepath.Separator)
	for _, folder := range []string{".", filepath.Dir(in.Site)} {
		if abs, err := filepath.Abs(folder); err == nil && in.Site != manifest.Stdin && liesIn(abs, path) {
			top = abs
		}
	}
	for at := path; at != top && at != filepath.Dir(at); {
		at = filepath.Dir(at)
		if folder := tenancy.Folder(site, pathBelow(at, path)); folder != "" {
			folders, bases = append(folders, folder), append(bases, at)
		}
	}
	return folders, bases
}

func ownerOfFolder(site *v1alpha1.Site, folder string) int {
	return slices.IndexFunc(site.Spec.Tenants,
		func(t v1alpha1.Tenant) bool { return slices.Contains(t.Specs, folder) })
}

// commonFolder returns the absolute path of the innermost folder of all paths. A file counts as its folder.
func commonFolder(paths []string) string {
	common := ""
	for i, path := range paths {
		folder, err := filepath.Abs(path)
		if err != nil {
			return ""
		}
		if info, err := os.Stat(folder); err == nil && !info.IsDir() {
			folder = filepath.Dir(folder)
		}
		if i == 0 {
			common = folder
		}
		for !liesIn(common, folder) {
			common = filepath.Dir(common)
		}
	}
	return common
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// pathBelow returns a path relative to a folder, with slashes.
func pathBelow(folder, path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rest, err := filepath.Rel(folder, abs)
	if err != nil {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rest)
}

// liesIn reports whether a path is a folder or in it.
func liesIn(folder, path string) bool {
	rest := pathBelow(folder, path)
	return rest != ".." && !strings.HasPrefix(rest, "../")
}

// shown names a folder as it is from the Site's file, on every machine.
func (in *Inputs) shown(folder string) string {
	from, err := filepath.Abs(filepath.Dir(in.Site))
	if in.Site == manifest.Stdin {
		from, err = filepath.Abs(".")
	}
	if err != nil {
		return folder
	}
	if path := pathBelow(from, folder); path != "." {
		return path
	}
	return "the Site's folder"
}

// inWorkingFolder names a folder as it is from the working folder, if it is in it.
func inWorkingFolder(folder string) string {
	if here, err := filepath.Abs("."); err == nil && liesIn(here, folder) {
		if path := pathBelow(here, folder); path != "." {
			return path
		}
		return "the current folder"
	}
	return folder
}
