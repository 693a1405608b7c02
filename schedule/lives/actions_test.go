package lives

import (
	"fmt"
	"maps"
	"slices"
)

// action is something that people, machines or engines do.
type action struct {
	weight int
	name   string
	do     func() error
}

// step does one of the actions that are possible.
func (l *life) step() error {
	var actions []action
	add := func(weight int, name string, do func()) {
		actions = append(actions, action{weight, name, func() error { do(); return nil }})
	}
	actions = append(actions, action{120, "run", func() error { return l.run(l.hosts, false, true) }},
		action{10, "propose", func() error { return l.run(l.hosts, false, false) }})
	if l.proposal != nil && l.proposed == len(l.branch) {
		add(15, "merge the proposal", func() { l.branch = append(l.branch, l.proposal) })
	}
	add(5, "read the hosts", func() { l.snapshot, l.readAt = slices.Clone(l.hosts), len(l.branch) })
	if old := l.readAt < len(l.branch); l.snapshot != nil && (!old || l.wild) {
		earlier := func() error { return l.run(l.snapshot, old, true) }
		actions = append(actions, action{15, "run with the hosts read earlier", earlier})
	}
	if n := len(l.branch); n > 0 {
		for _, name := range l.names {
			add(40, "sync "+name, func() { l.sync(name, n-1) })
			if late := max(l.synced[name], n-3); late < n-1 {
				add(10, "sync "+name+" late", func() { l.sync(name, late) })
			}
		}
		if n > 2 {
			back := max(0, n-4) + l.IntN(min(3, n-1))
			add(3, fmt.Sprintf("roll back to commit %d", back), func() { l.branch = append(l.branch, l.branch[back]) })
		}
	}
	for i := range l.hosts {
		l.hostActions(&l.hosts[i], add)
	}
	l.siteActions(add)
	for _, name := range l.names {
		l.specActions(name, add)
	}
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	at := l.IntN(total)
	for _, a := range actions {
		if at -= a.weight; at < 0 {
			l.story = append(l.story, a.name)
			return a.do()
		}
	}
	panic("no action")
}

// siteActions are what happens to many hosts at once: a rack has no power or is not read, and a health check is wrong.
func (l *life) siteActions(add func(int, string, func())) {
	rack := l.hosts[l.IntN(len(l.hosts))].rack
	add(3, "the hosts of rack "+rack+" disappear", func() {
		for i := range l.hosts {
			l.hosts[i].here = l.hosts[i].here && l.hosts[i].rack != rack
		}
	})
	add(2, "all hosts in use are marked unhealthy", func() {
		for i := range l.hosts {
			l.hosts[i].unhealthy = l.hosts[i].unhealthy || l.hosts[i].use != ""
		}
	})
	if slices.ContainsFunc(l.hosts, func(h host) bool { return h.annex }) {
		add(map[bool]int{true: 12, false: 3}[l.left], fmt.Sprintf("the annex leaves or comes back: %t", !l.left),
			func() { l.left = !l.left })
	}
	add(4, "the marks are taken off", func() {
		for i := range l.hosts {
			l.hosts[i].unhealthy = false
		}
	})
}

func (l *life) hostActions(h *host, add func(int, string, func())) {
	if !h.here {
		add(6, h.name+" is back", func() { h.here = true })
		add(3, h.name+" is restored under a new uid", func() { h.here, h.uid = true, h.uid+1 })
		add(3, h.name+" is made anew", func() {
			*h = host{name: h.name, kind: h.kind, rack: h.rack, vendor: h.vendor, annex: h.annex, here: true,
				uid: h.uid + 1, machine: h.use}
		})
		return
	}
	if h.machine != "" && h.use == "" {
		add(10, h.name+" is taken again by its old machine", func() {
			h.use, h.machine = h.machine, ""
			l.seen["taken again by a machine"]++
		})
	}
	switch {
	case h.use == "" && h.label.complete():
		add(10, h.name+" is consumed", func() {
			l.machines++
			h.use, h.reuse = fmt.Sprintf("machine-%d", l.machines), false
		})
	case h.use == "" && h.reuse:
		add(6, h.name+" is kept for no deployment any more", func() { h.reuse = false })
	case h.use == cleaning:
		add(20, h.name+" is clean", func() { h.use = "" })
		add(8, h.name+" is clean, and kept for reuse", func() { h.use, h.reuse = "", true; l.seen["kept for reuse"]++ })
	case h.use != "":
		add(6, h.name+" is let go", func() { h.use = cleaning })
	}
	if h.failed() {
		add(6, h.name+" recovers", func() { h.unhealthy, h.inError, h.retired = false, false, false })
	} else {
		add(2, h.name+" is marked unhealthy", func() { h.unhealthy = true })
		add(2, h.name+" is in error", func() { h.inError = true })
		add(1, h.name+" is retired", func() { h.retired = true })
	}
	add(1, h.name+" is cordoned, or no longer", func() { h.cordoned = !h.cordoned })
	add(1, h.name+" disappears", func() { h.here = false })
	if l.wild {
		label := slot{cluster: append(l.names, "elsewhere", "")[l.IntN(len(l.names)+2)],
			role: []string{"Worker", "Worker", ""}[l.IntN(3)]}
		if label.cluster == "" {
			label = slot{}
		}
		add(3, fmt.Sprintf("%s is labeled by hand: %+v", h.name, label), func() {
			if h.label = label; h.use != "" {
				l.seen["labeled by hand in use"]++
			}
		})
	}
}

func (l *life) specActions(name string, add func(int, string, func())) {
	s := l.specs[name]
	if !s.here {
		add(8, name+": its spec is back", func() { s.here = true })
		return
	}
	for _, role := range slices.Sorted(maps.Keys(s.roles)) {
		w := s.roles[role]
		set := func() { s.roles[role] = w }
		if w.active < 4 {
			add(4, name+": "+role+" grows", func() { w.active++; set() })
		}
		if w.active > 0 {
			add(4, name+": "+role+" shrinks", func() { w.active--; set() })
		}
		add(2, name+": "+role+" standby changes", func() { w.standby = (w.standby + 1) % 3; set() })
	}
	for _, active := range []int{0, 2} {
		if !l.swings {
			break
		}
		add(6, fmt.Sprintf("%s: each role wants %d", name, active), func() {
			for role, w := range s.roles {
				w.active = active
				s.roles[role] = w
			}
		})
	}
	add(1, name+": priority", func() { s.priority = 1 - s.priority })
	add(1, name+": its spec is missing", func() { s.here = false })
	if s.deleted {
		add(6, name+": stays after all", func() { s.deleted = false })
	} else {
		add(1, name+": leaves", func() { s.deleted = true })
	}
	if s.fault {
		add(6, name+": fault mended", func() { s.fault = false })
	} else {
		add(2, name+": fault", func() { s.fault = true })
	}
	toggle := func(list *[]string, host string) {
		if at := slices.Index(*list, host); at >= 0 {
			*list = slices.Delete(*list, at, at+1)
			return
		}
		*list = append(*list, host)
	}
	some := l.hosts[l.IntN(len(l.hosts))].name
	add(3, name+": remove "+some, func() { toggle(&s.remove, some) })
	add(3, name+": approve-release "+some, func() { toggle(&s.approve, some) })
}
