package schedule

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule/solve"
)

// matches reports whether a selector of labels and namespaces matches a host.
func matches(s labels.Selector, h *inventory.Host) bool {
	return s.Matches(v1.HostLabels{Namespace: h.Namespace, Labels: h.Labels})
}

// sortByLabels finds the kinds: hosts that are equal in all labels that a selector or a topology key uses. A host
// that is excluded by an annotation of a cluster is a kind of its own.
func (s *planner) sortByLabels() {
	asked := map[string]bool{}
	for _, r := range s.roles {
		for _, selector := range []labels.Selector{r.selector, r.wide} {
			if selector == nil {
				continue
			}
			requirements, _ := selector.Requirements()
			for i := range requirements {
				asked[requirements[i].Key()] = true
			}
		}
		for _, key := range r.required() {
			asked[key] = true
		}
		if len(r.keys) > 1 { // hosts of a kind cross, or do not
			for _, key := range r.keys {
				asked[key] = true
			}
		}
	}
	for _, key := range s.reservedKeys() {
		asked[key] = true
	}
	keys := slices.Sorted(maps.Keys(asked))
	never := map[int32]bool{}
	for _, c := range s.clusters {
		maps.Copy(never, c.never)
	}
	known := map[string]int32{}
	var row []byte
	for i := range s.hosts {
		h := &s.hosts[i]
		row = row[:0]
		for _, key := range keys {
			value, ok := h.Labels[key]
			if key == v1.HostNamespaceKey {
				value, ok = h.Namespace, true
			}
			if ok {
				row = append(binary.AppendUvarint(row, uint64(len(value))+1), value...)
			} else {
				row = append(row, 0)
			}
		}
		if never[int32(i)] {
			row = binary.AppendUvarint(row, uint64(i))
		}
		kind, ok := known[string(row)]
		if !ok {
			kind = int32(len(s.kinds))
			known[string(row)] = kind
			s.kinds = append(s.kinds, int32(i))
		}
		h.kind = kind
	}
	labeled := make([]v1.HostLabels, len(s.kinds))
	for kind, i := range s.kinds {
		labeled[kind] = v1.HostLabels{Namespace: s.hosts[i].Namespace, Labels: s.hosts[i].Labels}
	}
	s.index = v1.IndexHosts(labeled)
}

// selects returns the kinds that a selector matches. Each selector is evaluated once.
func (s *planner) selects(selector labels.Selector) *solve.Set {
	id := "\x00nothing"
	if selector != labels.Nothing() {
		id = selector.String()
	}
	if known := s.selections[id]; known != nil {
		return known
	}
	s.selections[id] = solve.NewSet(s.index.Match(selector), len(s.kinds))
	return s.selections[id]
}

// shape is what a role requires of a host: a selector, the labels of its topology keys, networks with an address, and
// hardware. Many roles share one.
type shape struct {
	selected *solve.Set // of kinds
	required []string
	networks []string
	hardware *v1.Hardware
	never    map[int32]bool // hosts that annotations of the cluster name
	closed   []*Reservation
	fits     *solve.Set // of classes
	// crosses are the classes that one role cannot have because of its topology keys; nil for a shape of several roles.
	crosses map[int32]Reason
}

// class is a set of free hosts that are equal for every role: of one kind, with addresses on the same networks, and
// with hardware that is sufficient for the same roles.
type class struct {
	hosts []int32
	roles int // that it fits
}

