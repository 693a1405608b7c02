// Package validation validates SIPClusters: each by itself (ValidateCluster), and all of a site against each other
// (ValidateClusters). A spec that is valid and probably not meant so gets a warning (Warnings). Nothing here depends
// on the Site's grants, which package tenancy checks.
package validation

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// Decode decodes the SIPCluster of a document and validates it by itself. There is no cluster if the document cannot
// be decoded, or if a list in it is longer than allowed: nothing may be computed from such a spec.
func Decode(doc *manifest.Document) (*v1.SIPCluster, []error) {
	cluster := &v1.SIPCluster{}
	if err := doc.Decode(cluster); err != nil {
		return nil, []error{err}
	}
	cluster.Source, cluster.Document = doc.Place(), doc
	var errs []error
	open := doc.OpenSecrets()
	for i, path := range slices.Sorted(maps.Keys(open)) {
		if i == MaxProblems {
			errs = append(errs, doc.Problem("spec", "and %s", text.Plural(len(open)-MaxProblems, "more value like this", "more values like these")))
			break
		}
		errs = append(errs, doc.Problem(path,
			"%s in plain text: git would keep it for ever; put the name of a Secret here, and replace the exposed "+
				"value wherever it is in use", open[path]))
	}
	found, bounded := validate(cluster, doc.JSON)
	for _, found := range found {
		if open[found.Path] == "" {
			errs = append(errs, doc.Problem(found.Path, "%s", found.Message))
		}
	}
	if !bounded {
		return nil, errs
	}
	return cluster, errs
}

// ValidateCluster reports the problems of a cluster by itself: names that could leave their place in a path, a label
// or a template, selectors, counts and services. Of more than MaxProblems it reports the number.
func ValidateCluster(c *v1.SIPCluster) []FieldError {
	errs, _ := validate(c, asJSON(c))
	return errs
}

// validate validates a cluster, which was read from object. bounded is false if a list is longer than allowed.
func validate(c *v1.SIPCluster, object []byte) (errs []FieldError, bounded bool) {
	long, errs := outside(c, object)
	if len(long) > 0 {
		return long, false
	}
	add := func(path, format string, args ...any) {
		errs = append(errs, FieldError{Path: path, Message: redact.Sprintf(format, args...)})
	}
	// Both become label values (63 characters), folders, and parts of object names.
	for _, field := range []struct{ path, value string }{{"metadata.namespace", c.Namespace},
		{"metadata.name", c.Name}} {
		if field.value == "" {
			add(field.path, "missing")
		}
		for _, message := range validation.IsDNS1123Label(field.value) {
			if field.value != "" {
				add(field.path, "found %q: %s", field.value, message)
			}
		}
	}
	validateAnnotations(c, add)
	for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
		set := c.Spec.Nodes[role]
		errs = append(errs, validateNodes(&set, role)...)
	}
	errs = append(errs, validateServices(c)...)
	return limitErrors(append(errs, validatePatches(c)...)), true
}

// validateAnnotations refuses values that would do nothing, or something else than meant.
func validateAnnotations(c *v1.SIPCluster, add func(path, format string, args ...any)) {
	if name, is := c.Annotations[v1.DecommissionAnnotation]; is && name != c.Key() {
		add("metadata.annotations["+v1.DecommissionAnnotation+"]",
			"found %q, want the cluster's own name, %q, or no annotation", name, c.Key())
	}
	if _, is := c.Annotations[v1.AcceptLossAnnotation]; is && c.AcceptedLoss() < 0 {
		add("metadata.annotations["+v1.AcceptLossAnnotation+"]", "found %q, want how many hosts may go, as a number, and a reason behind it, if you like",
			c.Annotations[v1.AcceptLossAnnotation])
	}
}
