package schedule

import (
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// LacksHardware returns why hardware does not meet a role's requirements, nil if it does. It returns the first lack, in
// the order vendor, model, architecture, CPUs, memory, disks, NICs. Example: for 64Gi of memory on a host with 32Gi, it
// returns TooLittle{What: "memory", Has: "32Gi", Want: "64Gi"}.
func LacksHardware(want *v1.Hardware, is *inventory.Hardware) Reason {
	switch {
	case want == nil:
		return nil
	case is == nil, !is.Inspected() && wantsMore(want):
		return NotInspected{}
	case len(want.Vendor) > 0 && !want.Vendor.Has(is.Vendor):
		return TooLittle{What: "vendor", Has: is.Vendor, Want: want.Vendor.String()}
	case len(want.Model) > 0 && !want.Model.Has(is.Model):
		return TooLittle{What: "model", Has: is.Model, Want: want.Model.String()}
	case want.Architecture != "" && is.Architecture != want.Architecture:
		return TooLittle{What: "architecture", Has: is.Architecture, Want: want.Architecture}
	case is.CPUs < want.CPUs:
		return TooLittle{What: "CPUs", Has: strconv.Itoa(is.CPUs), Want: strconv.Itoa(want.CPUs)}
	}
	if has := resource.NewQuantity(int64(is.MemoryMiB)<<20, resource.BinarySI); has.Cmp(want.Memory) < 0 {
		return TooLittle{What: "memory", Has: has.String(), Want: want.Memory.String()}
	}
	if lack := lacksDisks(want.Disks, is.Disks); lack != nil {
		return lack
	}
	if want.NICs != nil {
		has := 0
		for _, nics := range is.NICs {
			if nics.Gbps >= want.NICs.Gbps() {
				has += nics.Count
			}
		}
		if has < want.NICs.Want() {
			return TooLittle{What: want.NICs.String(), Has: strconv.Itoa(has), Want: strconv.Itoa(want.NICs.Want())}
		}
	}
	return nil
}

// lacksDisks matches disks greedily: entries with a type first, the largest size first, and for each the smallest
// sufficient disks. No other choice leaves more disks, because every disk that suffices for a larger size suffices
// for a smaller one.
func lacksDisks(want []v1.HardwareDisks, is []inventory.Disks) Reason {
	left := slices.Clone(is) // the smallest first
	order := slices.Clone(want)
	slices.SortStableFunc(order, func(a, b v1.HardwareDisks) int {
		if typed := (a.Type == "") != (b.Type == ""); typed {
			return map[bool]int{true: 1, false: -1}[a.Type == ""]
		}
		return b.Size.Cmp(a.Size)
	})
	for i := range order {
		asked := &order[i]
		need := asked.Want()
		for d := range left {
			if fits := asked.Type == "" || asked.Type == left[d].Type; fits && asked.Size.CmpInt64(left[d].Bytes) <= 0 {
				taken := min(need, left[d].Count)
				need, left[d].Count = need-taken, left[d].Count-taken
			}
		}
		if need > 0 {
			return TooLittle{What: asked.String(), Has: strconv.Itoa(asked.Want() - need), Want: strconv.Itoa(asked.Want())}
		}
	}
	return nil
}

// wantsMore reports whether a role asks for more than an architecture, which a host's spec can declare.
func wantsMore(want *v1.Hardware) bool {
	more := *want
	more.Architecture = ""
	return !reflect.DeepEqual(more, v1.Hardware{})
}
