package validation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// The most that the options of a service's pods may have.
const (
	maxAnnotation = 16 << 10
	// An object's annotations may have 256 KiB (Kubernetes: TotalAnnotationSizeLimitB); some are sipgen's, the Site's
	// and the engine's.
	maxAnnotations = 192 << 10
)

// topologyKeys are the labels of Kubernetes' own domains that nodes have (Kubernetes: Well-Known Labels, Annotations
// and Taints). Their domains are Kubernetes' own, so that another key in them is a mistake: pods would wait for nodes
// that are not.
var topologyKeys = []string{
	"kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
	"kubernetes.io/arch", "kubernetes.io/os", "node.kubernetes.io/instance-type",
}

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
	if a := p.NodeAffinity; a != nil {
		for i := range a.Required {
			validateRequirement(&a.Required[i], at.at(".nodeAffinity.required[%d]", i))
		}
		for i := range a.Preferred {
			validateRequirement(&a.Preferred[i].NodeRequirement, at.at(".nodeAffinity.preferred[%d]", i))
		}
	}
	checkPodTerms(at.at(".podAffinity"), p.PodAffinity)
	checkPodTerms(at.at(".podAntiAffinity"), p.PodAntiAffinity)
	for i, term := range p.PodAntiAffinity {
		if term.Weight == 0 && slices.ContainsFunc(p.PodAffinity,
			func(a v1.PodTerm) bool { return a.Weight == 0 && a.TopologyKey == term.TopologyKey }) {
			at.at(".podAntiAffinity[%d]", i).add("the same label is required by podAffinity too: a second pod " +
				"could never run")
		}
	}
	checkSpreads(at.at(".topologySpread"), p.TopologySpread)
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

// wholeNumber is one that a label's value can be: none below zero.
var wholeNumber = regexp.MustCompile(`^[0-9]{1,18}$`)

func validateRequirement(r *v1.NodeRequirement, at complaints) {
	at.at(".key").check(r.Key, validation.IsQualifiedName)
	values := at.at(".values")
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			values.add("missing: %s needs at least one value", r.Operator)
		}
		for i, value := range r.Values {
			for _, message := range validation.IsValidLabelValue(value) {
				at.at(".values[%d]", i).add("%s", message)
			}
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			values.add("found %d, want none with %s", len(r.Values), r.Operator)
		}
	case "Gt", "Lt":
		if len(r.Values) != 1 || !wholeNumber.MatchString(r.Values[0]) {
			values.add("%s needs exactly one whole number", r.Operator)
		}
	}
}

// checkTopologyKey checks the label of nodes whose values are domains.
func checkTopologyKey(at complaints, key string) {
	at = at.at(".topologyKey")
	if key == "" {
		at.add("missing: the label of nodes whose values are the domains, as in topology.kubernetes.io/zone")
		return
	}
	at.check(key, validation.IsQualifiedName)
	domain, _, _ := strings.Cut(key, "/")
	kubernetes := slices.ContainsFunc([]string{"kubernetes.io", "k8s.io"}, func(own string) bool {
		return domain == own || strings.HasSuffix(domain, "."+own)
	})
	if !strings.Contains(key, "/") || !kubernetes || slices.Contains(topologyKeys, key) {
		return
	}
	hint := ""
	if near := manifest.NearestKey(key, topologyKeys); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	at.add("found %q, which is not a node label that Kubernetes defines in its own domain: want one of %s, or a "+
		"label of another domain%s", key, strings.Join(topologyKeys, ", "), hint)
}

func checkPodTerms(at complaints, terms []v1.PodTerm) {
	seen := map[string]bool{}
	for i := range terms {
		term, at := terms[i], at.at("[%d]", i)
		if seen[term.TopologyKey] {
			at.at(".topologyKey").add("%q is a duplicate", term.TopologyKey)
		} else {
			checkTopologyKey(at, term.TopologyKey)
		}
		seen[term.TopologyKey] = true
	}
}

func checkSpreads(at complaints, list []v1.TopologySpread) {
	seen := map[string]bool{}
	for i := range list {
		s, at := &list[i], at.at("[%d]", i)
		if seen[s.TopologyKey] {
			at.at(".topologyKey").add("%q is a duplicate", s.TopologyKey)
		} else {
			checkTopologyKey(at, s.TopologyKey)
		}
		seen[s.TopologyKey] = true
		if s.MinDomains > 0 && s.WhenUnsatisfiable != "DoNotSchedule" {
			at.at(".minDomains").add("needs whenUnsatisfiable: DoNotSchedule")
		}
	}
}
