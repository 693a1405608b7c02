package schedule

import (
	"net/netip"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestEligible: a free host is handed out or not by its state; rows carry the reason that is told.
func TestEligible(t *testing.T) {
	rows := []struct {
		reason string
		change func(*inventory.Host)
	}{
		{"", func(h *inventory.Host) {}},
		{"", func(h *inventory.Host) { h.State.Provisioning = "ready" }},
		{"", func(h *inventory.Host) { h.State = inventory.State{} }},
		{"being deleted", func(h *inventory.Host) { h.State.Deleting = true }},
		{"paused", func(h *inventory.Host) { h.State.Paused = true }},
		{"detached", func(h *inventory.Host) { h.State.Detached = true }},
		{"marked unhealthy", func(h *inventory.Host) { h.State.Unhealthy = true }},
		{"retired", func(h *inventory.Host) { h.State.Retired = "disks" }},
		{"cordoned", func(h *inventory.Host) { h.State.Cordoned = "audit" }},
		{"in error", func(h *inventory.Host) { h.State.Operational = "error" }},
		{"in error", func(h *inventory.Host) { h.State.ErrorMessage = "no power" }},
		{"in use", func(h *inventory.Host) { h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine"} }},
		{"kept for reuse", func(h *inventory.Host) { h.State.NodeReuse = "md-0" }},
		{"externally provisioned", func(h *inventory.Host) { h.State.ExternallyProvisioned = true }},
		{"has an image, but no claim", func(h *inventory.Host) { h.State.Image = true }},
		{"has an image, but no claim", func(h *inventory.Host) { h.State = inventory.State{Image: true} }},
		{"provisioning state inspecting", func(h *inventory.Host) { h.State.Provisioning = "inspecting" }},
		{"no provisioning state yet", func(h *inventory.Host) { h.State.Provisioning = "" }},
		{"operational status servicing", func(h *inventory.Host) { h.State.Operational = "servicing" }},
		{"no address on oam", func(h *inventory.Host) { h.Addresses = nil }},
		{"no address on oam", func(h *inventory.Host) { h.Addresses[0].Network = "storage" }},
		{"no address on oam", func(h *inventory.Host) { h.Addresses[0].IP = netip.Addr{} }},
		{"incomplete sipgen labels", func(h *inventory.Host) { h.Labels[testOptions.Keys.NodeType] = "Worker" }},
		{"incomplete sipgen labels", func(h *inventory.Host) { h.Labels[testOptions.Keys.Standby] = "true" }},
	}
	for _, row := range rows {
		c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})
		c.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{NodeInterface: "oam"}}
		h := host1("h1", "w", "r1")
		row.change(&h)
		p := plan(t, []v1.SIPCluster{c}, []inventory.Host{h}, Previous{}, testOptions)
		r := &p.Clusters[0].Roles[0]
		switch {
		case row.reason == "" && len(r.Assigned) != 1:
			t.Errorf("%+v: not handed out: %v", h.State, p.Hosts[0])
		case row.reason != "" && len(r.Assigned) != 0:
			t.Errorf("%s: handed out all the same", row.reason)
		case row.reason != "" && (len(r.Rejected) != 1 || r.Rejected[0].Count != 1 ||
			Say.Reason(r.Rejected[0].Reason) != row.reason):
			t.Errorf("reasons %v, want 1 %s", r.Rejected, row.reason)
		case row.reason != "" && !strings.Contains(Say.Shortage(&p.Shortages[0]),
			"1 more host matches but: 1 "+row.reason):
			t.Errorf("shortage %q does not say %q", Say.Shortage(&p.Shortages[0]), row.reason)
		}
	}
}

