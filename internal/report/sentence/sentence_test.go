package sentence

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEverythingHasWords: every type that package schedule finds is a case of a switch here.
func TestEverythingHasWords(t *testing.T) {
	said := map[string]bool{}
	for _, file := range parse(t, ".") {
		ast.Inspect(file, func(node ast.Node) bool {
			clause, is := node.(*ast.CaseClause)
			if !is {
				return true
			}
			for _, expr := range clause.List {
				if selector, ok := expr.(*ast.SelectorExpr); ok {
					said[selector.Sel.Name] = true
				}
			}
			return true
		})
	}
	found := 0
	for _, file := range parse(t, "../../../schedule") {
		for _, decl := range file.Decls {
			method, is := decl.(*ast.FuncDecl)
			if !is || method.Recv == nil || len(method.Recv.List) != 1 {
				continue
			}
			if !slices.Contains([]string{"isReason", "isWarning", "isRefusal"}, method.Name.Name) {
				continue
			}
			found++
			name := method.Recv.List[0].Type.(*ast.Ident).Name
			assert.Truef(t, said[name], "schedule.%s: no sentence", name)
		}
	}
	assert.Truef(t, found >= 40, "found %d types, and there are more: are they declared otherwise now?", found)
}

func parse(t *testing.T, dir string) []*ast.File {
	t.Helper()
	entries := need.Value(os.ReadDir(dir))(t)
	var files []*ast.File
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil,
				parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	return files
}

func is(code holdings.Code, detail string) schedule.Reason {
	return schedule.Condition{Why: holdings.Why{Code: code, Detail: detail}}
}

// constants are the values of a type's constants in a package.
func constants(t *testing.T, dir, name string) (values []string) {
	t.Helper()
	for _, file := range parse(t, dir) {
		ast.Inspect(file, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok {
				if of, ok := spec.Type.(*ast.Ident); ok && of.Name == name {
					values = append(values, need.Value(strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value))(t))
				}
			}
			return true
		})
	}
	return values
}

// TestEveryConditionHasWords: every code of package holdings is a sentence here, but for those of a host that is
// leaving, and a fault's. Hosts are counted by what is wrong with them, and each sentence says what that is.
func TestEveryConditionHasWords(t *testing.T) {
	codes, faults := constants(t, "../../holdings", "Code"), constants(t, "../../../inventory", "FaultKind")
	assert.Truef(t, len(codes) >= 9 && len(faults) >= 9, "found %q and %q", codes, faults)
	for _, code := range codes {
		_, said := conditions[holdings.Code(code)]
		assert.Truef(t, said || code == string(holdings.Faulty) || strings.HasPrefix(code, "Release"),
			"%s: no sentence", code)
	}
	words := map[string]string{}
	for _, kind := range faults {
		said := Reason(schedule.Condition{Why: holdings.Why{Code: holdings.Faulty}, Fault: inventory.FaultKind(kind)})
		assert.Truef(t, said != "" && words[said] == "", "%s: %q, as for %q", kind, said, words[said])
		words[said] = kind
	}
}

