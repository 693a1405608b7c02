package infra

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// TestControlPlaneNodes: pods run beside the management cluster's API server where the entry asks for it, else where the Site does.
func TestControlPlaneNodes(t *testing.T) {
	yes, no := true, false
	for _, row := range []struct {
		entry, site *bool
		want        int
	}{{nil, nil, 0}, {nil, &no, 0}, {nil, &yes, 1}, {&no, &yes, 0}, {&yes, &no, 1}} {
		site := &v1alpha1.Site{}
		site.Spec.Defaults.ControlPlaneNodes = row.site
		o := &overlay{Input: Input{Site: site}}
		if got := o.tolerations(&v1.Service{ControlPlaneNodes: row.entry}); len(got) != row.want {
			t.Errorf("%+v: found %v", row, got)
		}
	}
}
