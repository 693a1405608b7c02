package overlay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	kustomize "sigs.k8s.io/kustomize/api/types"

	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
)

// The limits of one cluster's folder that is read back from a tree. A load balancer of a thousand ports has about
// 30,000 nodes.
const (
	maxFiles   = 2_000
	maxBytes   = 16 << 20
	maxPatches = 128 // four times as many as a spec may have
)

var fileBounds = manifest.Bounds{Bytes: 4 << 20, Nodes: 200_000, Depth: 60}

// Parse reads a folder that sipgen rendered and that may have been edited since. It accepts only the fields of a
// kustomization that sipgen writes, so that its build fetches, runs and reads nothing else, and does not grow.
func Parse(files map[string][]byte) (Folder, error) {
	size := 0
	for _, file := range files {
		size += len(file)
	}
	if size > maxBytes || len(files) > maxFiles {
		return Folder{}, fmt.Errorf("%d files of %d bytes, want at most %d of %d", len(files), size, maxFiles, maxBytes)
	}
	if _, err := manifest.Bounded(files[kustomizationFile], fileBounds); err != nil {
		return Folder{}, fmt.Errorf("kustomization.yaml: %w", err)
	}
	f, err := read(files)
	if err != nil {
		return Folder{}, err
	}
	k := &f.Kustomization
	written := kustomize.Kustomization{
		TypeMeta:  kustomize.TypeMeta{APIVersion: kustomize.KustomizationVersion, Kind: kustomize.KustomizationKind},
		Resources: k.Resources, ConfigMapGenerator: k.ConfigMapGenerator, Labels: k.Labels,
		CommonAnnotations: k.CommonAnnotations,
		Images:            k.Images, Patches: k.Patches,
	}
	if !reflect.DeepEqual(*k, written) {
		return Folder{}, errors.New("kustomization.yaml: it has fields that sipgen does not write")
	}
	return f, errors.Join(f.checkResources(), f.checkGenerators(), f.checkWrittenPatches())
}

const kustomizationFile = "kustomization.yaml"

// read reads a folder as it was rendered.
func read(files map[string][]byte) (Folder, error) {
	f := Folder{Files: maps.Clone(files)}
	text, found := f.Files[kustomizationFile]
	if !found {
		return Folder{}, errors.New("kustomization.yaml: missing")
	}
	delete(f.Files, kustomizationFile)
	if err := f.Kustomization.Unmarshal(text); err != nil {
		return Folder{}, errors.New("kustomization.yaml: not a kustomization")
	}
	return f, nil
}

// split takes the last patches off.
func (f Folder) split(patches int) (Folder, []kustomize.Patch) {
	all := f.Kustomization.Patches
	first := len(all) - patches
	f.Kustomization.Patches = slices.Clone(all[:first])
	return f, all[first:]
}

func (f Folder) checkResources() error {
	for _, name := range f.Kustomization.Resources {
		text, found := f.Files[name]
		if !found {
			return errors.New("kustomization.yaml: resources: want files of the folder")
		}
		if _, err := manifest.Bounded(text, fileBounds); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (f Folder) checkGenerators() error {
	for i := range f.Kustomization.ConfigMapGenerator {
		generator := &f.Kustomization.ConfigMapGenerator[i]
		for _, source := range generator.FileSources {
			if _, found := f.Files[fileOf(source)]; !found {
				return errors.New("kustomization.yaml: configMapGenerator: want files of the folder")
			}
		}
		if len(generator.EnvSources)+len(generator.LiteralSources) > 0 || generator.EnvSource != "" ||
			generator.Behavior != "" {
			return errors.New("kustomization.yaml: configMapGenerator: it has fields that sipgen does not write")
		}
	}
	return nil
}

// fileOf returns the file of a generator's source, which is "key=file" or "file".
func fileOf(source string) string {
	if _, name, named := strings.Cut(source, "="); named {
		return name
	}
	return source
}

func (f Folder) checkWrittenPatches() error {
	patches := f.Kustomization.Patches
	if len(patches) == 0 {
		return nil // and nobody asks for the lists
	}
	if len(patches) > maxPatches {
		return fmt.Errorf("kustomization.yaml: %d patches, want at most %d", len(patches), maxPatches)
	}
	if slices.ContainsFunc(patches, func(p kustomize.Patch) bool { return p.Path != "" || p.Options != nil }) {
		return errors.New("kustomization.yaml: patches: they have fields that sipgen does not write")
	}
	lists := f.lists()
	for i, p := range patches {
		if err := cmp.Or(validation.CheckPatch(p.Patch), checkMerges(p.Patch, lists)); err != nil {
			return fmt.Errorf("kustomization.yaml: patches[%d]: %w", i, err)
		}
	}
	return nil
}
