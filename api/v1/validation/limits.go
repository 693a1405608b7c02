package validation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	definition "github.com/airshipit/sipgen/internal/fields"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
)

// The most that a spec may hold of what the definition cannot say: the bounds of a field are its markers'.
const (
	MaxRequirements = 100   // of a label selector
	MaxValues       = 1_000 // of a requirement
	MaxNames        = 1_000 // in an annotation that names hosts
	MaxIPs          = 16    // of a load balancer
	MaxConnector    = 64 << 10
	// MaxProblems is how many problems of one cluster are said; of the rest only their number is.
	MaxProblems = manifest.MaxProblems
)

// outside returns the values of a cluster, as JSON, that are beyond the bounds of the definition, and by themselves
// the lists that are too long: where there is one, nothing else of the spec is looked at.
func outside(c *v1.SIPCluster, object []byte) (long, other []FieldError) {
	found, err := definition.Bounds(v1.Kind, object)
	if err != nil {
		return []FieldError{{Path: "spec", Message: err.Error()}}, nil
	}
	for _, one := range found {
		e := FieldError{Path: one.Path, Message: one.Message}
		if strings.HasSuffix(e.Path, ".nodePort") {
			e.Message += ", and within the site's range: 30000 to 32767, unless its spec.nodePorts sets another range"
		}
		if one.List {
			long = append(long, e)
		} else {
			other = append(other, e)
		}
	}
	if len(long) == 0 {
		long = checkLimits(c)
	}
	if more := len(long) - MaxProblems; more > 0 {
		long = append(long[:MaxProblems:MaxProblems], FieldError{Path: "spec",
			Message: text.Plural(more, "more list is", "more lists are") + " longer than they may be"})
	}
	return long, other
}

// asJSON returns a cluster that was not read from a document as JSON.
func asJSON(c *v1.SIPCluster) []byte {
	text, err := json.Marshal(c)
	if err != nil {
		return []byte("null") // a connector that is no JSON, which is complained about
	}
	return text
}

// checkLimits complains about what the definition cannot bound.
func checkLimits(c *v1.SIPCluster) []FieldError {
	var errs []FieldError
	most := func(path string, found, limit int, what string) {
		if found > limit {
			errs = append(errs, FieldError{Path: path, Message: fmt.Sprintf("found %d %s, want at most %d", found, what, limit)})
		}
	}
	size := 0
	for key, value := range c.Annotations {
		size += len(key) + len(value)
	}
	most("metadata.annotations", size, validation.TotalAnnotationSizeLimitB, "bytes")
	for _, key := range []string{v1.RemoveAnnotation, v1.ApproveReleaseAnnotation} {
		most("metadata.annotations["+key+"]", strings.Count(c.Annotations[key], ",")+1, MaxNames, "names")
	}
	for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
		set := c.Spec.Nodes[role]
		path, selector := rolePath(role)+".labelSelector", &set.LabelSelector
		most(path, len(selector.MatchLabels)+len(selector.MatchExpressions), MaxRequirements, "requirements")
		for i := range selector.MatchExpressions[:min(MaxRequirements, len(selector.MatchExpressions))] {
			most(fmt.Sprintf("%s.matchExpressions[%d].values", path, i), len(selector.MatchExpressions[i].Values),
				MaxValues, "values")
		}
	}
	for _, e := range c.Entries() {
		if exposure := e.Service.Service; exposure != nil {
			most(e.Path+".service.loadBalancerIP", strings.Count(exposure.LoadBalancerIP, ",")+1, MaxIPs, "addresses")
		}
	}
	for i := range c.Spec.Services.Dex {
		for j, connector := range c.Spec.Services.Dex[i].Connectors {
			most(fmt.Sprintf("spec.services.%s[%d].connectors[%d]", v1.ListDex, i, j), len(connector.Raw), MaxConnector,
				"bytes")
		}
	}
	return errs
}
