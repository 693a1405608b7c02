package tenancy

import (
	"strconv"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

func TestSurge(t *testing.T) {
	for granted, want := range map[int]int{0: 0, 1: 1, 8: 1, 10: 1, 11: 2, 20: 2, 100: 10, 10_000: 1000} {
		if found := Surge(granted); found != want {
			t.Errorf("of %d: found %d, want %d", granted, found, want)
		}
	}
}

// TestSurges: clusters are of bank, which may have 6 hosts, 2 of them standby, and one more of each. A letter is a host: h held, p pending, r replaced and
// there still, R the same in this run, n new, f failed, l released in this run, L released before and not seen without labels, u released and in use, a the same and seen without labels, x a slot that is empty; S, N and P are standby ones of h, n and p.
func TestSurges(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	for _, row := range []struct {
		why   string
		hosts map[string]string // by cluster, in the order of their names
		again bool
		// want are the clusters that are refused, and text is in the first refusal.
		want, text string
	}{
		{"as many as it may", map[string]string{"a": "hhhnnn"}, false, "", ""},
		{"one more while one is replaced", map[string]string{"a": "hhhhhpn"}, false, "", ""},
		{"one more than that", map[string]string{"a": "hhhhppnn"}, false, "a",
			"bank/a: spec.nodes: would get 2 new hosts, but the tenant's clusters keep 4, have yet to release 2, and are given 0 before this one; " +
				"tenant bank (the Site's spec.tenants[].hosts.max) may have at most 6, plus 1 while hosts are still to be let go"},
		{"hosts that have a successor count until it is seen", map[string]string{"a": "hhhhrrnn"}, false, "a", "keep 4, have yet to release 2"},
		{"what is released now does not count", map[string]string{"a": "hhhlllnnn"}, false, "", ""},
		{"but from the next commit on it does, until its labels are gone", map[string]string{"a": "hhhLLnnn"}, false, "a",
			"keep 3, have yet to release 2 (2 of them released but still labelled: sipgen status says whether the engine has synced), and are given 0"},
		{"one of them is like a host that is being replaced", map[string]string{"a": "hhhLnnn"}, false, "", ""},
		{"so do those of another cluster, gone as it may be", map[string]string{"a": "hhhnnn", "gone": "LL"}, false, "a", "have yet to release 2 (2 of them released"},
		{"and those that are in use too, once", map[string]string{"a": "hhhaLnnn"}, false, "a", "yet to release 2 (1 of them without labels but still in use, 1 of them released but still labelled"},
		{"but while it is in use it does", map[string]string{"a": "hhhuuunnn"}, false, "a", "keep 3, have yet to release 3"},
		{"and when its labels are gone it still does", map[string]string{"a": "hhhaaannn"}, false, "a", "keep 3, have yet to release 3 (3 of them without labels but still in use), and are given 0 before this one"},
		{"so does another cluster's, gone as it may be", map[string]string{"a": "hhhnnn", "gone": "aa"}, false, "a", "keep 3, have yet to release 2 (2 of them without"},
		{"but not another tenant's", map[string]string{"a": "hhhnnn", "other/b": "aaaaa"}, false, "", ""},
		{"it is no standby host", map[string]string{"a": "hSaPN"}, false, "", ""},
		{"what the others have counts", map[string]string{"a": "hnn", "b": "hhppp"}, false, "a", "keep 3, have yet to release 3"},
		{"what is another tenant's does not", map[string]string{"a": "hnn", "other/b": "hhppp"}, false, "", ""},
		{"a cluster without a spec has hosts too", map[string]string{"a": "hnn", "gone": "ppppp"}, false, "a", "keep 1, have yet to release 5"},
		{"too many already, and nothing new", map[string]string{"a": "hhhhhhhhhppp", "b": "hhhx"}, false, "", ""},
		{"too many already, and one is to be replaced", map[string]string{"a": "hhhhhhhrn"}, false, "a", "would get 1 new host"},
		{"what fits goes on", map[string]string{"a": "hhhppnn", "b": "hn"}, false, "a", "would get 2"},
		{"who holds hosts comes first", map[string]string{"a": "nn", "b": "hhhpnn"}, false, "a", "are given 2 before this one"},
		{"a standby host that is replaced", map[string]string{"a": "hhSPN"}, false, "", ""},
		{"too many standby hosts", map[string]string{"a": "hSPPN"}, false, "a", "would get 1 new standby host, but the tenant's clusters keep 1, have yet to release 2"},
		{"too many standby hosts, none of them new", map[string]string{"a": "hSPPn"}, false, "", ""},
		{"refused before, and what is left fits", map[string]string{"a": "hhhhn", "b": "hx"}, true, "", ""},
		{"refused before, and more is too much: whoever could get the hosts goes without", map[string]string{"a": "hhhhhppn", "b": "x", "c": "f", "d": "h"}, true, "a c b", "bank/a: "},
	} {
		var (
			specs []v1.SIPCluster
			p     schedule.Placement
		)
		for _, name := range []string{"a", "b", "c", "d", "gone", "other/b"} {
			hosts, is := row.hosts[name]
			if !is {
				continue
			}
			spec := wanting(strings.TrimPrefix(name, "other/"), 0, 1, 0)
			if name != spec.Name {
				spec.Namespace = "other"
			}
			if name != "gone" {
				specs = append(specs, spec)
			}
			for range strings.Count(hosts, "a") {
				p.StillUsed = append(p.StillUsed, schedule.StillUsed{Cluster: keyOf(&spec)})
			}
			hosts = strings.ReplaceAll(hosts, "a", "")
			p.Clusters = append(p.Clusters, schedule.Cluster{Key: keyOf(&spec), Gone: name == "gone", Roles: []schedule.Role{roleOf(t, hosts)}})
		}
		found := tenants.Surges(specs, &p, map[string]bool{"bank": row.again})
		var refused []string
		for _, e := range found {
			refused = append(refused, e.Cluster.Name)
		}
		want(t, row.why, said(found), row.text)
		if got := strings.Join(refused, " "); got != row.want {
			t.Errorf("%s: refused %q, want %q", row.why, got, row.want)
		}
	}
}

// TestReplacements: the letters are those of TestSurges, and bank may have 6 hosts and one more.
func TestReplacements(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	for _, row := range []struct {
		why          string
		hosts        map[string]string
		bounds, want string
	}{
		{"room for one", map[string]string{"a": "hhhhhRn"}, "", "none"},
		{"room for one of three", map[string]string{"a": "hhhRRRnnn"}, "", "a 1"},
		{"room for none", map[string]string{"a": "hhhhppRn"}, "", "a 0"},
		{"slots that are empty come before failed hosts", map[string]string{"a": "hhhRRnnn"}, "", "a 1"},
		{"slots that are empty and more than there is room for: refused as it is", map[string]string{"a": "hhhppRnnn"}, "", "a 0"},
		{"nothing is replaced: Surges says so", map[string]string{"a": "hhhhppnn"}, "", "none"},
		{"who holds hosts comes first, then the name, and whoever replaces nothing now replaces nothing later", map[string]string{"a": "hhRn", "b": "hRn", "c": "f"}, "", "a 1 b 0 c 0"},
		{"another tenant's are its own", map[string]string{"a": "hhhhhRn", "other/b": "RRRRRRnnnnnn"}, "", "none"},
		{"standby hosts have a limit of their own", map[string]string{"a": "hSPPRN"}, "", "a 0"},
		{"too much for a second time", map[string]string{"a": "hhRn", "b": "hRRnn"}, "a 1 b 1", "a 0 b 0"},
		{"as many as they were bounded to", map[string]string{"a": "hhhhhRn"}, "a 1", "none"},
	} {
		var (
			specs []v1.SIPCluster
			p     schedule.Placement
		)
		for _, name := range []string{"a", "b", "c", "other/b"} {
			hosts, is := row.hosts[name]
			if !is {
				continue
			}
			spec := wanting(strings.TrimPrefix(name, "other/"), 0, 1, 0)
			if name != spec.Name {
				spec.Namespace = "other"
			}
			specs = append(specs, spec)
			p.Clusters = append(p.Clusters, schedule.Cluster{Key: keyOf(&spec), Roles: []schedule.Role{roleOf(t, hosts)}})
		}
		bounds := map[schedule.ClusterKey]int{}
		words := strings.Fields(row.bounds)
		for i := 0; i < len(words); i += 2 {
			n, err := strconv.Atoi(words[i+1])
			if err != nil {
				t.Fatal(err)
			}
			bounds[schedule.ClusterKey{Namespace: "bank", Name: words[i]}] = n
		}
		got := "none"
		if found := tenants.Replacements(specs, &p, bounds); found != nil {
			var all []string
			for i := range specs {
				n, is := found[keyOf(&specs[i])]
				if is {
					all = append(all, specs[i].Name, strconv.Itoa(n))
				}
			}
			got = strings.Join(all, " ")
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
	}
}

func roleOf(t *testing.T, hosts string) schedule.Role {
	role := schedule.Role{Name: "Worker"}
	for _, letter := range hosts {
		a := schedule.Assignment{Host: &inventory.Host{}, Origin: schedule.FromLive}
		switch letter {
		case 'h':
		case 'S':
			a.Standby = true
		case 'p':
			a.Pending = true
		case 'P':
			a.Pending, a.Standby = true, true
		case 'r':
			a.Reason = schedule.Replacing{}
		case 'R':
			a.Reason = schedule.Replacing{}
			role.Replaced++
		case 'n':
			a.Origin = schedule.New
		case 'N':
			a.Origin, a.Standby = schedule.New, true
		case 'f':
			a.Trouble = schedule.StandIn{}
		case 'x':
			role.ShortActive++
			continue
		case 'l', 'L', 'u':
			if letter == 'u' {
				a.Host.State.Consumer = &inventory.Consumer{}
			}
			since := schedule.New
			if letter == 'L' {
				since = schedule.FromTree
			}
			role.Releasing = append(role.Releasing, schedule.Release{Host: a.Host, Since: since})
			continue
		default:
			t.Fatalf("found host %q", letter)
		}
		role.Assigned = append(role.Assigned, a)
	}
	return role
}
