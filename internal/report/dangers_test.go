package report

import (
	"strings"
	"testing"
)

func TestLastHostOfARole(t *testing.T) {
	slot := func(status Status) Slot { return Slot{Host: "m/" + string(status), Status: status} }
	for _, row := range []struct {
		why   string
		gone  bool
		slots []Slot
		want  bool
	}{
		{"its only host is released", false, []Slot{slot(StatusReleased)}, true},
		{"the last but for one that was on its way already", false, []Slot{slot(StatusLeaving), slot(StatusReleased)}, true},
		{"one stays", false, []Slot{slot(StatusKept), slot(StatusReleased)}, false},
		{"one comes", false, []Slot{slot(StatusNew), slot(StatusReleased)}, false},
		{"said in an earlier run", false, []Slot{slot(StatusLeaving)}, false},
		{"the cluster goes, which is said", true, []Slot{slot(StatusReleased)}, false},
	} {
		p := &Plan{Clusters: []Cluster{{Namespace: "t", Name: "a", Gone: row.gone, Roles: []Role{{Name: "ControlPlane", Slots: row.slots}}}}}
		if got := strings.Contains(strings.Join(p.Dangers(), "\n"), "t/a ControlPlane loses its last host"); got != row.want {
			t.Errorf("%s: got %v, want %v: %q", row.why, got, row.want, p.Dangers())
		}
	}
}
