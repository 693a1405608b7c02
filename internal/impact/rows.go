package impact

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// HostRows returns the hosts that go as the lines of a table, with its head.
func (r *Report) HostRows() [][]string {
	rows := [][]string{{"HOST", "CLUSTER", "ROLE", "SLOT", "WAVE", "ADDRESSES"}}
	for i := range r.Hosts {
		h := &r.Hosts[i]
		wave := "none"
		if h.Wave > 0 {
			wave = strconv.Itoa(h.Wave)
		}
		var addresses []string
		for _, a := range h.Addresses {
			addresses = append(addresses, a.Network+" "+a.IP.String())
		}
		rows = append(rows, cells(h.Host, h.Cluster, h.Role, h.State, wave, strings.Join(addresses, ", ")))
	}
	return rows
}

// RoleRows returns the roles that lose hosts as the lines of a table, with its head.
func (r *Report) RoleRows() [][]string {
	rows := [][]string{{"CLUSTER", "ROLE", "LOST", "DOWN", "TOLERATES", "WAVES", "REPLACEMENTS", "AT ONCE"}}
	for i := range r.Roles {
		one := &r.Roles[i]
		waves := "no order helps"
		if one.Waves > 0 {
			waves = strconv.Itoa(one.Waves)
		}
		effect := one.effect()
		if len(one.LoadBalancers) > 0 {
			effect += ": " + strings.Join(one.LoadBalancers, ", ")
		}
		rows = append(rows, cells(one.Cluster, one.Role, fmt.Sprintf("%d of %d", len(one.Lost), one.Active),
			strconv.Itoa(one.Down), strconv.Itoa(one.Tolerates), waves, one.substitutes(), effect))
	}
	return rows
}

// substitutes returns "2 of 3: 1 standby, 1 free".
func (r *Role) substitutes() string {
	if len(r.Replaceable) == 0 {
		return "none"
	}
	var parts []string
	for i := 0; i < len(r.Replaceable); {
		from, n := r.Replaceable[i].From, 0
		for ; i < len(r.Replaceable) && r.Replaceable[i].From == from; i++ {
			n++
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, from))
	}
	return fmt.Sprintf("%d of %d: %s", len(r.Replaceable), len(r.Lost), strings.Join(parts, ", "))
}

// mostRoles is how many roles the line of a value names, beside those that lose their quorum or all hosts.
const mostRoles = 2

// ValueRows returns the values of a label as the lines of a table, with its head.
func (r *Report) ValueRows() [][]string {
	rows := [][]string{{strings.ToUpper(path.Base(r.By)), "HOSTS", "LOST", "IMPACT"}}
	for i := range r.Values {
		v := &r.Values[i]
		name := v.Value
		if v.Unlabeled {
			name = v.name(r.By)
		}
		var words []string
		more := 0
		for n := range v.Roles {
			if role := &v.Roles[n]; role.LosesAll || role.LosesQuorum || n < mostRoles {
				words = append(words, role.Words())
			} else {
				more++
			}
		}
		if more > 0 {
			words = append(words, text.Plural(more, "more role loses hosts", "more roles lose hosts"))
		}
		if len(words) == 0 {
			words = []string{"no role loses an active host"}
		}
		_, _, lost := v.sums()
		rows = append(rows, cells(name, strconv.Itoa(v.Hosts), strconv.Itoa(lost), strings.Join(words, "; ")))
	}
	return rows
}

// cells returns words, each fit for one line.
func cells(words ...string) []string {
	for i := range words {
		words[i] = text.Line(words[i])
	}
	return words
}
