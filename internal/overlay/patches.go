package overlay

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	//lint:ignore SA1019 the one way to kustomize's own transformer of patches
	"sigs.k8s.io/kustomize/api/builtins"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// try applies patches to what the folder has, each to what those before it made, as kustomize will, and reports each that is wrong: it
// does not apply, matches nothing (which kustomize passes over), or changes what it may not. A patch that is wrong is left out for those
// after it. The folder is built once.
//
// Errors begin with "spec.patches[n]".
func (f Folder) try(patches []kustomize.Patch, wide bool) []error {
	building.Lock()
	defer building.Unlock()
	// Patches come before labels, annotations and images, and know the generated objects by the names that they were given.
	f.Kustomization.Labels, f.Kustomization.CommonAnnotations, f.Kustomization.Images = nil, nil, nil
	f.Kustomization.ConfigMapGenerator = slices.Clone(f.Kustomization.ConfigMapGenerator)
	for i := range f.Kustomization.ConfigMapGenerator {
		generator := &f.Kustomization.ConfigMapGenerator[i]
		options := kustomize.GeneratorOptions{}
		if generator.Options != nil {
			options = *generator.Options
		}
		options.DisableNameSuffixHash = true
		generator.Options = &options
	}
	current, err := f.build()
	if err != nil {
		return []error{err}
	}
	before, err := objects(current)
	if err != nil {
		return []error{err}
	}
	t := trial{current: current, original: map[string]*Object{}, before: before, lists: f.lists(), wide: wide}
	for i := range before {
		t.original[before[i].id()] = &before[i]
	}
	var errs []error
	for i, patch := range patches {
		for _, complaint := range t.try(patch) {
			errs = append(errs, fmt.Errorf("spec.patches[%d]: %w", i, complaint))
		}
	}
	return errs
}

// trial is what patches are tried on.
type trial struct {
	current  resmap.ResMap
	before   []Object
	original map[string]*Object
	// lists as Folder.lists gives them.
	lists map[string]int
	// wide as Check has it.
	wide bool
}

// try applies one patch to what it selects, or gives all that is wrong with it.
func (t *trial) try(entry kustomize.Patch) []error {
	if err := v1.CheckPatch(entry.Patch); err != nil {
		return []error{err}
	}
	if err := checkMerges(entry.Patch, t.lists); err != nil {
		return []error{err}
	}
	found, err := t.selected(entry)
	switch {
	case errors.Is(err, errNamesNothing):
		return []error{fmt.Errorf("%w, which has %s%s", err, names(t.before), t.meant(entry))}
	case err != nil:
		return []error{errors.New("target: want regular expressions and selectors that are valid")}
	case len(found) == 0 && entry.Target != nil:
		return []error{fmt.Errorf("its target matches nothing in the overlay, which has %s%s", names(t.before), t.meant(entry))}
	}
	part := resmap.New()
	var before []Object
	for _, r := range found {
		if err := part.Append(r.DeepCopy()); err != nil {
			return []error{err}
		}
		before = append(before, *t.original[idOf(r)])
	}
	if err := apply(part, entry); err != nil {
		if strings.Contains(err.Error(), "no matches for Id") {
			return []error{fmt.Errorf("%w, which has %s", errNamesNothing, names(t.before))}
		}
		return []error{inWords(err)}
	}
	// What kustomize notes down about a patch is in annotations of its own, which no patch can bring.
	part.RemoveBuildAnnotations()
	after, err := objects(part)
	if err != nil {
		return []error{err}
	}
	if errs := Compare(before, after, t.wide); len(errs) > 0 {
		return errs
	}
	if errs := Valid(after); len(errs) > 0 {
		return errs
	}
	for _, r := range part.Resources() {
		if _, err := t.current.Replace(r); err != nil {
			return []error{err}
		}
	}
	return nil
}

// errNamesNothing is said of a patch without a target. kustomize passes over a document with nothing in it.
var errNamesNothing = errors.New("it names an object that is not in the overlay")

