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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// modelRun is one run of a model of what docs/placement.md promises, on a site with one role a cluster, where every
// host fits: what the run read, and the tree that the model made of it. The model is a script that was written apart
// from the program, by the promises alone; testdata/model.jsonl has its runs out of random lives with labels edited by
// hand, rollbacks and old readings. Left out are runs in which the promises leave open what the model fixes (whether an
// active host too many becomes a standby host) or the brake freezes a cluster, and runs about slots of hosts that are
// gone and about running clusters before new ones.
type modelRun struct {
	Specs map[string]struct {
		Active, Standby, Priority int
		Remove, Approve           []string
		Deleted, Fault            bool
	}
	Hosts map[string]struct {
		UID                   int
		Label, Use            string
		Standby, Failed, Part bool // Part: a part of the labels
	}
	// Before and After are trees by host: "cluster/slot/uid", with the slots A(ctive), S(tandby) and L(eaving). Before
	// is nil where there is none.
	Before, After map[string]string
	Leaving       []string // the clusters that were leaving before
	// Noted are the approvals that the tree before notes, "uid/use" or void, Notes those of the tree after.
	Noted, Notes map[string]string
	Released     map[string]string // the uses of hosts that leave by an approval
	Pending      []string
	Old          bool // the hosts were read before the tree was committed
}

const worker = "Worker"

// TestModel holds the program to the model, run by run.
func TestModel(t *testing.T) {
	text, err := os.ReadFile("testdata/model.jsonl")
	require.NoError(t, err)
	runs := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	const want = 2000
	assert.Truef(t, len(runs) == want, "found %d runs, want %d", len(runs), want)
	for i, line := range runs {
		var r modelRun
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		after, notes, err := r.plan()
		if err != nil {
			t.Errorf("line %d: %v", i+1, err)
		} else if got, want := r.outcome(after, notes), r.outcome(r.After, r.Notes); got != want {
			t.Errorf("line %d: found %s, want %s\n%s", i+1, got, want, line)
		}
	}
}

// outcome is who has which host in a tree, how many new ones each cluster has, since they are all alike, and the
// approvals that the tree notes.
func (r *modelRun) outcome(tree, notes map[string]string) string {
	var out []string
	handed := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		cluster, slot, _ := splitEntry(tree[name])
		h := r.Hosts[name]
		was, _, uid := splitEntry(r.Before[name])
		if h.Label == "" && !r.Old && (was != cluster || uid != fmt.Sprint(h.UID)) || r.Before[name] == "" && r.Old {
			handed[cluster+"/"+slot]++
			continue
		}
		out = append(out, name+":"+cluster+"/"+slot)
	}
	return fmt.Sprint(out, " and ", handed, " and ", notes)
}

func splitEntry(entry string) (cluster, slot, uid string) {
	cluster, rest, _ := strings.Cut(entry, "/")
	slot, uid, _ = strings.Cut(rest, "/")
	return cluster, slot, uid
}

// plan gives the tree that the program makes, and the approvals that the tree notes.
func (r *modelRun) plan() (hosts, notes map[string]string, err error) {
	now := site{specs: map[string]*spec{}, old: r.Old && r.Before != nil, most: 1000}
	for name, s := range r.Specs {
		now.names = append(now.names, name)
		now.specs[name] = &spec{
			here: true, roles: map[string]wants{worker: {active: s.Active, standby: s.Standby}}, priority: s.Priority,
			remove: s.Remove, approve: s.Approve, deleted: s.Deleted, fault: s.Fault,
		}
	}
	for name, h := range r.Hosts {
		one := host{name: name, here: true, uid: h.UID, use: h.Use, unhealthy: h.Failed}
		switch {
		case h.Part:
			one.label = slot{cluster: h.Label}
		case h.Label != "":
			one.label = slot{h.Label, worker, h.Standby}
		}
		now.hosts = append(now.hosts, one)
	}
	var before *tree
	if r.Before != nil {
		memory := schedule.Previous{Leaving: map[schedule.ClusterKey]bool{}}
		for _, name := range r.Leaving {
			memory.Leaving[keyOf(name)] = true
		}
		for name, entry := range r.Before {
			cluster, slot, uid := splitEntry(entry)
			approval := r.Noted[name]
			if uid, use, ok := strings.Cut(approval, "/"); ok {
				approval = uid + "/" + useOf(use)
			}
			memory.Claims = append(memory.Claims, schedule.PreviousClaim{
				Host: schedule.HostKey{Namespace: metal, Name: name}, UID: uid, Cluster: keyOf(cluster),
				Role: worker, Standby: slot == "S", Releasing: slot == "L", Source: cluster,
				Pending: slices.Contains(r.Pending, name), Use: useOf(r.Released[name]), Approval: approval,
			})
		}
		before = &tree{memory: memory}
	}
	after, _, err := plan(now, before)
	if err != nil {
		return nil, nil, err
	}
	notes = map[string]string{}
	for _, claim := range after.memory.(schedule.Previous).Claims {
		if uid, use, ok := strings.Cut(claim.Approval, "/"); ok {
			notes[claim.Host.Name] = uid + "/" + machineOf(use)
		} else if claim.Approval != "" {
			notes[claim.Host.Name] = claim.Approval
		}
	}
	out := map[string]string{}
	for name, entries := range after.hosts {
		slot := map[bool]string{false: "A", true: "S"}[entries[0].standby]
		if entries[0].leaving {
			slot = "L"
		}
		out[name] = fmt.Sprintf("%s/%s/%d", entries[0].cluster, slot, entries[0].uid)
	}
	return out, notes, nil
}

// useOf is the use of a host as the program calls it, machineOf as the lives do.
func useOf(machine string) string {
	switch machine {
	case "":
		return ""
	case cleaning:
		return "deprovisioning"
	}
	return "Metal3Machine/" + tenants + "/" + machine
}

func machineOf(use string) string {
	if use == "deprovisioning" {
		return cleaning
	}
	return strings.TrimPrefix(use, "Metal3Machine/"+tenants+"/")
}