// TestReason: reasons that no other test makes a placement for.
func TestReason(t *testing.T) {
	for _, row := range []struct {
		reason schedule.Reason
		want   string
	}{
		{nil, ""},
		{schedule.Condition{Why: holdings.Why{Code: holdings.InError, Detail: "power management error"},
			Message: "no power"}, "in error (power management error): no power"},
		{is(holdings.KeptForReuse, "md-0"), "kept for reuse by md-0"},
		{is(holdings.UnknownCluster, "tenants/x"), `labeled for tenants/x, which is in neither the specs nor the tree`},
		{schedule.Kept{Origin: schedule.FromTree,
			Refused: []schedule.Refusal{schedule.Contradiction{Problem: "second"},
				schedule.Contradiction{Problem: "first"}, schedule.Contradiction{Problem: "first"}}},
			"held, not labeled; its cluster is frozen: first; second"},
		{schedule.ReleaseWaits{Why: schedule.Decommissioned{}, Use: is(holdings.Faulty, "it has a mark")},
			"its cluster is being decommissioned; release waits until this is fixed: it has a mark"},
		{schedule.ReleaseWaits{Why: schedule.Decommissioned{}, Use: is(holdings.Installed, "")},
			"its cluster is being decommissioned; release waits until it is free or sip.airshipit.org/approve-release names it: it has an image"},
		{schedule.ReleaseWaits{Why: schedule.Decommissioned{BySite: true}, Use: is(holdings.Installed, "")},
			"the Site asks for it (spec.hosts.release); release waits until it is free: it has an image"},
		{schedule.Replaced{Trouble: is(holdings.Unhealthy, ""), Why: schedule.Surplus{Want: 1}},
			"marked unhealthy, and more than the 1 requested host"},
		{schedule.Replaced{Trouble: schedule.MarkedForRemoval{Error: is(holdings.InError, "inspection error")}},
			"marked for removal, in error (inspection error), and it has no slot"},
		{schedule.Chosen{Key: "rack", Value: "r1", There: 2, Elsewhere: 3, Domains: 1},
			"new: rack=r1, one of 2 free hosts there that fit; 3 elsewhere in 1 domain"},
	} {
		assert.Equal(t, row.want, Reason(row.reason), row.reason)
	}
}

// TestWarning: warnings that no other test makes a placement for.
func TestWarning(t *testing.T) {
	h1 := schedule.HostKey{Namespace: "metal", Name: "h1"}
	red := schedule.ClusterKey{Namespace: "tenants", Name: "red"}
	worker := schedule.RoleKey{Cluster: red, Role: "Worker"}
	for _, row := range []struct {
		warning schedule.Warning
		want    string
	}{
		{schedule.OfCluster{Cluster: red, Warning: schedule.AnotherUID{Host: h1, Source: "a.yaml", Was: "1", Is: "2"}},
			"cluster tenants/red: host metal/h1: a.yaml has it with uid 1, but its uid is now 2: the host was recreated, so it leaves the cluster: no other cluster gets it before a later run finds it unused and without labels"},
		{schedule.AnotherUID{Host: h1, Source: "a.yaml", Role: "Worker", Was: "1", Is: "2", TakenBack: true},
			"host metal/h1: a.yaml has it with uid 1, but its uid is now 2: the host was recreated, and nothing uses it: its role takes it back"},
		{schedule.AnotherUID{Host: h1, Source: "a.yaml", Role: "Worker", Was: "1", Is: "2", Restored: true},
			"host metal/h1: a.yaml has it with uid 1, but its uid is now 2: it carries sipgen's labels, so it was restored or moved, and keeps its slot and its addresses"},
		{schedule.NotInInventory{Host: h1, Source: "a.yaml", Role: "Worker", Pending: true},
			"host metal/h1: a.yaml gives it to Worker, but it is not in the inventory: its release, which was pending, ends"},
		{schedule.NotInInventory{Host: h1, Source: "a.yaml", Role: "Worker", Releasing: true},
			"host metal/h1: a.yaml releases it from Worker, but it is not in the inventory: the release ends"},
		{schedule.NotInInventory{Host: h1, Source: "a.yaml", Role: "Worker", Releasing: true, Outside: true},
			"host metal/h1: a.yaml releases it from Worker, but its namespace is not in spec.hosts.namespaces of " +
				"the Site: the release ends, and the labels that it still has stay"},
		{schedule.NotInInventory{Host: h1, Source: "a.yaml", Role: "Worker", Outside: true},
			"host metal/h1: a.yaml gives it to Worker, but its namespace is not in spec.hosts.namespaces of the Site: its slot counts as empty"},
		{schedule.LabelsDiffer{Host: h1, Labels: worker, Tree: worker, Source: "a.yaml", Approved: true},
			"host metal/h1: its labels name tenants/red Worker, but a.yaml names tenants/red Worker: the release " +
				"is approved, so the tree counts, and the next sync removes the labels"},
		{schedule.LabelsDiffer{Host: h1, Labels: worker, Tree: worker, Source: "a.yaml", Unsure: true},
			"host metal/h1: its labels name tenants/red Worker, but a.yaml names tenants/red Worker: the tree " +
				"counts, because the use of the host is unknown"},
		{schedule.NotHandedOut{Host: h1, Why: is(holdings.InvalidRole, `"-"`)},
			`host metal/h1: claimed for role "-", which is no valid name: it is not handed out until that is fixed; a cluster that holds it keeps it`},
		{schedule.NamesNothing{Annotation: "a", Name: "h1", Hosts: []schedule.HostKey{h1}, Holder: worker},
			"annotation a names host metal/h1, which tenants/red Worker holds: this entry has no effect; remove it from the annotation"},
		{schedule.Unlabelled{Keys: []string{"row", "rack"}, Count: 2, Allowed: true},
			"2 hosts without label row or rack could be chosen: the limits per domain do not apply to them"},
	} {
		assert.Equal(t, row.want, Warning(row.warning), row.warning)
	}
}

