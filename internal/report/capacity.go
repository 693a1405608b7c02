package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// Capacity counts the hosts of each class by state, for `sipgen capacity -o json`. Its fields are stable.
type Capacity struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Site       string `json:"site"`
	// By is the label whose value is the class, hardware.vendor or hardware.model, or empty for equal hardware.
	By      string          `json:"by,omitempty"`
	Classes []CapacityClass `json:"classes"`
	// Like is how many more clusters like one fit.
	Like *CapacityLike `json:"like,omitempty"`
	// Kept are the free hosts that reservations of the Site keep.
	Kept    []KeptHosts `json:"kept,omitempty"`
	MinFree []MinFree   `json:"minFree,omitempty"`
	// KeptForReuse are the unused hosts, of no cluster or leaving one, that Cluster API's node reuse keeps from every
	// other cluster.
	KeptForReuse []KeptForReuse `json:"keptForReuse,omitempty"`
}

// CapacityClass counts hosts that are alike. All other numbers are parts of the total.
type CapacityClass struct {
	Class       string `json:"class"`
	Total       int    `json:"total"`
	Held        int    `json:"held"`
	Leaving     int    `json:"leaving"`
	LeftAlone   int    `json:"leftAlone"`
	Free        int    `json:"free"`
	Cordoned    int    `json:"cordoned"`
	NotEligible int    `json:"notEligible"`
}

// CapacityLike is how many more clusters like one fit, after all existing ones.
type CapacityLike struct {
	Cluster string `json:"cluster"`
	More    int    `json:"more"`
	// Why is what the next one lacks, empty if another cluster would lose hosts to it.
	Why string `json:"why,omitempty"`
}

// KeptForReuse is a host without sipgen's labels, and the machines for which Cluster API keeps it.
type KeptForReuse struct {
	Host string `json:"host"`
	For  string `json:"for"`
}

// MinFree is how many free hosts a selector matches, and the required minimum.
type MinFree struct {
	Selector string `json:"selector"`
	Want     int    `json:"want"`
	// Free hosts, of which Kept have to be among those that reservations keep.
	Free int `json:"free"`
	Kept int `json:"kept,omitempty"`
}

// Classes that are no labels: the vendor and the model that metal3's inspection found.
const (
	ByVendor = "hardware.vendor"
	ByModel  = "hardware.model"
)

// ClassOf returns the class of a host: its value of a label, its vendor or model, or all its hardware if by is empty.
func ClassOf(h *inventory.Host, by string) string {
	switch value, has := h.Labels[by]; {
	case by != "" && has:
		return value
	case by == ByVendor && h.Hardware != nil:
		return cmp.Or(h.Hardware.Vendor, "no known vendor")
	case by == ByModel && h.Hardware != nil:
		return cmp.Or(h.Hardware.Model, "no known model")
	case by == ByVendor || by == ByModel:
	case by != "":
		return "no label " + by
	case h.Hardware != nil:
		return h.Hardware.String()
	}
	return "not inspected"
}

// CapacityOf counts hosts by the value of a label, by vendor or model, or by all their hardware if by is empty. Classes
// are sorted by name.
func CapacityOf(site string, of *holdings.Holdings, by string) *Capacity {
	out := &Capacity{APIVersion: v1alpha1.APIVersion, Kind: "Capacity", Site: site, By: by, Classes: []CapacityClass{}}
	at := map[string]int{}
	for i := range of.Hosts {
		h := &of.Hosts[i]
		class := ClassOf(h.Host, by)
		n, known := at[class]
		if !known {
			n = len(out.Classes)
			at[class], out.Classes = n, append(out.Classes, CapacityClass{Class: class})
		}
		out.Classes[n].add(HostState(h))
	}
	for _, h := range of.KeptForReuse() {
		out.KeptForReuse = append(out.KeptForReuse, KeptForReuse{h.Host.Key(), h.Host.State.NodeReuse})
	}
	slices.SortFunc(out.Classes, func(a, b CapacityClass) int { return strings.Compare(a.Class, b.Class) })
	return out
}

// ReuseWords returns a sentence about the hosts that Cluster API keeps, "" if there are none.
func (c *Capacity) ReuseWords() string {
	if len(c.KeptForReuse) == 0 {
		return ""
	}
	var names []string
	for _, kept := range c.KeptForReuse {
		names = append(names, redact.Sprintf("%s (%s)", kept.Host, kept.For))
	}
	return "Cluster API's nodeReuse keeps " + text.Count(len(names), "host") + " from other clusters: " + some(names)
}

func (c *CapacityClass) add(state string) {
	c.Total++
	switch state {
	case string(holdings.Held):
		c.Held++
	case string(holdings.Leaving):
		c.Leaving++
	case string(holdings.LeftAlone):
		c.LeftAlone++
	case string(holdings.Free):
		c.Free++
	case hostCordoned:
		c.Cordoned++
	default:
		c.NotEligible++
	}
}

// Rows returns the lines of a table, the head among them, and the sum of several classes.
func (c *Capacity) Rows() [][]string {
	rows := [][]string{{"CLASS", "TOTAL", "HELD", "LEAVING", "LEFT ALONE", "FREE", "CORDONED", "NOT ELIGIBLE"}}
	sum := CapacityClass{Class: "all"}
	row := func(c *CapacityClass) {
		cells := []string{text.Line(c.Class)}
		for _, n := range []int{c.Total, c.Held, c.Leaving, c.LeftAlone, c.Free, c.Cordoned, c.NotEligible} {
			cells = append(cells, strconv.Itoa(n))
		}
		rows = append(rows, cells)
	}
	for i := range c.Classes {
		one := &c.Classes[i]
		row(one)
		sum.Total, sum.Held, sum.Leaving, sum.LeftAlone = sum.Total+one.Total, sum.Held+one.Held, sum.Leaving+one.Leaving,
			sum.LeftAlone+one.LeftAlone
		sum.Free, sum.Cordoned, sum.NotEligible = sum.Free+one.Free, sum.Cordoned+one.Cordoned,
			sum.NotEligible+one.NotEligible
	}
	if len(c.Classes) != 1 {
		row(&sum)
	}
	return rows
}
