package kustomization

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/airshipit/sipgen/internal/manifest"
)

// originKey is an annotation that an object has while it is built: the number of the document that it was made from. A
// patch that changes it changes which lines a message names, of files of the same owner.
const originKey = "sipgen-document"

// build returns the objects that kustomize builds from one kustomization. It reads from memory, where there is
// nothing but the files that were found to be named.
func (f *folder) build(dir string) ([]manifest.Document, error) {
	b := &build{folder: f, disk: filesys.MakeFsInMemory(), done: map[string]size{}}
	k := f.kustomizations[dir]
	whose, builds := f.owner(f.shown(k.file)), tenantBuilds
	if whose == "" {
		builds = ownBuilds
	}
	if k.err == nil && f.made[whose].beyond(builds) {
		return nil, tooManyBuilds(&k.document)
	}
	made, err := b.add(dir, 0)
	if err != nil {
		return nil, err
	}
	f.made[whose] = f.made[whose].plus(made)
	built, err := run(b.disk, path.Join("/", dir))
	if err != nil {
		shown := f.shown(dir)
		return nil, fmt.Errorf("%s: kustomize: the folder does not build; kubectl kustomize %s shows why", shown, shown)
	}
	var docs []manifest.Document
	for _, r := range built.Resources() {
		annotations := r.GetAnnotations()
		from := f.kustomizations[dir].document
		if n, err := strconv.Atoi(annotations[originKey]); err == nil && n >= 0 && n < len(b.documents) {
			from = b.documents[n]
		}
		delete(annotations, originKey)
		if err := r.SetAnnotations(annotations); err != nil {
			return nil, errors.New(f.shown(dir) + ": kustomize: an object that it built has no annotations")
		}
		text, err := r.MarshalJSON()
		if err != nil {
			return nil, errors.New(f.shown(dir) + ": kustomize: what it built is no JSON")
		}
		docs = append(docs, from.Built(text, f.shown(f.kustomizations[dir].file)))
	}
	return docs, nil
}

// run builds. A panic of kustomize, which some inputs cause, is an error. Its warnings on stderr about deprecated
// fields are dropped.
func run(disk filesys.FileSystem, at string) (built resmap.ResMap, err error) {
	stderr := os.Stderr
	if nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = nowhere
		defer func() {
			os.Stderr = stderr
			_ = nowhere.Close() // nothing is in it
		}()
	}
	defer func() {
		if recover() != nil {
			err = errors.New("kustomize panics")
		}
	}()
	return krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, at)
}

// build is one build under way.
type build struct {
	folder    *folder
	disk      filesys.FileSystem
	documents []manifest.Document
	// done are the sizes of built kustomizations; negative while one is under way.
	done map[string]size
}

// add loads a kustomization and what it names, once each, and returns the size of the result.
func (b *build) add(dir string, level int) (size, error) {
	k := b.folder.kustomizations[dir]
	if k.err != nil {
		return size{}, b.folder.inFile(dir, k.err)
	}
	total, known := b.done[dir]
	switch {
	case known && total.objects < 0:
		return size{}, k.document.Problem("", "kustomizations that name one another in a circle")
	case known:
		return total, nil
	case level > maxLevels:
		return size{}, k.document.Problem("", "more than %d kustomizations that name one another, want at most that",
			maxLevels)
	}
	b.done[dir] = size{objects: -1}
	for _, base := range k.bases {
		of, err := b.add(base, level+1)
		if err != nil {
			return size{}, err
		}
		if total = total.plus(of); total.beyond(1) {
			return size{}, tooMuch(&k.document)
		}
	}
	for _, file := range k.resources {
		of, err := b.addResources(file)
		if err != nil {
			return size{}, err
		}
		if total = total.plus(of); total.beyond(1) {
			return size{}, tooMuch(&k.document)
		}
	}
	if total = total.plus(k.generated).with(k.layer, k.patches); total.beyond(1) {
		return size{}, tooMuch(&k.document)
	}
	for _, file := range slices.Sorted(maps.Keys(k.others)) {
		if err := b.write(file, k.others[file]); err != nil {
			return size{}, err
		}
	}
	if err := b.write(k.file, k.text); err != nil {
		return size{}, err
	}
	b.done[dir] = total
	return total, nil
}

// addResources puts a file of objects into memory, each with the number of its document.
func (b *build) addResources(file string) (size, error) {
	shown := b.folder.shown(file)
	text, err := b.folder.text(file)
	if err != nil {
		return size{}, &manifest.FileError{File: shown, Err: err}
	}
	docs, err := limits.Parse(shown, text)
	if err != nil {
		return size{}, &manifest.FileError{File: shown, Err: err}
	}
	var (
		of  size
		out []byte
	)
	for i := range docs {
		if docs[i].NoKind() { // kustomize does not name it
			return size{}, &manifest.FileError{File: shown,
				Err: docs[i].Problem("kind", "missing, want the kind of the object")}
		}
		var object map[string]any
		if err := docs[i].DecodeLoose(&object); err != nil {
			return size{}, &manifest.FileError{File: shown, Err: err}
		}
		metadata, _ := object["metadata"].(map[string]any)
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations == nil {
			annotations = map[string]any{}
		}
		annotations[originKey] = strconv.Itoa(len(b.documents))
		if metadata != nil {
			metadata["annotations"] = annotations
		}
		text, err := json.Marshal(object)
		if err != nil {
			return size{}, err
		}
		out = append(append(out, "---\n"...), append(text, '\n')...)
		b.documents = append(b.documents, docs[i])
		of.objects++
		of.bytes += len(text)
		of.nodes += nodes(object)
	}
	return of, b.write(file, out)
}

// write puts a file into memory. kustomize's own file system there does not take every name.
func (b *build) write(file string, text []byte) error {
	if b.disk.WriteFile(path.Join("/", file), text) != nil {
		shown := b.folder.shown(file)
		return &manifest.FileError{File: shown, Err: fmt.Errorf("%s: a name that kustomize does not take here, want letters, digits, dots, dashes and underscores", shown)}
	}
	return nil
}