// TestOneLineASentence: a uid in a file may be any text.
func TestOneLineASentence(t *testing.T) {
	found := Warnings([]schedule.Warning{schedule.AnotherUID{Host: schedule.HostKey{Namespace: "m", Name: "a"},
		Source: "a.yaml", Was: "1", Is: "2\n  held: by\u202e evil"}})
	assert.Truef(t, len(found) == 1 && !strings.ContainsAny(found[0], "\n\u202e"), "%q", found)
}

// TestMissing: the kind of host that is missing, and where it may lie.
func TestMissing(t *testing.T) {
	rack := func(name string) schedule.Room { return schedule.Room{Key: "rack", Name: name} }
	for want, m := range map[string]schedule.Missing{
		"Missing: 2 hosts": {Count: 2},
		"Missing: 1 host in namespace east or west with kind=w and an address on oam": {
			Count: 1, Namespaces: []string{"east", "west"}, Selector: "kind=w", Networks: []string{"oam"}},
		"Missing: 1 host, in a rack of its own or in rack r0": {Count: 1, Keys: []string{"rack"},
			Domains: []schedule.Room{rack("r0")}},
		"Missing: 2 hosts with kind=w, each in a rack of its own or in rack r0 or in another with room": {
			Count: 2, Selector: "kind=w", Keys: []string{"rack"}, Domains: []schedule.Room{rack("r0")},
			MoreDomains: true},
		"Missing: 1 host, in a row and a rack of its own or in a rack of its own in row b or in rack r0": {
			Count: 1, Keys: []string{"row", "rack"}, Domains: []schedule.Room{{Key: "row", Name: "b"}, rack("r0")}},
	} {
		assert.Equal(t, want, missing(&m))
	}
}

// TestUnconfirmedAlike: where a tree is lost, each host's address is to be looked at: that is said once for a network.
func TestUnconfirmedAlike(t *testing.T) {
	var warnings []schedule.Warning
	for i := range 6 {
		ip := netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
		warnings = append(warnings, schedule.AddressUnconfirmed{Host: schedule.HostKey{Namespace: "m",
			Name: fmt.Sprint("h", 5-i)}, Network: "oam", Found: []netip.Addr{ip}, Use: is(holdings.Installed, "")})
	}
	found := Warnings(warnings)
	if len(found) != 1 || !strings.HasPrefix(found[0],
		"host m/h0: on network oam its networkData has 192.0.2.5, and sipgen uses that; but the host is in use (it has an image), which") ||
		!strings.HasSuffix(found[0], "; the same of 5 more hosts: m/h1 (192.0.2.4), m/h2 (192.0.2.3), m/h3 (192.0.2.2), m/h4 (192.0.2.1) and m/h5 (192.0.2.0)") {
		t.Errorf("found %q", found)
	}
	assert.Len(t, Warnings(warnings[:4]), 4)
}
