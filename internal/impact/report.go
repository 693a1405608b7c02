package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Report is what `sipgen impact -o json` prints: Hosts, Roles and Waves, or By and Values. Its fields are stable.
type Report struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Site       string  `json:"site"`
	Hosts      []Host  `json:"hosts,omitempty"`
	Roles      []Role  `json:"roles,omitempty"`
	Waves      []Wave  `json:"waves,omitempty"`
	By         string  `json:"by,omitempty"`
	Values     []Value `json:"values,omitempty"`
}

// Wave is hosts that can be down at the same time, once those of the wave before are back.
type Wave struct {
	Hosts []string `json:"hosts"`
	// Commands cordon its hosts.
	Commands []string `json:"commands"`
	// Before are the hosts of the wave before that have to be back: those of roles that lose hosts in this one.
	Before []string `json:"before,omitempty"`
}

// Value is what goes with all hosts that have one value of a label.
type Value struct {
	Value string `json:"value"`
	// Unlabeled: these hosts lack the label.
	Unlabeled bool `json:"unlabeled"`
	Hosts     int  `json:"hosts"`
	// Roles lose active hosts: the worst first.
	Roles []Role `json:"roles"`
}

// The bounds on what a value may take.
const (
	AtMostQuorum = "quorum"
	AtMostAll    = "all"
)

// OfHosts reports what goes with some hosts.
func OfHosts(site string, lost *Lost) *Report {
	return &Report{APIVersion: v1alpha1.APIVersion, Kind: "Impact", Site: site, Hosts: lost.Hosts, Roles: lost.Roles,
		Waves: lost.waves()}
}

// waves returns the hosts of each wave.
func (l *Lost) waves() []Wave {
	out := make([]Wave, l.Waves)
	cordons := make([][]string, l.Waves)
	for i := range l.Hosts {
		h := &l.Hosts[i]
		if h.Wave == 0 {
			continue
		}
		w := &out[h.Wave-1]
		w.Hosts = append(w.Hosts, h.Host)
		if !h.cordoned {
			cordons[h.Wave-1] = append(cordons[h.Wave-1], h.Host)
		}
		needed := func(next *Host) bool {
			return next.Wave == h.Wave+1 && next.State == h.State && next.Cluster == h.Cluster && next.Role == h.Role
		}
		if h.Wave < l.Waves && slices.ContainsFunc(l.Hosts, func(next Host) bool { return needed(&next) }) {
			out[h.Wave].Before = append(out[h.Wave].Before, h.Host)
		}
	}
	for n := range out {
		out[n].Commands = commands(cordons[n], n+1)
	}
	return out
}

// commands returns those that cordon hosts, one for each namespace. The hosts are sorted.
func commands(hosts []string, wave int) []string {
	out := []string{}
	for len(hosts) > 0 {
		namespace := holdings.HostNamed(hosts[0]).Namespace
		names := ""
		for len(hosts) > 0 && holdings.HostNamed(hosts[0]).Namespace == namespace {
			names, hosts = names+" "+holdings.HostNamed(hosts[0]).Name, hosts[1:]
		}
		out = append(out, fmt.Sprintf("kubectl annotate bmh -n %s%s --field-manager=oncall %s='maintenance, wave %d'",
			namespace, names, inventory.CordonAnnotation, wave))
	}
	return out
}

// By reports what goes with the hosts of each value of a label, the worst first.
func (s *Site) By(site, label string) *Report {
	out := &Report{APIVersion: v1alpha1.APIVersion, Kind: "Impact", Site: site, By: label, Values: []Value{}}
	at := map[string]int{}
	var goes []map[schedule.HostKey]bool
	for i := range s.placement.Hosts {
		h := s.placement.Hosts[i].Host
		value, labeled := h.Labels[label]
		id := strconv.FormatBool(labeled) + value
		n, known := at[id]
		if !known {
			n = len(goes)
			at[id], goes = n, append(goes, map[schedule.HostKey]bool{})
			out.Values = append(out.Values, Value{Value: value, Unlabeled: !labeled})
		}
		goes[n][holdings.KeyOf(h)] = true
	}
	for n := range out.Values {
		lost := s.Without(goes[n])
		out.Values[n].Hosts, out.Values[n].Roles = len(goes[n]), lost.Roles
		if lost.Roles == nil {
			out.Values[n].Roles = []Role{}
		}
	}
	slices.SortFunc(out.Values, func(a, b Value) int {
		all, quorum, lost := a.sums()
		otherAll, otherQuorum, otherLost := b.sums()
		return cmp.Or(cmp.Compare(otherAll, all), cmp.Compare(otherQuorum, quorum), cmp.Compare(otherLost, lost),
			strings.Compare(a.Value, b.Value))
	})
	return out
}