// TestRunning: a host that belongs to no cluster and runs a machine is counted among those that a role cannot have,
// whatever else keeps it from the role: it may be the new cluster's own.
func TestRunning(t *testing.T) {
	used := func(h *inventory.Host) { h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine"} }
	for _, row := range []struct {
		why     string
		change  func(*inventory.Host)
		running int
	}{
		{"in use", used, 1},
		{"an image", func(h *inventory.Host) { h.State.Image = true }, 1},
		{"externally provisioned", func(h *inventory.Host) { h.State.ExternallyProvisioned = true }, 1},
		{"no patch may be written", func(h *inventory.Host) {
			used(h)
			h.Faults = []inventory.Fault{{Kind: inventory.FaultPatch}}
		}, 1},
		{"paused for a move", func(h *inventory.Host) { used(h); h.State.Paused = true }, 1},
		{"detached", func(h *inventory.Host) { used(h); h.State.Detached = true }, 1},
		{"cordoned", func(h *inventory.Host) { used(h); h.State.Cordoned = "audit" }, 1},
		{"retired", func(h *inventory.Host) { used(h); h.State.Retired = "disks" }, 1},
		{"deleted", func(h *inventory.Host) { used(h); h.State.Deleting = true }, 1},
		{"a cluster's labels", func(h *inventory.Host) { used(h); h.Labels[testOptions.Keys.NodeType] = "Worker" }, 0},
		{"cordoned and idle", func(h *inventory.Host) { h.State.Cordoned = "audit" }, 0},
		{"another selector", func(h *inventory.Host) { used(h); h.Labels["kind"] = "x" }, 0},
	} {
		c := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})
		h := host1("h1", "w", "r1")
		row.change(&h)
		p := plan(t, []v1.SIPCluster{c}, []inventory.Host{h, host1("h2", "w", "r1")}, Previous{}, testOptions)
		running := 0
		for _, rejected := range p.Clusters[0].Roles[0].Rejected {
			running += rejected.Running
		}
		assert.Equal(t, row.running, running, row.why)
	}
}

// TestLacksHardware: each row is the least that a role asks for, and what a host with the hardware below lacks of it.
func TestLacksHardware(t *testing.T) {
	const gi = 1 << 30
	is := &inventory.Hardware{
		Vendor: "Dell Inc.", Model: "PowerEdge R740", Architecture: "x86_64", CPUs: 32, MemoryMiB: 256 << 10,
		Disks: []inventory.Disks{{Count: 2, Bytes: 900 * gi, Type: "ssd"}, {Count: 1, Bytes: 1000 * gi, Type: "nvme"},
			{Count: 2, Bytes: 2000 * gi, Type: "nvme"}},
		NICs: []inventory.NICs{{Count: 2, Gbps: 1}, {Count: 2, Gbps: 25}},
	}
	for _, row := range []struct{ want, lacks string }{
		{"{architecture: x86_64, cpus: 32, memory: 256Gi, nics: {count: 2, speed: 25Gi}}", ""},
		// Names are equal but for case and the white space around them: a part is not enough.
		{"{vendor: Dell Inc.}", ""},
		{"{vendor: ' DELL inc. ', model: [PowerEdge R640, poweredge r740]}", ""},
		{"{vendor: [HPE, Dell Inc.], cpus: 33}", "with 32 CPUs, want 33"},
		{"{vendor: Dell}", `of vendor "Dell Inc.", want "Dell"`},
		{"{vendor: [Dell, HPE], model: R740}", `of vendor "Dell Inc.", want "Dell" or "HPE"`},
		{"{model: Power Edge R740, architecture: aarch64}", `of model "PowerEdge R740", want "Power Edge R740"`},
		{"{vendor: []}", ""},
		{"{vendor: null}", ""},
		{"{architecture: aarch64, cpus: 64}", "with CPUs of x86_64, want aarch64"},
		{"{cpus: 33}", "with 32 CPUs, want 33"},
		{"{memory: 257Gi}", "with 256Gi of memory, want 257Gi"},
		{"{memory: 274877906945}", "with 256Gi of memory, want 274877906945"},
		{"{memory: 270G}", ""},
		{"{nics: {count: 4}}", ""},
		{"{nics: {}}", ""},
		{"{nics: {count: 5}}", "with 4 NICs, want 5"},
		{"{nics: {count: 3, speed: 10G}}", "with 2 NICs of 10G, want 3"},
		{"{nics: {speed: 100G}}", "with 0 NICs of 100G, want 1"},
		{"{disks: [{count: 5}]}", ""},
		{"{disks: [{count: 6}]}", "with 5 disks, want 6"},
		{"{disks: [{count: 3, size: 1000Gi}]}", ""},
		{"{disks: [{count: 4, size: 1000Gi}]}", "with 3 disks of 1000Gi, want 4"},
		{"{disks: [{type: hdd}]}", "with 0 disks (hdd), want 1"},
		// A disk counts for one entry.
		{"{disks: [{count: 3, type: nvme}, {count: 2, type: ssd}]}", ""},
		{"{disks: [{count: 3, type: nvme}, {count: 3}]}", "with 2 disks, want 3"},
		{"{disks: [{count: 3}, {count: 3, type: nvme}]}", "with 2 disks, want 3"},
		// The smallest that will do is taken: what is left is the most.
		{"{disks: [{count: 1, type: nvme}, {count: 2, size: 2000Gi}]}", ""},
		{"{disks: [{count: 2, size: 500Gi}, {count: 3, size: 1000Gi}]}", ""},
		{"{disks: [{count: 1, size: 1000Gi, type: nvme}, {count: 2, size: 2000Gi, type: nvme}, {count: 2}]}", ""},
		{"{disks: [{count: 2, size: 1000Gi, type: nvme}, {count: 2, size: 2000Gi}]}", "with 1 disks of 2000Gi, want 2"},
	} {
		var want v1.Hardware
		require.NoError(t, yaml.UnmarshalStrict([]byte(row.want), &want))
		got := ""
		if why := LacksHardware(&want, is); why != nil {
			got = Say.Reason(why)
		}
		assert.Truef(t, got == row.lacks, "%s: %q, want %q", row.want, got, row.lacks)
	}
}

