package validation

import (
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/airshipit/sipgen/api/v1"
)

func validateNames(names v1.Names, at complaints) {
	for i, name := range names {
		at := at
		if len(names) > 1 {
			at = at.at("[%d]", i)
		}
		switch {
		case strings.TrimSpace(name) == "":
			at.add("found an empty name, want one that metal3 reports")
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
	amount := func(at complaints, found *resource.Quantity) {
		if found.Sign() < 0 {
			at.add("found %s, want more than 0", found)
		}
	}
	if h.String() == "" {
		at.add("found no requirement, want at least one of cpus, memory, architecture, vendor, model, disks, nics")
	}
	amount(at.at(".memory"), &h.Memory)
	validateNames(h.Vendor, at.at(".vendor"))
	validateNames(h.Model, at.at(".model"))
	for i := range h.Disks {
		amount(at.at(".disks[%d].size", i), &h.Disks[i].Size)
	}
}
