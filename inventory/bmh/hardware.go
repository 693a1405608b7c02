package bmh

import (
	"cmp"
	"slices"
	"strings"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/airshipit/sipgen/inventory"
)

// hardwareOf returns the result of inspection, with equal disks and equal interfaces counted. A NIC with an IPv4 and
// an IPv6 address is in metal3's list twice, and counts once, as does a disk with several paths. declared is the
// architecture of the host's spec, for one whose inspection has none.
func hardwareOf(found *metal3.HardwareDetails, declared string) *inventory.Hardware {
	out := &inventory.Hardware{
		Vendor: trimmed(found.SystemVendor.Manufacturer), Model: trimmed(found.SystemVendor.ProductName),
		Architecture: cmp.Or(free(found.CPU.Arch), free(declared)), CPUs: found.CPU.Count, MemoryMiB: found.RAMMebibytes,
	}
	disks, nics, seen := map[inventory.Disks]int{}, map[int]int{}, map[string]bool{}
	for i := range found.Storage {
		disk := &found.Storage[i]
		// Several paths to one disk have its World Wide Name; volumes of a controller differ in the extension.
		if disk.WWN != "" {
			id := "disk " + disk.WWN + " " + disk.WWNVendorExtension + " " + disk.WWNWithExtension
			if seen[id] {
				continue
			}
			seen[id] = true
		}
		kind := free(strings.ToLower(string(disk.Type)))
		if kind == "" && disk.Rotational { // before metal3 had types
			kind = "hdd"
		}
		disks[inventory.Disks{Bytes: int64(disk.SizeBytes), Type: kind}]++
	}
	for i := range found.NIC {
		nic := &found.NIC[i]
		if id := cmp.Or(strings.ToLower(nic.MAC), nic.Name); id == "" || !seen[id] {
			seen[id] = true
			nics[nic.SpeedGbps]++
		}
	}
	for disk, count := range disks { // sorted below
		disk.Count = count
		out.Disks = append(out.Disks, disk)
	}
	slices.SortFunc(out.Disks, func(a, b inventory.Disks) int {
		return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), strings.Compare(a.Type, b.Type))
	})
	for gbps, count := range nics { // sorted below
		out.NICs = append(out.NICs, inventory.NICs{Count: count, Gbps: gbps})
	}
	slices.SortFunc(out.NICs, func(a, b inventory.NICs) int { return cmp.Compare(a.Gbps, b.Gbps) })
	return out
}

func trimmed(name string) string { return free(strings.TrimSpace(name)) }
