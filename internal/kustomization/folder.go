//lint:file-ignore SA1019 people's files have the fields that kustomize calls deprecated, and kustomize builds them

package kustomization

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	kustomize "sigs.k8s.io/kustomize/api/types"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

const (
	// tenantRead is how many bytes are read for the builds of one tenant, ownRead for those outside of tenants'
	// folders.
	tenantRead, ownRead = 6 << 20, 64 << 20
	// maxLevels of kustomizations that name one another.
	maxLevels = 32
	// maxUnknown is how many refused fields of a kustomization are named.
	maxUnknown = 20
)

// limits of one file.
var limits = manifest.Limits{File: maxBuilt, Total: ownRead, Files: 20_000, Documents: maxObjects, Depth: 100,
	Aliases: 1 << 20}

// folder is one that was named, with the kustomizations in it.
type folder struct {
	name  string
	root  *os.Root
	owner func(file string) string
	// used counts the bytes read and built, by owner, so that one tenant's use takes nothing from another's.
	used map[string]int64
	made map[string]size
	// kustomizations by the folder that they are in, relative to this one.
	kustomizations map[string]*kustomization
	// read are the files that some kustomization names.
	read map[string]bool
}

// kustomization is one file of that name.
type kustomization struct {
	dir, file string
	text      []byte
	document  manifest.Document
	component bool
	// bases are the folders of the kustomizations that it names, resources and others its files, patches its patches.
	bases     []string
	resources []string
	others    map[string][]byte
	patches   []patch
	layer     layer
	generated size
	err       error
}

// patch is the size of a patch for the bounds.
type patch struct {
	// one: it names the object that it is for.
	one   bool
	bytes int
}

// folders returns those of kustomizations, sorted.
func (f *folder) folders() []string { return slices.Sorted(maps.Keys(f.kustomizations)) }

// roots returns the kustomizations that no other one names, but for components, which are nothing by themselves.
func (f *folder) roots() []string {
	named := map[string]bool{}
	for _, k := range f.kustomizations {
		for _, base := range k.bases {
			named[base] = true
		}
	}
	return slices.DeleteFunc(f.folders(), func(dir string) bool { return named[dir] || f.kustomizations[dir].component })
}

// circles complains about kustomizations that no root reaches, because they name one another: no build would read
// them, and the hosts of their clusters would be released.
func (f *folder) circles() []error {
	reached := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if !reached[dir] && f.kustomizations[dir] != nil {
			reached[dir] = true
			for _, base := range f.kustomizations[dir].bases {
				visit(base)
			}
		}
	}
	for _, root := range f.roots() {
		visit(root)
	}
	var errs []error
	for _, dir := range f.folders() {
		if k := f.kustomizations[dir]; !reached[dir] && !k.component {
			errs = append(errs, f.inFile(dir, k.document.Problem("", "kustomizations that name one another in a circle")))
		}
	}
	return errs
}

// fields are the allowed fields of a kustomization of specs. The others fetch, run programs, or copy between objects
// without a bound.
var fields = []string{
	"apiVersion", "kind", "metadata", "resources", "bases", "components", "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels",
	"commonAnnotations", "patches", "patchesStrategicMerge", "patchesJson6902", "images", "replicas", "configMapGenerator", "secretGenerator",
	"generatorOptions", "buildMetadata", "sortOptions",
}

// parse reads a file called kustomization.yaml. is: it is kustomize's, and not some other tool's object in a file of
// that name.
func (f *folder) parse(file string) (k *kustomization, is bool) {
	k = &kustomization{dir: path.Dir(file), file: file, others: map[string][]byte{}}
	f.read[file] = true
	text, err := f.text(file)
	if err != nil {
		k.err = err
		return k, true
	}
	k.text = text
	docs, err := limits.Parse(f.shown(file), text)
	switch {
	case err != nil:
		k.err = err
		return k, true
	case len(docs) != 1:
		k.err = fmt.Errorf("%s: found %d documents, want one kustomization", f.shown(file), len(docs))
		return k, true
	case docs[0].APIVersion != "" && !strings.HasPrefix(docs[0].APIVersion, "kustomize.config.k8s.io/"):
		delete(f.read, file)
		return nil, false
	}
	k.document, k.component = docs[0], docs[0].Kind == kustomize.ComponentKind
	return k, true
}

