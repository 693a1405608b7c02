package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// hardware reports the hardware of a role that no inspected host has, each field by itself, and each name of a list.
func (c *checker) hardware(r *role) {
	if r.set.Hardware == nil {
		return
	}
	var inspected, declared []*inventory.Hardware
	for i := range c.Hosts {
		switch is := c.Hosts[i].Hardware; {
		case is == nil:
		case is.Inspected():
			inspected = append(inspected, is)
		default:
			declared = append(declared, is)
		}
	}
	architecture := v1.Hardware{Architecture: r.set.Hardware.Architecture}
	declares := func(is *inventory.Hardware) bool { return schedule.LacksHardware(r.set.Hardware, is) == nil }
	switch {
	case len(inspected) > 0:
	case slices.ContainsFunc(declared, declares):
		return
	default:
		c.cluster(finding.NoHardware, finding.Warning, r.cluster, r.field(".hardware"),
			fmt.Sprintf("none of %s was inspected: the role gets no host", text.Count(len(c.Hosts), "host"))+
				similarArchitecture(&architecture),
			"have metal3 inspect the hosts, or read the inventory with status.hardware or HardwareData")
		return
	}
	lacked := func(one *minimum) bool {
		return !slices.ContainsFunc(slices.Concat(inspected, declared), func(is *inventory.Hardware) bool {
			return schedule.LacksHardware(&one.want, is) == nil
		})
	}
	report := func(severity finding.Severity, one *minimum) {
		c.cluster(finding.NoHardware, severity, r.cluster, r.field(".hardware"+one.field),
			fmt.Sprintf("requires %s, and none of the %s has that", &one.want, text.Count(len(inspected), "inspected host"))+
				similarArchitecture(&one.want)+c.similarNames(&one.want, inspected),
			"correct or lower it, or add hosts")
	}
	for _, one := range single(r.set.Hardware) {
		if lacked(&one) {
			report(finding.Error, &one)
			continue
		}
		for _, name := range one.alternatives() {
			if lacked(&name) {
				report(finding.Warning, &name)
			}
		}
	}
}

// mostSeen is how many names of vendors or models a finding lists.
const mostSeen = 5

// inspectedAs are the architectures that metal3's inspection finds, by what Go, Debian and Kubernetes call them.
var inspectedAs = map[string]string{"amd64": "x86_64", "x86-64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}

// similarArchitecture returns what metal3 calls an architecture; "" where it is called so.
func similarArchitecture(want *v1.Hardware) string {
	if meant := inspectedAs[strings.ToLower(want.Architecture)]; meant != "" {
		return fmt.Sprintf(", did you mean %q?", meant)
	}
	return ""
}

// similarNames returns the vendor or the model that was likely meant, or those that hosts have; "" for other hardware.
func (c *checker) similarNames(want *v1.Hardware, inspected []*inventory.Hardware) string {
	names, of := want.Vendor, func(is *inventory.Hardware) string { return is.Vendor }
	if len(want.Model) > 0 {
		names, of = want.Model, func(is *inventory.Hardware) string { return is.Model }
	}
	if len(names) == 0 || !c.guess() {
		return ""
	}
	distinct := map[string]bool{}
	for _, is := range inspected {
		distinct[of(is)] = true
	}
	delete(distinct, "")
	seen := slices.Sorted(maps.Keys(distinct))
	for _, name := range names {
		near := manifest.Nearest(name, seen)
		for _, other := range seen {
			// Vendors add a form of company to their name, and serial numbers of parts to a model's.
			if near == "" && strings.Contains(strings.ToLower(other), strings.ToLower(strings.TrimSpace(name))) {
				near = other
			}
		}
		if near != "" {
			return fmt.Sprintf(", did you mean %q?", near)
		}
	}
	if len(seen) == 0 {
		return "; the inventory has none"
	}
	words := "; hosts have " + v1.Names(seen[:min(len(seen), mostSeen)]).String()
	if len(seen) > mostSeen {
		words += fmt.Sprintf(" and %d others", len(seen)-mostSeen)
	}
	return words
}

// minimum is one field of a role's hardware.
type minimum struct {
	field string
	want  v1.Hardware
}

// single returns the minimums one by one.
func single(h *v1.Hardware) []minimum {
	out := []minimum{
		{".architecture", v1.Hardware{Architecture: h.Architecture}}, {".cpus", v1.Hardware{CPUs: h.CPUs}},
		{".vendor", v1.Hardware{Vendor: h.Vendor}}, {".model", v1.Hardware{Model: h.Model}},
		{".memory", v1.Hardware{Memory: h.Memory}}, {".nics", v1.Hardware{NICs: h.NICs}},
	}
	for i := range h.Disks {
		out = append(out, minimum{fmt.Sprintf(".disks[%d]", i), v1.Hardware{Disks: h.Disks[i : i+1]}})
	}
	return out
}

// alternatives returns the names of a list one by one.
func (m *minimum) alternatives() (out []minimum) {
	for i := range m.want.Vendor {
		out = append(out, minimum{fmt.Sprintf("%s[%d]", m.field, i), v1.Hardware{Vendor: m.want.Vendor[i : i+1]}})
	}
	for i := range m.want.Model {
		out = append(out, minimum{fmt.Sprintf("%s[%d]", m.field, i), v1.Hardware{Model: m.want.Model[i : i+1]}})
	}
	return out
}
