package inventory

import (
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// Hardware is the result of metal3's inspection, as far as roles can ask for it. A host without one may have the
// architecture that its spec declares.
type Hardware struct {
	// Vendor and Model are the manufacturer and the name of the product, as in Dell Inc. and PowerEdge R740.
	Vendor string `json:"vendor,omitempty"`
	Model  string `json:"model,omitempty"`
	// Architecture is the CPU's, as in x86_64.
	Architecture string `json:"architecture,omitempty"`
	// CPUs are the logical ones.
	CPUs int `json:"cpus,omitempty"`
	// MemoryMiB is the memory in mebibytes.
	MemoryMiB int `json:"memoryMiB,omitempty"`
	// Disks of each size and type, the smallest first, then by type.
	Disks []Disks `json:"disks,omitempty"`
	// NICs of each speed, the slowest first.
	NICs []NICs `json:"nics,omitempty"`
}

// Disks are equal disks of a host.
type Disks struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes,omitempty"`
	// Type is hdd, ssd or nvme, empty if unknown.
	Type string `json:"type,omitempty"`
}

// NICs are network interfaces of one speed. Gbps is 0 if unknown.
type NICs struct {
	Count int `json:"count"`
	Gbps  int `json:"gbps,omitempty"`
}

// Inspected reports whether there is more than an architecture.
func (h *Hardware) Inspected() bool {
	return h.Vendor != "" || h.Model != "" || h.CPUs > 0 || h.MemoryMiB > 0 || len(h.Disks)+len(h.NICs) > 0
}

// String returns "Dell Inc. PowerEdge R740, x86_64, 32 CPUs, 256Gi of memory, 2 disks of 894Gi (ssd), 2 NICs of 25G",
// without unknown parts.
func (h *Hardware) String() string {
	var parts []string
	if product := strings.TrimSpace(h.Vendor + " " + h.Model); product != "" {
		parts = append(parts, product)
	}
	if h.Architecture != "" {
		parts = append(parts, h.Architecture)
	}
	if h.CPUs > 0 {
		parts = append(parts, text.Count(h.CPUs, "CPU"))
	}
	switch {
	case h.MemoryMiB > 0 && h.MemoryMiB%1024 == 0:
		parts = append(parts, fmt.Sprintf("%dGi of memory", h.MemoryMiB/1024))
	case h.MemoryMiB > 0:
		parts = append(parts, fmt.Sprintf("%dMi of memory", h.MemoryMiB))
	}
	for _, disk := range h.Disks {
		words := text.Count(disk.Count, "disk")
		if disk.Bytes > 0 {
			words += fmt.Sprintf(" of %dGi", disk.Bytes>>30)
		}
		if disk.Type != "" {
			words += " (" + disk.Type + ")"
		}
		parts = append(parts, words)
	}
	for _, nics := range h.NICs {
		words := text.Count(nics.Count, "NIC")
		if nics.Gbps > 0 {
			words += fmt.Sprintf(" of %dG", nics.Gbps)
		}
		parts = append(parts, words)
	}
	return strings.Join(parts, ", ")
}
