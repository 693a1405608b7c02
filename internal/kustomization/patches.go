//lint:file-ignore SA1019 people's files have the fields that kustomize calls deprecated, and kustomize builds them

package kustomization

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	kustomize "sigs.k8s.io/kustomize/api/types"

	"github.com/airshipit/sipgen/internal/manifest"
)

// patchBounds are the most that a patch may have.
var patchBounds = manifest.Bounds{Bytes: 256 << 10, Nodes: 20_000, Depth: 50}

// patches reads the patches in all fields that kustomize has for them.
func (r *references) patches(k *kustomize.Kustomization) {
	for _, list := range []struct {
		name    string
		entries []kustomize.Patch
	}{{"patches", k.Patches}, {"patchesJson6902", k.PatchesJson6902}} {
		for i, entry := range list.entries {
			field := fmt.Sprintf("%s[%d]", list.name, i)
			one := entry.Target != nil && regexp.QuoteMeta(entry.Target.Name) == entry.Target.Name && entry.Target.Name != ""
			if entry.Path != "" {
				r.patchFile(field+".path", entry.Path, one)
			}
			if entry.Patch != "" {
				r.patch(field+".patch", []byte(entry.Patch), one)
			}
		}
	}
	for i, entry := range k.PatchesStrategicMerge {
		field, text := fmt.Sprintf("patchesStrategicMerge[%d]", i), string(entry)
		if strings.Contains(text, "\n") { // no path has one, and no URL
			r.patch(field, []byte(text), true)
			continue
		}
		r.patchFile(field, text, true)
	}
}

func (r *references) patchFile(field, reference string, one bool) {
	if text := r.file(field, reference); text != nil {
		r.patch(field, text, one)
	}
}

// patch checks one: aliases and copies make something huge of something small.
func (r *references) patch(field string, text []byte, one bool) {
	documents, err := manifest.Bounded(text, patchBounds)
	for _, document := range documents {
		if root := document.Content[0]; root.Kind == yaml.SequenceNode {
			err = errors.Join(err, withoutCopy(root))
			continue
		}
		one = one || len(documents) == 1 // a merge patch names its object, if it has no target
	}
	if err != nil {
		r.bad(field, "%s", err)
	}
	r.of.patches = append(r.of.patches, patch{one, len(text)})
}

func withoutCopy(operations *yaml.Node) error {
	for _, operation := range operations.Content {
		for i := 0; i+1 < len(operation.Content); i += 2 {
			if operation.Content[i].Value == "op" && operation.Content[i+1].Value == "copy" {
				return fmt.Errorf("line %d: op: copy is not taken", operation.Content[i+1].Line)
			}
		}
	}
	return nil
}

// generators reads the files of generators.
func (r *references) generators(k *kustomize.Kustomization) {
	sources := func(field string, from kustomize.KvPairSources) {
		for i, entry := range from.FileSources {
			_, file, named := strings.Cut(entry, "=")
			if !named {
				file = entry
			}
			r.generated(fmt.Sprintf("%s.files[%d]", field, i), file)
		}
		for i, entry := range from.EnvSources {
			r.generated(fmt.Sprintf("%s.envs[%d]", field, i), entry)
		}
		if from.EnvSource != "" {
			r.generated(field+".env", from.EnvSource)
		}
	}
	for i := range k.ConfigMapGenerator {
		sources(fmt.Sprintf("configMapGenerator[%d]", i), k.ConfigMapGenerator[i].KvPairSources)
	}
	for i := range k.SecretGenerator {
		sources(fmt.Sprintf("secretGenerator[%d]", i), k.SecretGenerator[i].KvPairSources)
	}
}

// generated reads a file that becomes part of an object.
func (r *references) generated(field, reference string) {
	r.of.generated.bytes += len(r.file(field, reference))
}

// file reads a file that is no list of objects.
func (r *references) file(field, reference string) []byte {
	inside, info := r.find(field, reference)
	if inside == "" {
		return nil
	}
	if info.IsDir() {
		r.bad(field, "a folder, want a file")
		return nil
	}
	if text, known := r.of.others[inside]; known {
		return text
	}
	r.folder.read[inside] = true
	text, err := r.folder.text(inside)
	if errors.Is(err, errSpent) && r.spent {
		return nil // reported once
	}
	r.spent = r.spent || errors.Is(err, errSpent)
	if err != nil {
		r.bad(field, "%s", err)
		return nil
	}
	r.of.others[inside] = text
	return text
}
