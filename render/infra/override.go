package infra

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/resid"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/render/object"
)

// override carries the site's defaults and the cluster's patches into the kustomization. Patches come last
// but for the registry mirror, which holds for the images that they bring, too.
func (o *overlay) override(k *kustomize.Kustomization) []error {
	defaults := &o.Site.Spec.Defaults
	for _, key := range slices.Sorted(maps.Keys(defaults.Labels)) {
		if slices.Contains([]string{nameLabel, instanceLabel, componentLabel, partOfLabel, managedByLabel}, key) {
			return []error{fmt.Errorf("site: spec.defaults.labels: %q selects pods, and cannot be set for all", key)}
		}
	}
	if len(defaults.Labels) > 0 {
		k.Labels = []kustomize.Label{{Pairs: defaults.Labels, IncludeTemplates: true}}
	}
	k.CommonAnnotations = defaults.Annotations
	if defaults.Resources != nil {
		for _, name := range o.unsized {
			text, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/spec/template/spec/containers/0/resources", "value": defaults.Resources}})
			if err != nil {
				return []error{err}
			}
			k.Patches = append(k.Patches, kustomize.Patch{
				Patch:  string(text),
				Target: &kustomize.Selector{ResId: resid.ResId{Gvk: resid.Gvk{Group: "apps", Kind: "Deployment"}, Name: name}},
			})
		}
	}
	if errs := o.patch(k); len(errs) > 0 {
		return errs
	}
	if err := o.mirror(k); err != nil {
		return []error{err}
	}
	return nil
}

// patch adds the cluster's patches one by one, and reports each that does not apply or matches nothing: kustomize lets
// a target without a match pass in silence.
func (o *overlay) patch(k *kustomize.Kustomization) []error {
	if len(o.Cluster.Spec.Patches) == 0 {
		return nil
	}
	current, err := o.build(k)
	if err != nil {
		return []error{err}
	}
	var errs []error
	for i, patch := range o.Cluster.Spec.Patches {
		fail := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("spec.patches[%d]: %w", i, fmt.Errorf(format, args...)))
		}
		entry := kustomize.Patch{Patch: patch.Patch}
		if t := patch.Target; t != nil {
			entry.Target = selector(t)
			found, err := current.Select(*entry.Target)
			if err != nil {
				fail("target: %w", err)
				continue
			}
			if len(found) == 0 {
				fail("its target matches nothing in the overlay, which has %s", ids(current))
				continue
			}
		}
		patches := k.Patches
		k.Patches = append(slices.Clone(patches), entry)
		next, err := o.build(k)
		if err != nil {
			k.Patches = patches
			if strings.Contains(err.Error(), "no matches for Id") {
				fail("it names an object that is not in the overlay, which has %s", ids(current))
				continue
			}
			fail("%w", err)
			continue
		}
		if err := sameObjects(current, next); err != nil {
			k.Patches = patches
			fail("%w", err)
			continue
		}
		current = next
	}
	return errs
}

// sameObjects refuses a patch that does more than change what is in the objects: one that makes another object of
// them, in another namespace or of another kind, could say anything about hosts and rights that are not the tenant's.
func sameObjects(before, after resmap.ResMap) error {
	was := map[resid.ResId]string{}
	for _, r := range before.Resources() {
		was[r.CurId()] = r.MustYaml()
	}
	for _, r := range after.Resources() {
		id := r.CurId()
		text, found := was[id]
		switch {
		case !found:
			return fmt.Errorf("it makes another object, %s %s, want one that changes neither apiVersion, kind, namespace nor name", id.Kind, id.Name)
		case (id.Group == rbacGroup || id.Kind == "ServiceAccount") && text != r.MustYaml():
			return fmt.Errorf("it changes %s %s, and rights are not for a patch to change", id.Kind, id.Name)
		}
	}
	return nil
}

const rbacGroup = "rbac.authorization.k8s.io"

func selector(t *v1.PatchTarget) *kustomize.Selector {
	return &kustomize.Selector{
		ResId: resid.ResId{
			Gvk:  resid.Gvk{Group: t.Group, Version: t.Version, Kind: t.Kind},
			Name: t.Name, Namespace: t.Namespace,
		},
		LabelSelector: t.LabelSelector, AnnotationSelector: t.AnnotationSelector,
	}
}

// ids names the objects of an overlay as a patch would.
func ids(m resmap.ResMap) string {
	var out []string
	for _, r := range m.Resources() {
		out = append(out, r.GetKind()+" "+r.OrgId().Name)
	}
	return strings.Join(out, ", ")
}

// mirror lets the site's registry mirror stand in for the registry of every image, by an entry for each image that the overlay
// has. Tags and digests stay.
func (o *overlay) mirror(k *kustomize.Kustomization) error {
	mirror := strings.TrimSuffix(o.Site.Spec.Images.RegistryMirror, "/")
	if mirror == "" {
		return nil
	}
	built, err := o.build(k)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, r := range built.Resources() {
		fields, err := r.Map()
		if err != nil {
			return err
		}
		images(fields, names)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		k.Images = append(k.Images, kustomize.Image{Name: name, NewName: mirror + "/" + path(name)})
	}
	return nil
}

// images collects the names, without tag and digest, of the images of all containers in an object.
func images(value any, names map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			if containers, isList := field.([]any); isList && (key == "containers" || key == "initContainers") {
				for _, c := range containers {
					if fields, isMap := c.(map[string]any); isMap {
						if image, isString := fields["image"].(string); isString {
							names[imageName(image)] = true
						}
					}
				}
				continue
			}
			images(field, names)
		}
	case []any:
		for _, item := range value {
			images(item, names)
		}
	}
}

func imageName(image string) string {
	name, _, _ := strings.Cut(image, "@")
	if colon := strings.LastIndex(name, ":"); colon > strings.LastIndex(name, "/") {
		name = name[:colon]
	}
	return name
}

// path is an image's name without its registry. An image without a registry is Docker Hub's, as the
// container runtimes have it.
func path(name string) string {
	registry, rest, found := strings.Cut(name, "/")
	switch {
	case !found:
		return "library/" + name
	case strings.ContainsAny(registry, ".:") || registry == "localhost":
		return rest
	default:
		return name
	}
}

// building: kustomize keeps state of its own, so there is one build at a time.
var building sync.Mutex

// build builds the overlay in memory. kustomize panics over some patches, two objects of one name among them: that is an error.
func (o *overlay) build(k *kustomize.Kustomization) (built resmap.ResMap, err error) {
	text, err := object.Marshal(k)
	if err != nil {
		return nil, err
	}
	const folder = "/infra"
	disk := filesys.MakeFsInMemory()
	for _, name := range slices.Sorted(maps.Keys(o.files)) {
		if err := disk.WriteFile(folder+"/"+name, o.files[name]); err != nil {
			return nil, err
		}
	}
	if err := disk.WriteFile(folder+"/"+kustomizationFile, text); err != nil {
		return nil, err
	}
	building.Lock()
	defer building.Unlock()
	defer func() {
		if reason := recover(); reason != nil {
			built, err = nil, fmt.Errorf("kustomize cannot build it: %v", reason)
		}
	}()
	return krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, folder)
}