// findFitting sorts the free hosts into classes, and finds the classes that fit each role.
func (s *planner) findFitting() {
	index, networks, hardware := map[string]*shape{}, map[string]bool{}, map[string]*v1.Hardware{}
	for _, r := range s.roles {
		id, sh := "", &shape{}
		if r.want() > 0 {
			sh.selected, sh.required, sh.never = s.selects(r.selector), r.required(), r.cluster.never
			if r.cluster.spec != nil {
				sh.networks = networksOf(r.cluster.spec, r.name)
				sh.hardware = r.cluster.spec.Spec.Nodes[r.name].Hardware
			}
			id = r.selector.String() + "\x00" + strings.Join(sh.networks, "\x00") + "\x00\x00" +
				strings.Join(sh.required, "\x00") + "\x00\x00" + sh.hardware.Key()
			if r.selector == labels.Nothing() {
				id = "\x00nothing"
			}
			for _, one := range s.closedTo(r) {
				sh.closed = append(sh.closed, one)
				id += "\x00\x00\x00" + one.Name
			}
			if len(sh.never) > 0 {
				id += "\x00\x00" + r.cluster.key.String()
			}
		}
		if index[id] == nil {
			index[id] = sh
			s.shapes = append(s.shapes, sh)
		}
		r.shape = index[id]
		for _, network := range r.shape.networks {
			networks[network] = true
		}
		if r.shape.hardware != nil {
			hardware[r.shape.hardware.Key()] = r.shape.hardware
		}
	}
	s.classify(slices.Sorted(maps.Keys(networks)), hardware)
	s.classesOf = make([][]int32, len(s.kinds))
	for c := range s.classes {
		kind := s.hosts[s.classes[c].hosts[0]].kind
		s.classesOf[kind] = append(s.classesOf[kind], int32(c))
	}
	for _, sh := range s.shapes {
		var fits []int32
		for _, kind := range sh.selected.All() {
			for _, c := range s.classesOf[kind] {
				if s.lacks(sh, s.classes[c].hosts[0]) == nil {
					fits = append(fits, c)
				}
			}
		}
		slices.Sort(fits)
		sh.fits = solve.NewSet(fits, len(s.classes))
	}
	for _, r := range s.roles {
		s.leaveOutCrossing(r)
		for _, c := range r.shape.fits.All() {
			s.classes[c].roles++
		}
	}
}

// classify sorts the free hosts into classes.
func (s *planner) classify(networks []string, hardware map[string]*v1.Hardware) {
	asked := slices.Sorted(maps.Keys(hardware))
	known := map[string]int32{}
	var row []byte
	for i := range s.hosts {
		h := &s.hosts[i]
		if h.class = -1; h.reject != nil || h.role != nil {
			continue
		}
		row = binary.AppendUvarint(row[:0], uint64(h.kind))
		for _, network := range networks {
			on := byte(0)
			if len(h.On(network)) > 0 {
				on = 1
			}
			row = append(row, on)
		}
		for _, key := range asked {
			lack := ""
			if why := LacksHardware(hardware[key], h.Hardware); why != nil {
				lack = fmt.Sprint(why)
			}
			row = append(binary.AppendUvarint(row, uint64(len(lack))), lack...)
		}
		number, ok := known[string(row)]
		if !ok {
			number = int32(len(s.classes))
			known[string(row)] = number
			s.classes = append(s.classes, class{})
		}
		h.class = number
		s.classes[number].hosts = append(s.classes[number].hosts, int32(i))
	}
}

// selects reports whether the shape's selector matches hosts of a kind.
func (sh *shape) selects(kind int32) bool { return sh.selected.Has(kind) }

// lacks returns why a role of the shape cannot have a free host that its selector matches, nil if it can.
func (s *planner) lacks(sh *shape, i int32) Reason {
	h := &s.hosts[i]
	if sh.never[i] {
		return NamedByCluster{}
	}
	if why := s.reservedFor(sh, i); why != nil {
		return why
	}
	if key := missingLabel(sh.required, h); key != "" {
		return NoLabel{key}
	}
	for _, network := range sh.networks {
		if len(h.On(network)) == 0 {
			return NoAddress{network, h.NoAddress(network)}
		}
	}
	if why := LacksHardware(sh.hardware, h.Hardware); why != nil {
		return why
	}
	return sh.crosses[h.class]
}

// required returns the labels that a host must carry to take a slot of the role.
func (r *role) required() []string {
	if r.anyLabels {
		return nil
	}
	return r.keys
}

// missingLabel returns the first of the labels that a host lacks, "" if it has all.
func missingLabel(required []string, h *candidate) string {
	for _, key := range required {
		if h.Labels[key] == "" {
			return key
		}
	}
	return ""
}

// lost returns the first of the role's required labels that the host lacks, "" if it has all.
func (r *role) lost(h *candidate) string { return missingLabel(r.required(), h) }
