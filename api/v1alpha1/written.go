package v1alpha1

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
)

// Written is the spec of another project's kind as it is written: all of it is rendered. The typed fields next to it
// are those that sipgen reads.
type Written map[string]any

// readWritten decodes a spec, and what sipgen reads of it. Values of a wrong type are left out there: check reports
// them.
func readWritten(text []byte, written *Written, read any) error {
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, written); err != nil {
		return err
	}
	_ = kjson.UnmarshalCaseSensitivePreserveInts(text, read) // what does not fit is a fault of the definition
	return nil
}

// object returns a copy of a spec for the tree. A spec from a program has only the fields that sipgen reads.
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
