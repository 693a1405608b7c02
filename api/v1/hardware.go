package v1

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Hardware is the minimum hardware of a role's new hosts, as metal3's inspection finds it. It excludes hosts without
// inspection.
type Hardware struct {
	// Minimum number of logical CPUs. Default: any.
	// +kubebuilder:validation:Minimum=1
	// +optional
	CPUs int `json:"cpus,omitempty"`
	// Minimum memory, for example 256Gi. Default: any.
	// +optional
	Memory resource.Quantity `json:"memory,omitzero"`
	// CPU architecture as metal3 reports it, for example x86_64 or aarch64. Default: any.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Architecture string `json:"architecture,omitempty"`
	// Minimum disks. Each disk of a host counts for one entry. Default: any.
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Disks []HardwareDisks `json:"disks,omitempty"`
	// Minimum network interfaces. Default: any.
	// +optional
	NICs *HardwareNICs `json:"nics,omitempty"`
}

// HardwareDisks is a number of disks of at least one size.
type HardwareDisks struct {
	// Minimum number of disks. Default 1.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Count int `json:"count,omitempty"`
	// Minimum size of each disk, for example 1Ti. A disk sold as 1 TB has 931Gi. Default: any.
	// +optional
	Size resource.Quantity `json:"size,omitzero"`
	// Type of the disks. Default: any.
	// +kubebuilder:validation:Enum=hdd;ssd;nvme
	// +optional
	Type string `json:"type,omitempty"`
}

// HardwareNICs is a number of network interfaces of at least one speed.
type HardwareNICs struct {
	// Minimum number of interfaces. Default 1.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Count int `json:"count,omitempty"`
	// Minimum speed of each interface in gigabits per second, for example 25G or 25Gi. Default: any.
	// +kubebuilder:validation:Pattern=`^[1-9][0-9]{0,5}Gi?$`
	// +optional
	Speed string `json:"speed,omitempty"`
}

// Want returns the minimum number of disks.
func (d *HardwareDisks) Want() int { return max(1, d.Count) }

// String returns the disks as in "disks of 1Ti (nvme)".
func (d *HardwareDisks) String() string {
	words := "disks"
	if !d.Size.IsZero() {
		words += " of " + d.Size.String()
	}
	if d.Type != "" {
		words += " (" + d.Type + ")"
	}
	return words
}

// Want returns the minimum number of interfaces.
func (n *HardwareNICs) Want() int { return max(1, n.Count) }

// Gbps returns the speed in gigabits per second, 0 for any.
func (n *HardwareNICs) Gbps() int {
	gbps, _ := strconv.Atoi(strings.TrimRight(n.Speed, "Gi")) // a valid one has digits before these
	return gbps
}

// String returns the interfaces as in "NICs of 25Gi".
func (n *HardwareNICs) String() string {
	if n.Speed == "" {
		return "NICs"
	}
	return "NICs of " + n.Speed
}

// String returns the hardware as in "x86_64, 32 CPUs, 256Gi of memory, 2 disks of 1Ti (nvme), 2 NICs of 25Gi", empty
// for nil.
func (h *Hardware) String() string {
	if h == nil {
		return ""
	}
	var parts []string
	if h.Architecture != "" {
		parts = append(parts, h.Architecture)
	}
	if h.CPUs > 0 {
		parts = append(parts, fmt.Sprintf("%d CPUs", h.CPUs))
	}
	if !h.Memory.IsZero() {
		parts = append(parts, h.Memory.String()+" of memory")
	}
	for i := range h.Disks {
		parts = append(parts, fmt.Sprintf("%d %s", h.Disks[i].Want(), &h.Disks[i]))
	}
	if h.NICs != nil {
		parts = append(parts, fmt.Sprintf("%d %s", h.NICs.Want(), h.NICs))
	}
	return strings.Join(parts, ", ")
}
