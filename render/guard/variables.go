package guard

import (
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// everyMetadata are all that metadataVariables has.
var everyMetadata = []string{"oldLabels", "newLabels", "oldAnnotations", "newAnnotations"}

// metadataVariables returns the labels and annotations before and after, of those that are named, empty where there
// are none. An apply of an empty map that owns all of them leaves null, which has() finds.
func metadataVariables(names ...string) []admissionv1.Variable {
	var variables []admissionv1.Variable
	for _, name := range names {
		object, field := "object", strings.ToLower(name[len("old"):])
		if strings.HasPrefix(name, "old") {
			object = "oldObject"
		}
		variables = append(variables, admissionv1.Variable{Name: name, Expression: fmt.Sprintf(
			"%[1]s != null && has(%[1]s.metadata.%[2]s) && dyn(%[1]s.metadata.%[2]s) != null ? %[1]s.metadata.%[2]s : {}",
			object, field)})
	}
	return variables
}

// changedVariables returns the keys of the labels and annotations that come, go or get another value.
func changedVariables() []admissionv1.Variable {
	var variables []admissionv1.Variable
	for _, of := range []string{"Labels", "Annotations"} {
		variables = append(variables, admissionv1.Variable{Name: "changed" + of, Expression: fmt.Sprintf(
			"(variables.old%[1]s.map(k, k) + variables.new%[1]s.map(k, k)).filter(k,\n"+
				"  !(k in variables.old%[1]s) || !(k in variables.new%[1]s) || variables.old%[1]s[k] != variables.new%[1]s[k])",
			of)})
	}
	return variables
}
