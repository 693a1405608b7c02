package finding

import (
	"encoding/json"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// The words of an object are the same on a terminal and in JSON.
func TestRef(t *testing.T) {
	for _, row := range []struct {
		ref                 Ref
		want, key, sentence string
	}{
		{Ref{}, "", "", ""},
		{To("SIPCluster", "tenants", "a"), "SIPCluster tenants/a", "tenants/a", "SIPCluster tenants/a"},
		{To("Site", "", "s"), "Site s", "s", "Site s"},
		{To(KindHost, "", ""), "BareMetalHost", "", "BareMetalHost"},
		{To(KindHost, "metal3", "n1"), "BareMetalHost metal3/n1", "metal3/n1", "host metal3/n1"},
		{Ref{KindHost, "metal3", "n1", 1}, "BareMetalHost metal3/n1 and 1 other host", "metal3/n1",
			"host metal3/n1 and 1 other host"},
		{Ref{KindHost, "metal3", "n1", 2}, "BareMetalHost metal3/n1 and 2 other hosts", "metal3/n1",
			"host metal3/n1 and 2 other hosts"},
		{Ref{Name: "main/hosts/n1.yaml"}, "main/hosts/n1.yaml", "main/hosts/n1.yaml", "main/hosts/n1.yaml"},
		{Ref{Others: 3}, "3 more", "", "3 more"},
	} {
		need.Equal(t, "the words", row.ref.String(), row.want)
		need.Equal(t, "the key", row.ref.Key(), row.key)
		need.Equal(t, "the words of a sentence", row.ref.words(), row.sentence)
		data, err := json.Marshal(row.ref)
		need.OK(t, err)
		need.Equal(t, "JSON", string(data), `"`+row.want+`"`)
	}
}
