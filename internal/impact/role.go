package impact

import (
	"fmt"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// role is a role of the placement.
type role struct {
	key       schedule.RoleKey
	active    int
	tolerates int
	accepts   int // by --tolerate, -1 without one
	members   []member
	empty     int      // active slots without a host
	lbs       []server // load balancers in front of the role
}

// server is a load balancer, and the network on which it reaches the hosts.
type server struct{ name, network string }

// The slots of a member.
const (
	active  = "active"
	standby = "standby"
	leaving = "leaving"
)

// member is a host of the role.
type member struct {
	host *inventory.Host
	slot string
	// why it is down, "" for a host that is up. It is back once people end what they do to it if back is set. It waits
	// for its first machine if young is set.
	why         string
	back, young bool
	succeeded   bool // a leaving host's slot is another one's
	// A host in use is a member of a control plane's etcd until its machine is gone, also in no active slot. It runs
	// unless it is down by itself: one that people retire or name runs, and so does a leaving one.
	used, runs bool
}

// ControlPlaneQuorum is how many members of etcd have to be up, of so many.
func ControlPlaneQuorum(members int) int { return members/2 + 1 }

// Tolerance is how many of its active hosts a role may lose at a time: a control plane as many as leave it its quorum,
// another role the larger of one and a tenth.
func Tolerance(name string, active int) int {
	if name == v1.RoleControlPlane {
		return max(0, active-ControlPlaneQuorum(active))
	}
	return max(1, active/10)
}

func newRole(c *schedule.Cluster, of *schedule.Role, spec *v1.SIPCluster, options Options) role {
	r := role{key: schedule.RoleKey{Cluster: c.Key, Role: of.Name}, active: of.Active, accepts: -1}
	used, older := false, false
	for i := range of.Assigned {
		a := &of.Assigned[i]
		used = used || !a.Standby && a.Host.State.InUse()
		older = older || !a.Standby && !isYoung(a)
	}
	slots := 0
	for i := range of.Assigned {
		m := memberOf(&of.Assigned[i], of.Name != v1.RoleControlPlane || !used, older, options.Planned)
		if m.slot == active {
			slots++
		}
		r.members = append(r.members, m)
	}
	for i := range of.Releasing {
		m := member{host: of.Releasing[i].Host, slot: leaving}
		if m.host.State.InUse() {
			m.why = leaving
		}
		r.members = append(r.members, m)
	}
	if len(c.Refused) > 0 { // the spec is not in force
		r.active = slots
	}
	for i := range r.members {
		m := &r.members[i]
		m.used = m.host.State.InUse() && !m.young && (m.slot == active || !options.Planned)
		why, back := halted(m.host)
		m.runs = m.used && why == ""
		if m.used && m.slot != active && m.why == "" && r.active > 0 && of.Name == v1.RoleControlPlane {
			m.why, m.back = why, back // a member of etcd that is down
		}
	}
	r.empty = max(0, r.active-slots)
	r.tolerates = Tolerance(of.Name, r.active)
	if n, asked := options.Tolerate[r.key]; asked {
		r.tolerates, r.accepts = n, n
	}
	if spec != nil {
		r.lbs = balancers(spec, of.Name)
	}
	return r
}

// memberOf returns the member of an assignment. unused: the role may have hosts that nothing uses, and is up with them.
// older: it has active hosts that are not new.
func memberOf(a *schedule.Assignment, unused, older, planned bool) member {
	m := member{host: a.Host, slot: active, succeeded: a.HasSuccessor}
	switch {
	case a.Pending && a.Standby: // nothing is missing without it
		m.slot = leaving
	case a.Pending:
		m.slot, m.why = leaving, leaving
	case a.Standby:
		m.slot = standby
	default:
		_, named := a.Trouble.(schedule.MarkedForRemoval)
		m.why, m.back = down(a.Host, named)
		switch {
		case m.why != "" && !m.back || planned:
		case !unused && !a.Host.State.InUse() || isYoung(a) && older:
			m.why, m.back, m.young = "without a machine yet", false, true
		case withoutSystem(&a.Host.State):
			m.why, m.back, m.young = "without a system yet", false, true
		}
	}
	return m
}

// isYoung reports whether the host is new in its slot: its machine takes a while.
func isYoung(a *schedule.Assignment) bool { return a.Origin == schedule.New || a.Promoted() }

// withoutSystem reports whether a machine has taken the host, or is kept for it, and no system runs there yet. A host
// without a status, or without a BMC, does not tell.
func withoutSystem(s *inventory.State) bool {
	return s.InUse() && !s.ExternallyProvisioned &&
		!slices.Contains([]string{"", "unmanaged", "provisioned", "externally provisioned"}, s.Provisioning)
}

// halted returns why a host in use is down, "" for one that is up, and whether it is back once people end what they do
// to it. One that people retire or name is up until its machine is gone.
func halted(h *inventory.Host) (why string, back bool) {
	kept := *h
	kept.State.Retired = ""
	why, back = down(&kept, false)
	if why == "" && withoutSystem(&h.State) {
		why = "without a system yet"
	}
	return why, back
}

// balancers returns the load balancers of the cluster in front of a role.
func balancers(spec *v1.SIPCluster, name string) (out []server) {
	services := &spec.Spec.Services
	for i := range services.LoadBalancerControlPlane {
		if name == v1.RoleControlPlane {
			out = append(out, server{v1.ServiceName(v1.ListControlPlane, i, spec.Name),
				services.LoadBalancerControlPlane[i].NodeInterface})
		}
	}
	for i := range services.LoadBalancerWorker {
		if name == v1.RoleWorker {
			out = append(out, server{v1.ServiceName(v1.ListWorker, i, spec.Name),
				services.LoadBalancerWorker[i].NodeInterface})
		}
	}
	return out
}

// down returns why a host in an active slot does not serve, "" for one that does, and whether it does again once people
// end what they do to it. An error that metal3 reports about a host in use proves nothing about the system on it, but
// that the power is off.
func down(h *inventory.Host, named bool) (why string, back bool) {
	s := &h.State
	failed := holdings.Failed(h)
	if failed.Code == holdings.InError && s.InUse() {
		failed = holdings.Why{}
	}
	switch {
	case named || failed != holdings.Why{}:
		return "failed", false
	case s.Provisioning == "deprovisioning": // also under people's hands: its machine does not come back
		return s.Provisioning, false
	case s.Cordoned != "":
		return "cordoned", true
	case s.Paused:
		return "paused", true
	case s.InUse() && s.Operational == "servicing": // metal3 changes firmware: the host runs metal3's ramdisk
		return s.Operational, false
	case s.InUse() && (!s.Online || s.PoweredOff):
		return "powered off", false
	case !s.InUse() && holdings.Unfit(h) != holdings.Why{}:
		return "not available", false
	}
	return "", false
}

// member returns the member of a name.
func (r *role) member(key schedule.HostKey) *member {
	return &r.members[slices.IndexFunc(r.members, func(m member) bool { return holdings.KeyOf(m.host) == key })]
}

// without returns what the role loses without some hosts, and the wave of each of these, 0 if the role breaks in any
// order. Hosts that are down whatever goes, or in no active slot, go with the first wave, but for members of etcd.
func (r *role) without(goes map[schedule.HostKey]bool) (Role, map[schedule.HostKey]int) {
	out := Role{Cluster: r.key.Cluster.String(), Role: r.key.Role, Active: r.active, Tolerates: r.tolerates,
		Lost: []string{}}
	waves := map[schedule.HostKey]int{}
	var already, running []schedule.HostKey // that go: those that people have taken down, and those that run
	young, succeeded := 0, 0
	for i := range r.members {
		m := &r.members[i]
		key := holdings.KeyOf(m.host)
		if goes[key] {
			waves[key] = 1
			if m.slot == active {
				out.Lost = append(out.Lost, key.String())
			}
		}
		switch {
		case (m.why == "" || m.runs) && m.slot == active && goes[key]:
			running = append(running, key)
		case m.why == "" && m.slot == active:
			out.Left++
		case m.back && goes[key]:
			already = append(already, key)
		case m.why != "":
			out.Down++
			out.Because = append(out.Because, key.String()+" is "+m.why)
			if m.young {
				young++
			}
			if m.succeeded {
				succeeded++
			}
		case m.used && goes[key] && r.key.Role == v1.RoleControlPlane:
			out.Down++
			out.Because = append(out.Because, fmt.Sprintf("%s is %s and in use", key, m.slot))
		}
	}
	if out.Down += r.empty; r.empty > 0 {
		out.Because = append(out.Because, fmt.Sprintf("%s no host", text.Plural(r.empty, "slot has", "slots have")))
	}
	out.Down -= min(succeeded, young+r.empty) // an old host and its successor are one
	if r.key.Role == v1.RoleControlPlane && r.active > 0 {
		out.Quorum = ControlPlaneQuorum(r.active)
		out.LosesQuorum = out.Left < out.Quorum
	}
	out.LosesAll = out.Left == 0 && r.active > 0
	out.LoadBalancers = r.withoutServers(goes)
	out.accepted = len(out.Lost) <= r.accepts
	out.cordoned = len(already)
	out.Waves = intoWaves(waves, already, running, r.tolerates-out.Down)
	if out.Quorum > 0 {
		r.withoutMembers(goes, &out, waves)
	}
	return out, waves
}

// withoutServers returns the load balancers that reach no host without some.
func (r *role) withoutServers(goes map[schedule.HostKey]bool) (names []string) {
	for _, lb := range r.lbs {
		if r.servers(lb, nil) > 0 && r.servers(lb, goes) == 0 {
			names = append(names, lb.name)
		}
	}
	return names
}

// servers counts the hosts that a load balancer reaches, without some: those in active slots that run.
func (r *role) servers(lb server, goes map[schedule.HostKey]bool) (n int) {
	for i := range r.members {
		m := &r.members[i]
		if m.slot == active && m.why == "" && len(m.host.On(lb.network)) > 0 && !goes[holdings.KeyOf(m.host)] {
			n++
		}
	}
	return n
}
