package v1

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/validation"
)

// TestSyncNameOf: with a site, a name fits into a label, and two clusters or two sites have one in common only if the
// clusters' names without a site are one.
func TestSyncNameOf(t *testing.T) {
	assert.Equal(t, SyncName("bank", "edge", "infra"), SyncNameOf("", "bank", "edge", "infra"), "without a site")
	assert.Equal(t, "dc1.bank.edge.rights", SyncNameOf("dc1", "bank", "edge", "rights"), "short")
	sites := []string{"a", "dc1", "dc1-2", strings.Repeat("s", MaxSiteOfSyncName)}
	names := []string{"a", "edge", "edge-a", strings.Repeat("m", 16), strings.Repeat("m", 40),
		strings.Repeat("m", 53), strings.Repeat("m", 63)}
	seen := map[string]string{}
	for _, site := range sites {
		for _, namespace := range names {
			for _, name := range names {
				in := IsInSyncNameOf(site, namespace, name)
				for _, part := range SyncParts {
					found, of := SyncNameOf(site, namespace, name, part), site+"/"+namespace+"/"+name+"/"+part
					assert.NotContains(t, seen, found, of)
					seen[found] = of
					assert.Empty(t, validation.IsDNS1123Subdomain(found), found)
					assert.LessOrEqual(t, len(found), validation.LabelValueMaxLength, found)
					whole := found == site+"."+namespace+"."+name+"."+part
					assert.Equal(t, in, whole, of)
					assert.Equal(t, !in, IsSyncDigest(strings.TrimSuffix(found, "."+part)), found)
				}
			}
		}
	}
	for namespace, name := range map[string]string{"bank": "edge",
		strings.Repeat("n", 40): "m", strings.Repeat("n", 30): strings.Repeat("m", 26)} {
		whole := namespace + "." + name + ".infra"
		assert.Equal(t, SyncName(namespace, name, "infra") == whole, IsInSyncNameOf("", namespace, name), whole)
	}
}
