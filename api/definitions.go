package api

import (
	"encoding/json"
	"strings"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// reread decodes a spec again after a change.
func reread(s *v1alpha1.Site, at string, spec map[string]any, into json.Unmarshaler, add validation.Report) {
	text, err := json.Marshal(spec)
	if err == nil {
		err = into.UnmarshalJSON(text)
	}
	if err != nil {
		add(at, "%s", err)
	}
}

// checkDefinition holds a spec against the definition of its kind. A fault is a problem. A field that the definition
// does not have is a warning: the operator on the cluster may be newer.
func checkDefinition(s *v1alpha1.Site, kind *upstream.Kind, at string, spec map[string]any, add validation.Report) {
	faults, unknown, err := kind.Check(spec)
	if err != nil {
		add(at, "checking by the definition of %s: %s", kind.Origin, err)
		return
	}
	for _, fault := range faults {
		field := at + "." + shownPath(fault.Field)
		switch value := fault.Value.(type) {
		case nil:
			add(field, "%s", fault.Message)
		case string:
			add(field, "found %q, %s", value, fault.Message)
		case []any, map[string]any:
			add(field, "%s", fault.Message)
		default:
			add(field, "found %v, %s", value, fault.Message)
		}
	}
	say := s.Warn
	if len(faults) > 0 {
		say = add // a misspelled field is why another one is missing
	}
	for _, field := range unknown {
		name := field.Field[strings.LastIndex(field.Field, ".")+1:]
		s.Unknown = append(s.Unknown, at+"."+shownPath(field.Field))
		say(at+"."+shownPath(field.Field),
			"unknown field in %s of %s, the version that sipgen has the definition of: a newer one may have it, an "+
				"older one refuses the object%s", kind.Kind, kind.Origin, manifest.Hint(name, field.Known))
	}
}

// shownPath returns the path of a field without keys that may be secrets: some maps of these kinds have names of
// their users.
func shownPath(path string) string {
	steps := strings.Split(path, ".")
	for i, step := range steps {
		name, index, _ := strings.Cut(step, "[")
		if shown := redact.Plain(name); shown != name {
			steps[i] = strings.TrimSuffix(shown+"["+index, "[")
		}
	}
	return strings.Join(steps, ".")
}
