package validation

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/redact"
)

// atLeastOne are the numbers of a spec that have a default, and whose zero reads like a number that was left out.
var atLeastOne = []string{"maxPerDomain", "maxSkew", "minDomains", "weight"}

const zeroFound = "found 0, want at least 1, or no such field"

// zeros reports each number of atLeastOne that a spec sets to zero. It reads the document, because the decoded spec
// has zero for a number that was left out, too.
func zeros(object []byte) []FieldError {
	var cluster struct {
		Spec struct {
			Nodes    any `json:"nodes"`
			Services any `json:"services"`
		} `json:"spec"`
	}
	if json.Unmarshal(object, &cluster) != nil {
		return nil // Decode has reported it
	}
	errs := appendZeros(nil, "spec.nodes", cluster.Spec.Nodes)
	return limitErrors(appendZeros(errs, "spec.services", cluster.Spec.Services))
}

func appendZeros(errs []FieldError, path string, value any) []FieldError {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			at := path + "." + key
			if len(validation.IsValidLabelValue(key)) > 0 {
				at = path + redact.Sprintf("[%q]", key)
			}
			if number, is := value[key].(float64); is && number == 0 && slices.Contains(atLeastOne, key) {
				errs = append(errs, FieldError{Path: at, Message: zeroFound})
				continue
			}
			errs = appendZeros(errs, at, value[key])
		}
	case []any:
		for i, item := range value {
			errs = appendZeros(errs, path+"["+strconv.Itoa(i)+"]", item)
		}
	}
	return errs
}