// TestHardwareOfOtherNames: hardware that differs in names alone is another one, however the names are written.
func TestHardwareOfOtherNames(t *testing.T) {
	seen := map[string]string{"": "none"}
	for _, text := range []string{
		"{vendor: a, model: b}", "{vendor: b, model: a}", "{vendor: [a, b]}", "{model: [a, b]}", `{vendor: 'a" or "b'}`,
		`{vendor: 'a, model "b"'}`,
		"{vendor: a, cpus: 32}", `{vendor: 'a", 32 CPUs'}`, "{vendor: password=a}", "{vendor: password=b}",
		`{vendor: '"a" "b"'}`, "{cpus: 32}",
	} {
		var want v1.Hardware
		require.NoError(t, yaml.UnmarshalStrict([]byte(text), &want))
		other, is := seen[want.Key()]
		assert.Truef(t, !is, "%s is the same as %s", text, other)
		seen[want.Key()] = text
	}
}

// TestHardware: a role that asks for hardware gets new hosts that have it, keeps those that it holds, and a shortage
// counts what the others have.
func TestHardware(t *testing.T) {
	with := func(name string, memory int) inventory.Host {
		h := host1(name, "w", "r-"+name)
		if memory > 0 {
			h.Hardware = &inventory.Hardware{MemoryMiB: memory << 10}
		}
		return h
	}
	set := nodes("kind=w", 2, 0)
	require.NoError(t, yaml.Unmarshal([]byte("{memory: 256Gi}"), &set.Hardware))
	clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: set}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})}
	hosts := []inventory.Host{claimed(with("held", 64), "a", v1.RoleWorker), with("h1", 128), with("h2", 128),
		with("h3", 0), with("h4", 512)}
	// b takes none that a needs, though it comes first by name of those that fit b.
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	wantPlaced(t, "", p, "a Worker: +h4 held\nb Worker: +h1\n")
	p = plan(t, clusters[:1], hosts[1:4], Previous{}, testOptions)
	said, want := Say.Shortage(&p.Shortages[0]), "3 more hosts match but: 1 not inspected by metal3, and the role asks for hardware, 2 with 128Gi of memory. Missing: 2 hosts with kind=w and 256Gi of memory"
	assert.Truef(t, strings.Contains(said, want), "%q does not say %q", said, want)
}

