package validation

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// The most names, and their characters: the bounds of v1.Names in the definition.
const (
	mostNames   = 16
	longestName = 128
)

func validateNames(names v1.Names, at complaints) {
	if len(names) > mostNames {
		at.add("found %d names, want at most %d", len(names), mostNames)
	}
	for i, name := range names {
		at := at
		if len(names) > 1 {
			at = at.at("[%d]", i)
		}
		switch n := utf8.RuneCountInString(name); {
		case strings.TrimSpace(name) == "":
			at.add("found an empty name, want one that metal3 reports")
		case n > longestName:
			at.add("found %d characters, want at most %d", n, longestName)
		case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
			at.add("found a character that cannot be printed, want a name that metal3 reports")
		}
	}
}

func validateHardware(h *v1.Hardware, at complaints) {
	if h == nil {
		return
	}
	at = at.at(".hardware")
	number := func(at complaints, found, most int) {
		if found < 0 || found > most {
			at.add("found %d, want 1 to %d", found, most)
		}
	}
	amount := func(at complaints, found *resource.Quantity) {
		if found.Sign() < 0 {
			at.add("found %s, want more than 0", found)
		}
	}
	if h.String() == "" {
		at.add("found no requirement, want at least one of cpus, memory, architecture, vendor, model, disks, nics")
	}
	number(at.at(".cpus"), h.CPUs, 1<<20)
	amount(at.at(".memory"), &h.Memory)
	if h.Architecture != "" && !architecture.MatchString(h.Architecture) {
		at.at(".architecture").add("found %q, want the name that metal3 reports, as in x86_64 or aarch64",
			h.Architecture)
	}
	validateNames(h.Vendor, at.at(".vendor"))
	validateNames(h.Model, at.at(".model"))
	if len(h.Disks) > mostDiskEntries {
		at.at(".disks").add("found %d entries, want at most %d", len(h.Disks), mostDiskEntries)
	}
	for i := range h.Disks {
		d, at := &h.Disks[i], at.at(".disks[%d]", i)
		number(at.at(".count"), d.Count, mostDevices)
		amount(at.at(".size"), &d.Size)
		if d.Type != "" && !slices.Contains(diskTypes, d.Type) {
			at.at(".type").add("found %q, want %s", d.Type, strings.Join(diskTypes, ", "))
		}
	}
	if h.NICs != nil {
		number(at.at(".nics.count"), h.NICs.Count, mostDevices)
		if h.NICs.Speed != "" && !nicSpeed.MatchString(h.NICs.Speed) {
			at.at(".nics.speed").add("found %q, want gigabits per second, as in 25Gi", h.NICs.Speed)
		}
	}
}
