package validation

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	definition "github.com/airshipit/sipgen/internal/fields"
	"github.com/airshipit/sipgen/internal/redact"
)

// maxResources is the maximum for one container: more than a machine has. Other resources are devices.
var maxResources = map[corev1.ResourceName]resource.Quantity{
	corev1.ResourceCPU: resource.MustParse("1k"), corev1.ResourceMemory: resource.MustParse("100Ti"),
	corev1.ResourceEphemeralStorage: resource.MustParse("1000Ti"),
}

// CheckResources reports requests and limits that no container may have, by the path below resources, as in
// ".limits.cpu".
func CheckResources(r *corev1.ResourceRequirements) []FieldError {
	var errs []FieldError
	if len(r.Claims) > 0 {
		errs = append(errs, FieldError{Path: ".claims", Message: "want none: they are of devices"})
	}
	for _, list := range []struct {
		path  string
		found corev1.ResourceList
	}{{".requests", r.Requests}, {".limits", r.Limits}} {
		for _, name := range slices.Sorted(maps.Keys(list.found)) {
			limit, known := maxResources[name]
			found := list.found[name]
			ceiling, bounded := r.Limits[name]
			switch {
			case !known:
				errs = append(errs, FieldError{Path: list.path, Message: redact.Sprintf("found %q, want cpu, memory and ephemeral-storage, and no devices", string(name))})
			case found.Sign() < 0 || found.Cmp(limit) > 0:
				errs = append(errs, FieldError{Path: list.path + "." + string(name), Message: fmt.Sprintf("found %s, want 0 to %s",
					found.String(), limit.String())})
			case list.path == ".requests" && bounded && found.Cmp(ceiling) > 0:
				errs = append(errs, FieldError{Path: ".requests." + string(name),
					Message: fmt.Sprintf("found %s, which is more than the limit of %s", found.String(), ceiling.String())})
			}
		}
	}
	return errs
}

// IsImage reports whether a text is the name of an image, with or without tag and digest.
func IsImage(text string) bool {
	return text != "" && definition.Fits("spec.services.jumpHost.image", text)
}
