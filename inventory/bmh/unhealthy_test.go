package bmh

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUnhealthy is contract 9: either key of Cluster API's provider marks a host, whatever its value.
func TestUnhealthy(t *testing.T) {
	for _, row := range []struct {
		annotation string
		want       bool
	}{
		{"capm3.metal3.io/unhealthy: ''", true},
		{"capi.metal3.io/unhealthy: ''", true},
		{"capi.metal3.io/unhealthy: 'false'", true},
		{"example.org/unhealthy: ''", false},
	} {
		hosts, err := fromText("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: n1, annotations: {" +
			row.annotation + "}}\n")
		require.NoError(t, err, row.annotation)
		assert.Equal(t, row.want, hosts[0].State.Unhealthy, row.annotation)
	}
}
