package overlay

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
)

// maxPatched bounds the Work of a cluster's patches.
const maxPatched = 4 << 20

// ofPatch returns a complaint about the i-th patch, and OfPatches one about any of them.
func ofPatch(i int, message string) error {
	return validation.FieldError{Path: fmt.Sprintf("spec.patches[%d]", i), Message: message}
}

// OfPatches returns an error as a complaint about the patches.
func OfPatches(err error) error { return patchesError("%s", err) }

func patchesError(format string, args ...any) error {
	return validation.FieldError{Path: "spec.patches", Message: fmt.Sprintf(format, args...)}
}

// checkPatches refuses patches that kustomize should not see: too large, too many for the services, or growing. joined
// are the same, as the kustomization has them.
func (f Folder) checkPatches(patches, joined []kustomize.Patch) []error {
	lists := f.lists()
	var errs []error
	size, documents := 0, 0
	for _, file := range f.Files {
		size += len(file)
	}
	for i, patch := range patches {
		err := validation.CheckPatch(patch.Patch)
		if err == nil {
			err = checkMerges(patch.Patch, lists)
		}
		if err != nil {
			errs = append(errs, ofPatch(i, err.Error()))
			continue
		}
		size += len(patch.Patch)
	}
	for _, patch := range joined {
		parsed, _ := manifest.Bounded([]byte(patch.Patch), fileBounds) // CheckPatch has read it
		documents += len(parsed)
	}
	if len(errs) == 0 && size*documents > maxPatched {
		errs = append(errs, patchesError("%d documents for services of %d KiB, want at most %d: put several changes into one",
			documents, size>>10, maxPatched/size))
	}
	return errs
}

// unmatched reports patches whose target matches no object, which kustomize ignores.
func (b Built) unmatched(patches []kustomize.Patch) []error {
	var errs []error
	for i, patch := range patches {
		if patch.Target == nil {
			continue
		}
		target, err := kustomize.NewSelectorRegex(patch.Target)
		if err != nil {
			errs = append(errs, ofPatch(i, "target: want regular expressions that are valid"))
			continue
		}
		matches := func(o Object) bool {
			group, version := resid.ParseGroupVersion(o.APIVersion)
			name, _ := b.Folder.generated(o.Kind, o.Name)
			return target.MatchGvk(resid.NewGvk(group, version, o.Kind)) && target.MatchName(name)
		}
		if !slices.ContainsFunc(b.Objects, matches) {
			errs = append(errs, ofPatch(i, "its target matches no object of the overlay"))
		}
	}
	return errs
}

// blame finds the first patch that kustomize does not apply.
func (f Folder) blame(patches []kustomize.Patch) error {
	for i := range patches {
		f.Kustomization.Patches = append(slices.Clip(f.Kustomization.Patches), patches[i])
		if _, err := f.build(); err != nil {
			return ofPatch(i, inWords(err).Error())
		}
	}
	return errBuild
}

// maxPath is how much of a path a message has, in bytes.
const maxPath = 200

// failed match the messages of the JSON 6902 library about an operation that does not apply.
var failed = []*regexp.Regexp{
	regexp.MustCompile(`\b(add|remove|replace|test) operation does not apply: ` +
		`(?:doc )?is missing (?:path|key): "?(/[A-Za-z0-9._~/-]+)`),
	regexp.MustCompile(`\berror in (add|remove|replace|test) for path: '(/[A-Za-z0-9._~/-]+)`),
	regexp.MustCompile(`\b(test)ing value (/[A-Za-z0-9._~/-]+) failed`),
}

