package lives

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/schedule"
)

// modelRun is one run of a model of what docs/placement.md promises, on a site with one role a cluster, where every host fits: what the run read, and the tree
// that the model made of it. The model is a script that was written apart from the program, by the promises alone; testdata/model.jsonl has 1,500 of its
// runs, out of random lives; in the last 500 the spec of a cluster with hosts is missing. Left out are runs in which the promises leave open what the model
// fixes: whose failed host is replaced first, whether a leaving host is taken back instead of a failed one, and whether an active host too many becomes a
// standby host.
type modelRun struct {
	Specs map[string]struct {
		Active, Standby, Priority int
		Remove, Approve           []string
		Deleted, Fault            bool
	}
	Hosts map[string]struct {
		UID             int
		Label, Use      string
		Standby, Failed bool
	}
	// Before and After are trees by host: "cluster/slot/uid", with the slots A(ctive), S(tandby) and L(eaving). Before is nil where there is none.
	Before, After map[string]string
	Leaving       []string // the clusters that were leaving before
}

const worker = "Worker"

// TestModel holds the program to the model, run by run.
func TestModel(t *testing.T) {
	text, err := os.ReadFile("testdata/model.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	runs := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(runs) != 1500 {
		t.Errorf("found %d runs, want 1500", len(runs))
	}
	for i, line := range runs {
		var r modelRun
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		after, err := r.plan()
		if err != nil {
			t.Errorf("line %d: %v", i+1, err)
		} else if got, want := r.outcome(after), r.outcome(r.After); got != want {
			t.Errorf("line %d: found %s, want %s\n%s", i+1, got, want, line)
		}
	}
}

// outcome is who has which host in a tree, and how many new ones each cluster has: they are all alike.
func (r *modelRun) outcome(tree map[string]string) string {
	var out []string
	handed := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		cluster, slot, _ := splitEntry(tree[name])
		h := r.Hosts[name]
		was, _, uid := splitEntry(r.Before[name])
		if h.Label == "" && (was != cluster || uid != fmt.Sprint(h.UID)) {
			handed[cluster+"/"+slot]++
			continue
		}
		out = append(out, name+":"+cluster+"/"+slot)
	}
	return fmt.Sprint(out, " and ", handed)
}

func splitEntry(entry string) (cluster, slot, uid string) {
	cluster, rest, _ := strings.Cut(entry, "/")
	slot, uid, _ = strings.Cut(rest, "/")
	return cluster, slot, uid
}

// plan gives the tree that the program makes.
func (r *modelRun) plan() (map[string]string, error) {
	now := site{specs: map[string]*spec{}}
	for name, s := range r.Specs {
		now.names = append(now.names, name)
		now.specs[name] = &spec{
			here: true, roles: map[string]wants{worker: {active: s.Active, standby: s.Standby}}, priority: s.Priority,
			remove: s.Remove, approve: s.Approve, deleted: s.Deleted, fault: s.Fault,
		}
	}
	for name, h := range r.Hosts {
		one := host{name: name, here: true, uid: h.UID, use: h.Use, unhealthy: h.Failed}
		if h.Label != "" {
			one.label = slot{h.Label, worker, h.Standby}
		}
		now.hosts = append(now.hosts, one)
	}
	var before *tree
	if r.Before != nil {
		memory := schedule.Previous{Leaving: map[schedule.ClusterKey]bool{}}
		for _, name := range r.Leaving {
			memory.Leaving[schedule.ClusterKey{Namespace: tenants, Name: name}] = true
		}
		for name, entry := range r.Before {
			cluster, slot, uid := splitEntry(entry)
			memory.Claims = append(memory.Claims, schedule.PreviousClaim{
				Host: schedule.HostKey{Namespace: metal, Name: name}, UID: uid, Cluster: schedule.ClusterKey{Namespace: tenants, Name: cluster},
				Role: worker, Standby: slot == "S", Releasing: slot == "L", Source: cluster,
			})
		}
		before = &tree{memory: memory}
	}
	after, _, err := plan(now, before)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, entries := range after.hosts {
		slot := map[bool]string{false: "A", true: "S"}[entries[0].standby]
		if entries[0].leaving {
			slot = "L"
		}
		out[name] = fmt.Sprintf("%s/%s/%d", entries[0].cluster, slot, entries[0].uid)
	}
	return out, nil
}
