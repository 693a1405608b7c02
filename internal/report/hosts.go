package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// HostList is the owner of each host, for `sipgen hosts -o json`. Its fields are stable.
type HostList struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Site       string       `json:"site"`
	Hosts      []ListedHost `json:"hosts"`
}

// ListedHost is one host with its owner, or why no cluster can have it.
type ListedHost struct {
	Host         string            `json:"host"`
	State        string            `json:"state"`
	Cluster      string            `json:"cluster,omitempty"`
	Role         string            `json:"role,omitempty"`
	Standby      bool              `json:"standby,omitempty"`
	By           string            `json:"by,omitempty"`
	Why          string            `json:"why,omitempty"`
	Rack         string            `json:"rack,omitempty"`
	Provisioning string            `json:"provisioning,omitempty"`
	UID          string            `json:"uid,omitempty"`
	Hardware     string            `json:"hardware,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
}

// The states of listed hosts in addition to those of holdings: free hosts that no cluster can have.
const (
	hostCordoned    = "cordoned"
	hostNotEligible = "not eligible"
)

// HostStates returns the states of listed hosts, as a summary has them.
func HostStates() []string {
	return []string{string(holdings.Held), string(holdings.Leaving), string(holdings.LeftAlone), string(holdings.Free),
		hostCordoned, hostNotEligible}
}

// HostState returns the state of a host: that of holdings, and of a free host whether a cluster can have it.
func HostState(h *holdings.Holding) string {
	switch {
	case h.State != holdings.Free || h.Why.Code == "":
		return string(h.State)
	case h.Why.Code == holdings.Cordoned:
		return hostCordoned
	}
	return hostNotEligible
}

// ListHosts lists all hosts, by namespace and name. A free host that is reserved for some tenants alone has that as its
// Why.
func ListHosts(site string, of *holdings.Holdings, reserved []schedule.Reservation) *HostList {
	out := &HostList{APIVersion: v1alpha1.APIVersion, Kind: "Hosts", Site: site, Hosts: make([]ListedHost, len(of.Hosts))}
	rack := rackLabel(of)
	for i := range of.Hosts {
		h := &of.Hosts[i]
		line := ListedHost{
			Host: h.Host.Key(), State: HostState(h), Role: h.Role, Standby: h.Standby, By: string(h.By),
			Why:  sentence.Holding(h),
			Rack: h.Host.Labels[rack], Provisioning: h.Host.State.Provisioning, UID: h.Host.UID, Labels: h.Host.Labels,
		}
		for n := range reserved {
			if why := reserved[n].ReservedFor(h.Host); why != nil && line.State == string(holdings.Free) && line.Why == "" {
				line.Why = sentence.Reason(why)
			}
		}
		if h.Host.Hardware != nil {
			line.Hardware = h.Host.Hardware.String()
		}
		if h.Cluster != (holdings.ClusterKey{}) {
			line.Cluster = h.Cluster.String()
		}
		out.Hosts[i] = line
	}
	return out
}

// rackLabel returns the label whose key ends in "rack", "" if there is none: of several, the one on most hosts, then
// the first by name.
func rackLabel(of *holdings.Holdings) string {
	count := map[string]int{}
	for i := range of.Hosts {
		for key := range of.Hosts[i].Host.Labels {
			if strings.HasSuffix(key, "rack") {
				count[key]++
			}
		}
	}
	keys := slices.Collect(maps.Keys(count))
	if len(keys) == 0 {
		return ""
	}
	return slices.MinFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]),
			strings.Compare(a, b))
	})
}

// Summary returns "4 hosts: 3 held, 1 free".
func (l *HostList) Summary() string {
	count := map[string]int{}
	for i := range l.Hosts {
		count[l.Hosts[i].State]++
	}
	var parts []string
	for _, state := range HostStates() {
		if n := count[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	words := text.Count(len(l.Hosts), "host")
	if len(parts) > 0 {
		words += ": " + strings.Join(parts, ", ")
	}
	return words
}

// Rows returns the lines of a table with its head. wide adds the state in metal3, the API server and the hardware.
func (l *HostList) Rows(wide bool) [][]string {
	row := func(host, state, cluster, role, slot, rack, by, provisioning, uid, hardware, why string) []string {
		cells := []string{host, state, cluster, role, slot, rack}
		if wide {
			cells = append(cells, by, provisioning, uid, hardware)
		}
		cells = append(cells, why)
		for i := range cells {
			cells[i] = text.Line(cells[i])
		}
		return cells
	}
	rows := [][]string{row("HOST", "STATE", "CLUSTER", "ROLE", "SLOT", "RACK", "BY", "PROVISIONING", "UID", "HARDWARE",
		"WHY")}
	for i := range l.Hosts {
		h := &l.Hosts[i]
		slot := ""
		switch {
		case h.State != string(holdings.Held):
		case h.Standby:
			slot = "standby"
		default:
			slot = "active"
		}
		rows = append(rows, row(h.Host, h.State, h.Cluster, h.Role, slot, h.Rack, h.By, h.Provisioning, h.UID, h.Hardware,
			h.Why))
	}
	return rows
}