// inWords returns the part of kustomize's error without values: the operation that does not apply, and its path. Some
// of its errors quote the whole patch.
func inWords(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "must specify a target"):
		return errors.New("a JSON 6902 patch needs a target")
	case strings.Contains(text, "no matches for Id"):
		return errors.New("it names an object that is not in the overlay")
	}
	for _, pattern := range failed {
		found := pattern.FindStringSubmatch(text)
		if found != nil && len(found[2]) > maxPath {
			found[2] = found[2][:maxPath]
		}
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

// rights are the kinds that no patch changes.
var rights = []string{"Role", "RoleBinding", "ServiceAccount"}

// compare reports changes by patches that no tenant may make, whatever its grants: of kinds, names, namespaces,
// accounts and rights.
func compare(before, after Built) []error {
	var errs, removed []error
	for _, p := range pairs(before, after) {
		old, o := p.Old, p.New
		if o == nil {
			removed = append(removed, patchesError("%s is removed: a patch may change objects, but not remove them; spec.services decides which exist", old))
			continue
		}
		if old == nil {
			errs = append(errs, patchesError("%s is another object: a patch may not change apiVersion, kind, namespace or name",
				o))
			continue
		}
		if slices.Contains(rights, o.Kind) && !reflect.DeepEqual(old.Fields, o.Fields) {
			errs = append(errs, patchesError("%s: a patch may not change rights", o))
		}
		for _, key := range changedReserved(old, o) {
			errs = append(errs, OfPatches(o.complaint(quoted(key), "%s, and is not for a patch to change",
				validation.ReservedKey(key))))
		}
		if was, n := chosenPorts(old), chosenPorts(o); n > was {
			errs = append(errs, OfPatches(o.complaint("spec.ports", "the API server would choose %s for it: want a granted "+
				"nodePort for each, or allocateLoadBalancerNodePorts: false", text.Count(n, "node port"))))
		}
		if choosesHealthPort(o) && !choosesHealthPort(old) {
			errs = append(errs, OfPatches(o.complaint("spec.healthCheckNodePort", "missing: the API server would "+
				"choose a node port for it, because of externalTrafficPolicy: Local: want a granted one")))
		}
		if !reflect.DeepEqual(account(old), account(o)) {
			errs = append(errs, OfPatches(o.complaint("spec.template.spec", "a patch may not change the pod's account")))
		}
	}
	return append(errs, removed...)
}

// chosenPorts returns how many node ports the API server would choose for the ports of a Service.
func chosenPorts(o *Object) (n int) {
	spec := asMap(o.Fields["spec"])
	if o.Kind != "Service" || spec["type"] != "NodePort" && spec["type"] != "LoadBalancer" {
		return 0
	}
	if spec["type"] == "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] == false {
		return 0
	}
	ports, _ := spec["ports"].([]any)
	for _, port := range ports {
		if number, given := asMap(port)["nodePort"].(json.Number); !given || number == "0" {
			n++
		}
	}
	return n
}

// choosesHealthPort reports whether the API server would choose the node port at which a load balancer asks a node for
// pods of the Service. It does so without any other node port, too.
func choosesHealthPort(o *Object) bool {
	spec := asMap(o.Fields["spec"])
	number, given := spec["healthCheckNodePort"].(json.Number)
	return o.Kind == "Service" && spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local" &&
		(!given || number == "0")
}

// account returns how a Deployment's pods authenticate.
func account(o *Object) [3]any {
	spec := asMap(asMap(asMap(o.Fields["spec"])["template"])["spec"])
	return [3]any{spec["serviceAccountName"], spec["serviceAccount"], spec["automountServiceAccountToken"]}
}

// changedReserved returns the reserved keys among the labels and annotations of an object and its pods that differ,
// sorted.
func changedReserved(old, o *Object) []string {
	changed := map[string]bool{}
	for _, at := range [][]string{{"metadata", "labels"}, {"metadata", "annotations"},
		{"spec", "template", "metadata", "labels"}, {"spec", "template", "metadata", "annotations"}} {
		was, ok := old.Fields, o.Fields
		for _, field := range at {
			was, ok = asMap(was[field]), asMap(ok[field])
		}
		for key := range union(was, ok) {
			if !reflect.DeepEqual(was[key], ok[key]) && validation.ReservedKey(key) != "" {
				changed[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(changed))
}
