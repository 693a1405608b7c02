package validation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// diskTypes are the types that metal3 tells apart.
var diskTypes = []string{"hdd", "ssd", "nvme"}

var (
	architecture = regexp.MustCompile(`^[a-z0-9_]{1,63}$`)
	nicSpeed     = regexp.MustCompile(`^[1-9][0-9]{0,5}Gi?$`)
)

// The most disks or interfaces, and entries, that a role asks for.
const (
	mostDevices     = 1000
	mostDiskEntries = 16
)

func validateHardware(h *v1.Hardware, add func(field, format string, args ...any)) {
	if h == nil {
		return
	}
	number := func(field string, found, most int) {
		if found < 0 || found > most {
			add(field, "found %d, want 1 to %d", found, most)
		}
	}
	amount := func(field string, found *resource.Quantity) {
		if found.Sign() < 0 {
			add(field, "found %s, want more than 0", found)
		}
	}
	if h.String() == "" {
		add(".hardware", "found no minimum, want at least one of cpus, memory, architecture, disks, nics")
	}
	number(".hardware.cpus", h.CPUs, 1<<20)
	amount(".hardware.memory", &h.Memory)
	if h.Architecture != "" && !architecture.MatchString(h.Architecture) {
		add(".hardware.architecture", "found %q, want the name that metal3 reports, as in x86_64 or aarch64", h.Architecture)
	}
	if len(h.Disks) > mostDiskEntries {
		add(".hardware.disks", "found %d entries, want at most %d", len(h.Disks), mostDiskEntries)
	}
	for i := range h.Disks {
		d, field := &h.Disks[i], fmt.Sprintf(".hardware.disks[%d]", i)
		number(field+".count", d.Count, mostDevices)
		amount(field+".size", &d.Size)
		if d.Type != "" && !slices.Contains(diskTypes, d.Type) {
			add(field+".type", "found %q, want %s", d.Type, strings.Join(diskTypes, ", "))
		}
	}
	if h.NICs != nil {
		number(".hardware.nics.count", h.NICs.Count, mostDevices)
		if h.NICs.Speed != "" && !nicSpeed.MatchString(h.NICs.Speed) {
			add(".hardware.nics.speed", "found %q, want gigabits per second, as in 25Gi", h.NICs.Speed)
		}
	}
}
