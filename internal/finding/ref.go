package finding

import (
	"strconv"

	"github.com/airshipit/sipgen/internal/text"
)

// KindHost is the kind of metal3's hosts.
const KindHost = "BareMetalHost"

// Ref names the object of a finding: a SIPCluster, a host, the Site, a live object, or a file, which has no kind. The
// zero value is none.
type Ref struct {
	Kind, Namespace, Name string
	// Others is the number of further objects with the same finding.
	Others int
}

// To returns the name of an object: of its kind alone if the name is unknown.
func To(kind, namespace, name string) Ref { return Ref{Kind: kind, Namespace: namespace, Name: name} }

// Key returns "namespace/name", and the name alone of an object without a namespace.
func (r Ref) Key() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// String returns "SIPCluster tenants/a", "Site s", "BareMetalHost metal3/n1 and 2 other hosts", or "3 more".
func (r Ref) String() string {
	out := r.Kind
	if key := r.Key(); out == "" {
		out = key
	} else if key != "" {
		out += " " + key
	}
	switch {
	case r.Others == 0:
		return out
	case out == "":
		return strconv.Itoa(r.Others) + " more"
	}
	return out + " and " + text.Count(r.Others, "other host")
}

// IsHost reports whether the object is a host of a known name.
func (r Ref) IsHost() bool { return r.Kind == KindHost && r.Name != "" }

// words returns the name in a sentence: "host metal3/n1".
func (r Ref) words() string {
	if r.IsHost() {
		r.Kind = "host"
	}
	return r.String()
}

// MarshalText returns the string, for JSON.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
