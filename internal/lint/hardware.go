package lint

import (
	"fmt"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// hardware are the minimums of a role that no inspected host has, each by itself.
func (c *checker) hardware(r *role) {
	if r.set.Hardware == nil {
		return
	}
	var inspected []*inventory.Hardware
	for i := range c.Hosts {
		if c.Hosts[i].Hardware != nil {
			inspected = append(inspected, c.Hosts[i].Hardware)
		}
	}
	if len(inspected) == 0 {
		c.cluster(finding.NoHardware, finding.Warning, r.cluster, r.field(".hardware"),
			fmt.Sprintf("none of %s was inspected: the role gets no host", text.Count(len(c.Hosts), "host")),
			"have metal3 inspect the hosts, or read the inventory with status.hardware or HardwareData")
		return
	}
	for _, one := range single(r.set.Hardware) {
		if !slices.ContainsFunc(inspected, func(is *inventory.Hardware) bool {
			return schedule.LacksHardware(&one.want,
				is) == nil
		}) {
			c.cluster(finding.NoHardware, finding.Error, r.cluster, r.field(".hardware"+one.field),
				fmt.Sprintf("wants %s, and none of the %s has that", &one.want, text.Count(len(inspected), "inspected host")),
				"lower the minimum, or add hosts")
		}
	}
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
		{".memory", v1.Hardware{Memory: h.Memory}}, {".nics", v1.Hardware{NICs: h.NICs}},
	}
	for i := range h.Disks {
		out = append(out, minimum{fmt.Sprintf(".disks[%d]", i), v1.Hardware{Disks: h.Disks[i : i+1]}})
	}
	return out
}
