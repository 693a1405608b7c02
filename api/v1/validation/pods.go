package validation

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// The most that the options of a service's pods may have.
const (
	maxAnnotation = 16 << 10
	// An object's annotations may have 256 KiB (Kubernetes: TotalAnnotationSizeLimitB); some are sipgen's, the Site's
	// and the engine's.
	maxAnnotations = 192 << 10
)

// validateOptions reports what is wrong with the labels and annotations of a service's objects and with the options of
// its pods. Which keys of pods need a grant, package tenancy knows.
func validateOptions(s *v1.Service, at complaints) {
	checkLabels(at.at(".labels"), s.Labels)
	checkAnnotations(at.at(".annotations"), s.Annotations)
	size := []map[string]string{s.Annotations}
	if s.Service != nil {
		size = append(size, s.Service.Annotations)
		for _, key := range slices.Sorted(maps.Keys(s.Service.Annotations)) {
			if _, twice := s.Annotations[key]; twice {
				at.at(".annotations[%q]", key).add("is in service.annotations too: want it in one place")
			}
		}
	}
	checkAnnotationSize(at.at(".annotations"), size...)
	p := s.Pods
	if p == nil {
		return
	}
	at = at.at(".pods")
	checkAnnotationSize(at.at(".annotations"), p.Annotations)
	checkLabels(at.at(".labels"), p.Labels)
	checkAnnotations(at.at(".annotations"), p.Annotations)
}

func checkLabels(at complaints, labels map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		at := at.at("[%q]", key)
		for _, message := range append(validation.IsQualifiedName(key), validation.IsValidLabelValue(labels[key])...) {
			at.add("%s", message)
		}
		checkReservedKey(at, key)
	}
}

func checkAnnotations(at complaints, annotations map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		at := at.at("[%q]", key)
		for _, message := range validation.IsQualifiedName(strings.ToLower(key)) {
			at.add("%s", message)
		}
		switch value := annotations[key]; {
		case len(value) > maxAnnotation:
			at.add("found %d bytes, want at most %d", len(value), maxAnnotation)
		case !isPlain(value):
			at.add("contains a line break or a control character, want plain text")
		}
		checkReservedKey(at, key)
	}
}

// checkAnnotationSize complains about annotations that are too many bytes for one object: the API server would refuse
// it.
func checkAnnotationSize(at complaints, lists ...map[string]string) {
	size := 0
	for _, list := range lists {
		for key, value := range list {
			size += len(key) + len(value)
		}
	}
	if size > maxAnnotations {
		at.add("%d bytes in all, want at most %d", size, maxAnnotations)
	}
}

func checkReservedKey(at complaints, key string) {
	if whose := ReservedKey(key); whose != "" {
		at.add("%s: tenants may not set such keys", whose)
	}
}

func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) })
}