// meant is the kind, or the name, in the overlay that looks like the one that a patch names.
func (t *trial) meant(entry kustomize.Patch) string {
	var asked []head
	if entry.Target != nil {
		h := head{Kind: entry.Target.Kind}
		h.Metadata.Name = entry.Target.Name
		asked = append(asked, h)
	} else if heads, err := headsOf(entry.Patch); err == nil {
		asked = heads
	}
	for _, h := range asked {
		var kinds, called []string
		for i := range t.before {
			kinds = append(kinds, t.before[i].Kind)
			if t.before[i].Kind == h.Kind {
				called = append(called, t.before[i].Name)
			}
		}
		if len(called) == 0 {
			if near := manifest.Nearest(h.Kind, kinds); near != "" {
				return fmt.Sprintf("; did you mean kind %s?", near)
			}
			continue
		}
		if near := manifest.Nearest(h.Metadata.Name, called); near != "" && near != h.Metadata.Name {
			return fmt.Sprintf("; did you mean name %s?", near)
		}
	}
	return ""
}

// selected are the resources that a patch may be for: those of its target, or, where it names its objects itself, those of their kinds and names.
func (t *trial) selected(entry kustomize.Patch) (found []*resource.Resource, err error) {
	defer recovered(&err)
	if entry.Target != nil {
		return t.current.Select(*entry.Target)
	}
	heads, err := headsOf(entry.Patch)
	if err != nil {
		return nil, err
	}
	for _, h := range heads {
		named := false
		for _, r := range t.current.Resources() {
			if !h.names(r.GetKind(), r.GetName()) {
				continue
			}
			if named = true; !slices.Contains(found, r) {
				found = append(found, r)
			}
		}
		if !named {
			return nil, errNamesNothing
		}
	}
	return found, nil
}

func idOf(r *resource.Resource) string {
	o := Object{APIVersion: r.GetApiVersion(), Kind: r.GetKind(), Namespace: r.GetNamespace(), Name: r.GetName()}
	return o.id()
}

func apply(m resmap.ResMap, entry kustomize.Patch) (err error) {
	defer recovered(&err)
	text, err := yaml.Marshal(entry)
	if err != nil {
		return err
	}
	transformer := builtins.NewPatchTransformerPlugin()
	factory := resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory())
	if err := transformer.(resmap.Configurable).Config(resmap.NewPluginHelpers(nil, nil, factory, nil), text); err != nil {
		return err
	}
	return transformer.Transform(m)
}

// failed are the words in which the library that applies JSON 6902 patches says which operation does not apply, and where.
var failed = []*regexp.Regexp{
	regexp.MustCompile(`\b(add|remove|replace|test) operation does not apply: (?:doc )?is missing (?:path|key): "?(/[A-Za-z0-9._~/-]{1,200})`),
	regexp.MustCompile(`\berror in (add|remove|replace|test) for path: '(/[A-Za-z0-9._~/-]{1,200})`),
	regexp.MustCompile(`\b(test)ing value (/[A-Za-z0-9._~/-]{1,200}) failed`),
}

// inWords leaves of kustomize's error what says nothing of values: the operation that does not apply, and its path. Some of its errors quote the
// patch whole.
func inWords(err error) error {
	text := err.Error()
	if strings.Contains(text, "must specify a target") {
		return errors.New("a JSON 6902 patch needs a target")
	}
	for _, pattern := range failed {
		found := pattern.FindStringSubmatch(text)
		switch {
		case found == nil || strings.Contains(text, "[patch: "):
		case found[1] == "test":
			return fmt.Errorf("the test of %s finds another value, or none", found[2])
		default:
			return fmt.Errorf("%s does not apply: an object that it matches has no such place as %s", found[1], found[2])
		}
	}
	return errors.New("kustomize reads it neither as a strategic merge patch nor as a JSON 6902 patch for what it matches")
}