// TestExplainLack: whatever keeps a selected host from a role, explain says that, and not that the role could use the
// host.
func TestExplainLack(t *testing.T) {
	set := nodes("kind=w", 1, 0)
	set.Hardware = &v1.Hardware{CPUs: 32}
	with := func(name, labels string, cpus int, addresses ...string) inventory.Host {
		h := at(newHost(name, labels), "", addresses...)
		if cpus > 0 {
			h.Hardware = &inventory.Hardware{CPUs: cpus}
		}
		return h
	}
	unread := with("unread", "kind=w rack=r6", 32)
	unread.AddressProblems = []inventory.AddressProblem{{Network: "oam", Text: "Secret metal/x: missing"}}
	cluster := onOAM("a", 1, 0)
	cluster.Spec.Nodes[v1.RoleWorker] = set
	cluster.Annotations = map[string]string{v1.RemoveAnnotation: "named"}
	hosts := []inventory.Host{
		with("few", "kind=w rack=r1", 8, "192.0.2.1"), with("named", "kind=w rack=r2", 32, "192.0.2.2"),
		with("off", "kind=w rack=r3", 32),
		with("raw", "kind=w rack=r4", 0, "192.0.2.3"), with("where", "kind=w", 32, "192.0.2.4"), unread,
	}
	p := plan(t, []v1.SIPCluster{cluster}, hosts, Previous{}, testOptions)
	for host, want := range map[string]string{
		"few":    "selects it, but it is not eligible",
		"named":  "selects it, but an annotation of the cluster names it",
		"off":    "selects it, but it has no address on oam",
		"raw":    "selects it, but it is not eligible",
		"where":  "selects it, but it has no label rack",
		"unread": "selects it, but it has no address on oam (Secret metal/x: missing)",
	} {
		said, _ := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: host})
		// The host's own reason stands above, once.
		if host == "few" {
			assert.Equal(t, 1, strings.Count(said, "with 8 CPUs, want 32"), "a reason twice")
		}
		assert.Truef(t, strings.HasSuffix(said, "\n  tenants/a Worker: "+want+"\n"), "%s: %s\nwant %s", host, said,
			want)
	}
}

// TestInUse: a host that somebody uses is not released, whatever it is that says so. Each row has the others' default.
func TestInUse(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*inventory.State)
		want   string
	}{
		{"nothing uses it", func(*inventory.State) {}, "a Worker: -w1\n"},
		{"a consumer alone", func(s *inventory.State) {
			s.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "tenants", Name: "m"}
		}, "a Worker: (w1)\n"},
		{"an image alone", func(s *inventory.State) { s.Image = true }, "a Worker: (w1)\n"},
		{"provisioned by others", func(s *inventory.State) { s.ExternallyProvisioned = true }, "a Worker: (w1)\n"},
		{"a state alone", func(s *inventory.State) { s.Provisioning = "provisioned" }, "a Worker: (w1)\n"},
		{"a state alone", func(s *inventory.State) { s.Provisioning = "externally provisioned" }, "a Worker: (w1)\n"},
		{"a system is being written", func(s *inventory.State) { s.Provisioning = "provisioning" }, "a Worker: (w1)\n"},
		{"it is being wiped", func(s *inventory.State) { s.Provisioning = "deprovisioning" }, "a Worker: (w1)\n"},
	} {
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 0, 0)})}
		hosts := []inventory.Host{with(claimed(host1("w1", "w", "r1"), "a", v1.RoleWorker), row.change)}
		wantPlaced(t, row.why, plan(t, clusters, hosts, Previous{}, testOptions), row.want)
	}
}
