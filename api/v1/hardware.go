package v1

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/airshipit/sipgen/internal/redact"
)

// Hardware is the required hardware of a role's new hosts, as metal3's inspection finds it. It excludes hosts without
// inspection.
type Hardware struct {
	// Minimum number of logical CPUs. Default: any.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	// +optional
	CPUs int `json:"cpus,omitempty"`
	// Minimum memory, for example 256Gi. Default: any.
	// +optional
	Memory resource.Quantity `json:"memory,omitzero"`
	// CPU architecture as metal3 reports it, for example x86_64 or aarch64. Default: any.
	// +kubebuilder:validation:Pattern=`^[a-z0-9_]*$`
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Architecture string `json:"architecture,omitempty"`
	// Allowed vendors of the host, as metal3's inspection reports them (systemVendor.manufacturer), for example
	// Dell Inc. or HPE, in any case. Default: any.
	// +optional
	Vendor Names `json:"vendor,omitempty"`
	// Allowed models of the host, as metal3's inspection reports them (systemVendor.productName), for example
	// PowerEdge R740, in any case. Default: any.
	// +optional
	Model Names `json:"model,omitempty"`
	// Minimum disks. Each disk of a host counts for one entry. Default: any.
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Disks []HardwareDisks `json:"disks,omitempty"`
	// Minimum network interfaces. Default: any.
	// +optional
	NICs *HardwareNICs `json:"nics,omitempty"`
}

// Names are alternatives: a string, or a list of strings. No marker describes a field that may be either, so
// hack/generate.sh makes the schema from that of a list.
// +kubebuilder:validation:MaxItems=16
// +kubebuilder:validation:items:MaxLength=128
// +kubebuilder:pruning:PreserveUnknownFields
type Names []string

// UnmarshalJSON reads a string or a list of strings.
func (n *Names) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte{'"'}) {
		return json.Unmarshal(data, (*[]string)(n))
	}
	*n = Names{""}
	return json.Unmarshal(data, &(*n)[0])
}

// Has reports whether a name is among the alternatives. Case and white space around a name do not matter.
func (n Names) Has(name string) bool {
	return slices.ContainsFunc(n, func(one string) bool {
		return strings.EqualFold(strings.TrimSpace(one), strings.TrimSpace(name))
	})
}

// String returns the names as in `"Dell Inc." or "HPE"`, without values that may be secrets.
func (n Names) String() string {
	shown := make([]string, len(n))
	for i, name := range n {
		// Model names have these, as in "PowerEdge R740 (SKU=NotProvided;ModelName=PowerEdge R740)".
		if shown[i] = redact.Value(name); redact.Value(strings.NewReplacer(";", ",", "+", ",").Replace(name))[0] == '"' {
			shown[i] = strconv.Quote(name)
		}
	}
	return strings.Join(shown, " or ")
}

// HardwareDisks is a number of disks of at least one size.
type HardwareDisks struct {
	// Minimum number of disks. Default 1.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
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
	// +kubebuilder:validation:Maximum=1000
	// +optional
	Count int `json:"count,omitempty"`
	// Minimum speed of each interface in gigabits per second, for example 25G or 25Gi. Default: any.
	// +kubebuilder:validation:Pattern=`^([1-9][0-9]{0,5}Gi?)?$`
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

// Key returns a text that only equal hardware has, empty for nil. It is not for messages.
func (h *Hardware) Key() string {
	if h == nil {
		return ""
	}
	return fmt.Sprintf("%s %q %q", h, []string(h.Vendor), []string(h.Model))
}

// String returns the hardware as in `vendor "HPE", x86_64, 32 CPUs, 256Gi of memory, 2 disks of 1Ti (nvme), 2 NICs of
// 25Gi`, empty for nil.
func (h *Hardware) String() string {
	if h == nil {
		return ""
	}
	var parts []string
	if len(h.Vendor) > 0 {
		parts = append(parts, "vendor "+h.Vendor.String())
	}
	if len(h.Model) > 0 {
		parts = append(parts, "model "+h.Model.String())
	}
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