// sums returns how many roles lose all hosts, how many control planes their quorum, and how many active hosts go.
func (v *Value) sums() (all, quorum, lost int) {
	for i := range v.Roles {
		r := &v.Roles[i]
		if r.LosesAll {
			all++
		}
		if r.LosesQuorum {
			quorum++
		}
		lost += len(r.Lost)
	}
	return all, quorum, lost
}

// Beyond returns what values take that a bound forbids, in words. AtMostQuorum forbids the quorum of a control plane,
// and all active hosts of a role; AtMostAll only the latter. What a role is said to tolerate is allowed.
func (r *Report) Beyond(bound string) (out []string) {
	for i := range r.Values {
		v := &r.Values[i]
		for n := range v.Roles {
			role := &v.Roles[n]
			if !role.accepted && (role.LosesAll || role.LosesQuorum && bound == AtMostQuorum) {
				out = append(out, v.name(r.By)+": "+role.Words())
			}
		}
	}
	return out
}

// name returns "rack=r1", or "no label rack".
func (v *Value) name(label string) string {
	if v.Unlabeled {
		return "no label " + label
	}
	return label + "=" + v.Value
}

// Words returns "t/a Worker 4 of 4 lost, 2 can be replaced".
func (r *Role) Words() string {
	out := fmt.Sprintf("%s %s %d of %d lost", r.Cluster, r.Role, len(r.Lost), r.Active)
	if effect := r.effect(); effect != "" {
		out += ", " + effect
	}
	return out + ", " + r.replaceable()
}

// replaceable returns "2 can be replaced".
func (r *Role) replaceable() string {
	switch n := len(r.Replaceable); n {
	case 0:
		return "none can be replaced"
	case len(r.Lost):
		return "all can be replaced"
	default:
		return fmt.Sprintf("%d can be replaced", n)
	}
}

// effect returns what is worse than the loss of some hosts, "" for nothing.
func (r *Role) effect() string {
	var out []string
	switch {
	case r.LosesQuorum:
		out = append(out, "loses quorum")
	case r.LosesAll:
		out = append(out, "none left")
	}
	if n := len(r.LoadBalancers); n > 0 {
		out = append(out, text.Plural(n, "load balancer", "load balancers")+" without a server")
	}
	return strings.Join(out, ", ")
}

// Broken returns the roles that break in any order, in words.
func (r *Report) Broken() (out []string) {
	for i := range r.Roles {
		one := &r.Roles[i]
		switch {
		case one.Waves > 0:
			continue
		case one.voters > 0:
			out = append(out, fmt.Sprintf("%s %s: no order helps: %s", one.Cluster, one.Role, text.Plural(one.voters,
				"leaving or standby host is a member of etcd until its machine is gone",
				"leaving or standby hosts are members of etcd until their machines are gone")))
			if len(one.Lost) == 0 {
				continue
			}
		}
		words := fmt.Sprintf("%s %s: no order helps: it tolerates the loss of %s of %s", one.Cluster, one.Role,
			number(one.Tolerates), text.Count(one.Active, "active host"))
		if n := one.Down + one.cordoned; n > 0 {
			words += ", and " + text.Plural(n, "is", "are") + " down already"
		}
		out = append(out, words)
	}
	return out
}

// Used returns the hosts in use that no role has, with what uses them.
func (r *Report) Used() (out []string) {
	for i := range r.Hosts {
		if h := &r.Hosts[i]; h.UsedBy != "" {
			out = append(out, h.Host+" by "+text.Line(h.UsedBy))
		}
	}
	return out
}

// number returns a number for a sentence.
func number(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}