// resolve finds the files and folders that a kustomization names. It collects all that is wrong in err.
func (f *folder) resolve(k *kustomization) {
	if k.err != nil {
		return
	}
	var problems manifest.Problems
	bad := func(field, format string, args ...any) { problems.Add(k.document.Problem(field, format, args...)) }
	var has map[string]json.RawMessage
	if err := k.document.DecodeLoose(&has); err != nil {
		k.err = err
		return
	}
	unknown := 0
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if !slices.Contains(fields, name) {
			if unknown++; unknown <= maxUnknown {
				problems.Add(notBuilt(&k.document, name))
			}
		}
	}
	if unknown > maxUnknown {
		bad("", "%d more fields that are not built for specs", unknown-maxUnknown)
	}
	if problems.Err() != nil { // kustomize's own words on the rest quote values
		k.err = problems.Err()
		return
	}
	var content kustomize.Kustomization
	if content.Unmarshal(k.text) != nil {
		k.err = k.document.Problem("", "kustomize does not read it; kubectl kustomize %s shows why", f.shown(k.dir))
		return
	}
	r := &references{folder: f, of: k, bad: bad}
	for _, list := range []struct {
		name    string
		entries []string
	}{{"resources", content.Resources}, {"bases", content.Bases}, {"components", content.Components}} {
		for i, entry := range list.entries {
			r.resource(fmt.Sprintf("%s[%d]", list.name, i), entry)
		}
	}
	k.layer, k.generated = layerOf(&content)
	slices.Sort(k.resources)
	slices.Sort(k.bases)
	r.patches(&content)
	r.generators(&content)
	k.err = problems.Err()
}

// notBuilt complains about a field. An invalid name is not repeated: it may be a secret, or as long as the file.
func notBuilt(document *manifest.Document, name string) error {
	err := document.Problem(name, "not built for specs, want one of %s", strings.Join(fields, ", "))
	var problem *manifest.Problem
	if errors.As(err, &problem) {
		problem.Field = redact.Plain(name)
	}
	return err
}

// references are the files and folders that a kustomization names.
type references struct {
	folder *folder
	of     *kustomization
	bad    func(field, format string, args ...any)
	// spent: the error about too much to read was reported.
	spent bool
}

// find returns the path in the folder of what a kustomization names, "" if it may not name it.
func (r *references) find(field, reference string) (inside string, info fs.FileInfo) {
	f := r.folder
	if problem := local(reference); problem != "" {
		r.bad(field, "%s", problem)
		return "", nil
	}
	inside = path.Join(r.of.dir, reference)
	if !filepath.IsLocal(filepath.FromSlash(inside)) {
		r.bad(field, "leads out of %s: want a file or folder in it", filepath.ToSlash(f.name))
		return "", nil
	}
	info, err := f.root.Stat(filepath.FromSlash(inside))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.bad(field, "no such file or folder below %s; nothing is fetched", filepath.ToSlash(f.name))
		return "", nil
	case err != nil:
		r.bad(field, "not readable, or a link that leads out of %s", filepath.ToSlash(f.name))
		return "", nil
	case !f.sameOwner(r.of.file, inside, info.IsDir()):
		r.bad(field, "belongs to another tenant's folder than this kustomization: want one kustomization in each tenant's folder")
		return "", nil
	}
	return inside, info
}

// sameOwner reports whether the target of a reference, or of a link, has the same owner as the kustomization.
func (f *folder) sameOwner(file, inside string, isFolder bool) bool {
	whose := f.owner(f.shown(file))
	if isFolder {
		inside = path.Join(inside, "kustomization.yaml")
	}
	if f.owner(f.shown(inside)) != whose {
		return false
	}
	top, err := filepath.EvalSymlinks(f.name)
	if err != nil {
		return false
	}
	real := filepath.Join(f.name, filepath.FromSlash(inside))
	if isFolder {
		real = filepath.Dir(real)
	}
	if real, err = filepath.EvalSymlinks(real); err != nil {
		return false
	}
	if isFolder {
		real = filepath.Join(real, "kustomization.yaml")
	}
	really, err := filepath.Rel(top, real)
	return err == nil && filepath.IsLocal(really) && f.owner(f.shown(filepath.ToSlash(really))) == whose
}

// resource notes a file of objects, or another kustomization.
func (r *references) resource(field, reference string) {
	inside, info := r.find(field, reference)
	switch {
	case inside == "":
	case !info.IsDir():
		r.of.resources = append(r.of.resources, inside)
		r.folder.read[inside] = true
	case r.folder.kustomizations[inside] == nil:
		r.bad(field, "a folder without a kustomization, want a file, or a folder with one")
	default:
		r.of.bases = append(r.of.bases, inside)
	}
}

// errSpent is the error for files of an owner beyond the limit.
var errSpent = errors.New("with this file more is read for its owner's kustomizations than may be")

// text reads one file.
func (f *folder) text(inside string) ([]byte, error) {
	whose, most := f.owner(f.shown(inside)), int64(tenantRead)
	if whose == "" {
		most = ownRead
	}
	spent := fmt.Errorf("%s: %w: want at most %d MiB", f.shown(inside), errSpent, most>>20)
	if f.used[whose] > most {
		return nil, spent
	}
	text, err := limits.ReadFileIn(f.root, f.name, inside)
	if f.used[whose] += int64(len(text)); err == nil && f.used[whose] > most {
		return nil, spent
	}
	return text, err
}
