package v1alpha1

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// Written is the spec of another project's kind, as it is written: all of it is rendered. The typed fields beside it are
// those that sipgen reads.
type Written map[string]any

// readWritten decodes a spec, and what sipgen reads of it. Values of a wrong type are left out there: check reports them.
func readWritten(text []byte, written *Written, read any) error {
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, written); err != nil {
		return err
	}
	_ = kjson.UnmarshalCaseSensitivePreserveInts(text, read) // what does not fit is a fault of the definition
	return nil
}

// object is a copy of a spec for the tree. One that was made by a program has only the fields that sipgen reads.
func (w Written) object(read any) map[string]any {
	if w != nil {
		return runtime.DeepCopyJSON(w)
	}
	text, err := json.Marshal(read)
	if err != nil {
		return nil
	}
	out := map[string]any{}
	_ = kjson.UnmarshalCaseSensitivePreserveInts(text, &out) // it was just written
	return out
}

// reread decodes a spec that was changed.
func (s *Site) reread(at string, spec map[string]any, into json.Unmarshaler, add problem) {
	text, err := json.Marshal(spec)
	if err == nil {
		err = into.UnmarshalJSON(text)
	}
	if err != nil {
		add(at, "%s", err)
	}
}

// check holds a spec against the definition of its kind. A fault is a problem. A field that the definition does not have
// is a warning: the operator on the cluster may be newer.
func (s *Site) check(kind *upstream.Kind, at string, spec map[string]any, add problem) {
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
	say := s.warn
	if len(faults) > 0 {
		say = add // a misspelled field is why another one is missing
	}
	for _, field := range unknown {
		hint := ""
		name := field.Field[strings.LastIndex(field.Field, ".")+1:]
		if near := manifest.Nearest(name, field.Known); near != "" {
			hint = fmt.Sprintf(", did you mean %q?", near)
		}
		say(at+"."+shownPath(field.Field), "unknown field in %s of %s, the version that sipgen has the definition of: a newer one may have it, an older one "+
			"refuses the object%s", kind.Kind, kind.Origin, hint)
	}
}

// shownPath is the path of a field without keys that may be secrets: some maps of these kinds have names of their users.
func shownPath(path string) string {
	steps := strings.Split(path, ".")
	for i, step := range steps {
		name, index, _ := strings.Cut(step, "[")
		//guard: a password that was pasted as a key is printed
		if shown := redact.Plain(name); shown != name {
			steps[i] = strings.TrimSuffix(shown+"["+index, "[")
		}
	}
	return strings.Join(steps, ".")
}
