package survey

import (
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/inventory"
)

// Proposal is a first cluster that the hosts can carry.
type Proposal struct {
	Roles []RoleProposal
	// Network of the first role's load balancer, empty for none. Inspected: no host declares an address on it. Off are
	// the role's free hosts without an address on it.
	Network   string
	Inspected bool
	Off       int
}

// RoleProposal is one role of the proposal.
type RoleProposal struct {
	Name string
	// Key and Value select the hosts; without a key every host is selected.
	Key, Value string
	// TopologyKey keeps hosts of the role apart; empty for none.
	TopologyKey string
	Active      int
	// Hosts that are free and match, and Domains that they lie in.
	Hosts, Domains int
}

// Propose picks the labels that look like it, and counts that the free hosts can carry: three control-plane hosts if
// there are three racks or more, else one, and up to two workers.
func Propose(hosts []inventory.Host, found *Found) Proposal {
	var p Proposal
	topology := first(found, Domain)
	key, control, worker := kinds(found)
	taken := map[string]bool{}
	for _, r := range []struct {
		name, value string
		most        int
	}{{"ControlPlane", control, 3}, {"Worker", worker, 2}} {
		role := RoleProposal{Name: r.name, TopologyKey: topology}
		if r.value != "" {
			role.Key, role.Value = key, r.value
		}
		domains := map[string]string{}
		for i := range hosts {
			host := &hosts[i]
			if !found.free[host.Key()] || taken[host.Key()] || role.Key != "" && host.Labels[role.Key] != role.Value {
				continue
			}
			domain := host.Key()
			if topology != "" {
				if domain = host.Labels[topology]; domain == "" {
					continue
				}
			}
			role.Hosts++
			if domains[domain] == "" {
				domains[domain] = host.Key()
			}
		}
		role.Domains = len(domains)
		role.Active = min(r.most, len(domains))
		if r.name == "ControlPlane" && role.Active == 2 {
			role.Active = 1 // two members of etcd survive no failure
		}
		if role.Active == 0 {
			continue
		}
		if r.value == "" { // the next role may select the same hosts
			for _, domain := range slices.Sorted(maps.Keys(domains)) {
				if len(taken) < role.Active {
					taken[domains[domain]] = true
				}
			}
		}
		p.Roles = append(p.Roles, role)
	}
	if len(p.Roles) > 0 {
		p.chooseNetwork(hosts, found, p.Roles[0])
	}
	return p
}

// first returns the first label that looks like something.
func first(found *Found, as Looks) string {
	for _, l := range found.Labels {
		if l.Looks == as {
			return l.Key
		}
	}
	return ""
}

// kinds returns a label that distinguishes control-plane hosts from others, with both values: by usual names, else
// the first label of kinds.
func kinds(found *Found) (key, control, worker string) {
	for _, l := range found.Labels {
		if l.Looks != Kind {
			continue
		}
		var cp, wk, most Count
		for _, v := range l.Values {
			name := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(v.Name))
			switch {
			case strings.Contains(name, "controlplane") || strings.Contains(name, "master") || name == "cp":
				cp = v
			case strings.Contains(name, "worker") || strings.Contains(name, "compute"):
				if v.Hosts > wk.Hosts {
					wk = v
				}
			case v.Hosts > most.Hosts:
				most = v
			}
		}
		if wk.Name == "" {
			wk = most
		}
		if cp.Name != "" && wk.Name != "" {
			return l.Key, cp.Name, wk.Name
		}
	}
	return "", "", ""
}

// chooseNetwork takes the first network on which enough of a role's free hosts have an address: a declared one before
// one that only the inspection saw, then one of most hosts. Leases of an inspection are enough only on all of them.
func (p *Proposal) chooseNetwork(hosts []inventory.Host, found *Found, role RoleProposal) {
	for _, n := range found.Networks {
		domains, off := map[string]bool{}, 0
		for i := range hosts {
			host := &hosts[i]
			domain := host.Key()
			if role.TopologyKey != "" {
				domain = host.Labels[role.TopologyKey]
			}
			switch {
			case !found.free[host.Key()] || domain == "" || role.Key != "" && host.Labels[role.Key] != role.Value:
			case len(host.On(n.Name)) == 0:
				off++
			default:
				domains[domain] = true
			}
		}
		if off == 0 || !n.Inspected && len(domains) >= role.Active {
			p.Network, p.Inspected, p.Off = n.Name, n.Inspected, off
			return
		}
	}
}
