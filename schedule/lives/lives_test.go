// Package lives plays random lives of small sites: clusters grow, shrink and leave, hosts are used, fail, disappear
// and are restored, specs are lost or wrong, commits are synced late and rolled back. After each run of the program
// it looks at what must hold whatever happened.
//
// The program is one function from specs, hosts and the tree before to the next tree. Another one can live such lives,
// or be asked the same at each run and compared: every third life has one role a cluster, and hosts that are alike.
package lives

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// run plans. What the brake does not allow is committed only if somebody accepts it, as every second time somebody
// does.
func (l *life) run(hosts []host, old, commit bool) error {
	after, refused, err := l.decide(hosts, old, l.IntN(2) == 0)
	switch {
	case err != nil:
		return err
	case refused:
		l.seen["refused by the brake"]++
	case after.String() == l.tip().String() && len(l.branch) > 0:
	case !commit:
		l.proposal, l.proposed = after, len(l.branch)
	default:
		l.branch = append(l.branch, after)
	}
	return nil
}

// decide has the program decide, and checks what it decided.
func (l *life) decide(hosts []host, old, accepting bool) (after *tree, refused bool, err error) {
	hosts = l.inside(hosts)
	now := site{l.names, l.specs, hosts, old, l.left, allowed, l.limit, l.reserved}
	after, lost, err := l.program(now, l.tip())
	if err != nil {
		return nil, false, err
	}
	if err := l.numbersWork(now, lost); err != nil {
		return nil, false, err
	}
	other := site{slices.Clone(l.names), l.specs, slices.Clone(hosts), old, l.left, allowed, l.limit, l.reserved}
	slices.Reverse(other.names)
	slices.Reverse(other.hosts)
	if again, _, err := l.program(other, l.tip()); err != nil || again.String() != after.String() {
		return nil, false, fmt.Errorf("%w: %v\nin another order %v, %v", errOrder, after, again, err)
	}
	r := &run{specs: l.specs, hosts: hosts, old: old, left: l.left, limit: l.limit, reserved: l.reserved,
		asks:   lost.asks,
		before: l.tip(), after: after}
	r.readApprovals()
	if lost.total > allowed || lost.outside > 0 {
		r.accepted, r.refused = accepting, !accepting
	}
	if err := r.check(); err != nil {
		return nil, false, err
	}
	l.count(r)
	for cluster, number := range lost.asks {
		l.seen["frozen by the brake"]++
		if s := l.specs[cluster]; accepting {
			l.texts++
			s.acceptLoss, s.acceptText = number, fmt.Sprintf("%d %d", number, l.texts)
		}
	}
	return after, r.refused, nil
}

// inside is hosts as the Site has them: those of a namespace that left it are not read.
func (l *life) inside(hosts []host) []host {
	out := slices.Clone(hosts)
	for i := range out {
		out[i].here = out[i].here && !(l.left && out[i].annex)
	}
	return out
}

// numbersWork gives the numbers back that the brake asks for: each thaws its cluster, and all together all.
func (l *life) numbersWork(now site, lost loss) error {
	given := func(clusters ...string) (loss, error) {
		now.specs = maps.Clone(l.specs)
		for _, name := range clusters {
			now.specs[name] = l.specs[name].clone()
			now.specs[name].acceptLoss, now.specs[name].acceptText = lost.asks[name], "another"
		}
		_, again, err := l.program(now, l.tip())
		return again, err
	}
	names := slices.Sorted(maps.Keys(lost.asks))
	for _, some := range append(slices.Collect(slices.Chunk(names, 1)), names) {
		if len(some) == 0 {
			continue
		}
		again, err := given(some...)
		if err != nil {
			return err
		}
		for _, name := range some {
			if again.asks[name] > 0 {
				return fmt.Errorf("%w: %s is to accept %d, and then %d", errNumber, name, lost.asks[name],
					again.asks[name])
			}
		}
		if again.total > now.most && lost.total <= now.most {
			return fmt.Errorf("%w: with that of %s the run ends: %d hosts", errNumber, some, again.total)
		}
	}
	return nil
}

var errNumber = errors.New("the number that the brake asks for does not work")

// count notes what was seen, so that lives in which nothing happens are no proof.
func (l *life) count(r *run) {
	for cluster, text := range r.after.accepted {
		if r.before != nil && r.before.accepted[cluster] != text {
			l.seen["acceptance used up"]++
		}
		if r.asks[cluster] > 0 && r.specs[cluster].acceptText == text {
			l.seen["asked for a number beside a used-up one"]++
		}
	}
	for i := range r.hosts {
		h := &r.hosts[i]
		was, had := r.before.of(h.name)
		e, has := r.after.of(h.name)
		if s := r.specs[was.cluster]; had && !was.leaving && s != nil && slices.Contains(s.remove, h.name) &&
			r.limit > 0 && len(r.after.hosts) >= r.limit {
			l.seen["remove at a limit"]++
		}
		if h.annex && had && r.left {
			if l.seen["refused for a namespace that leaves"]++; !has && r.accepted {
				l.seen["left with its namespace"]++
			}
		}
		switch {
		case has && e.token != "":
			l.seen["approved"]++
		case has && e.leaving && had && !was.leaving:
			l.seen["let go"]++
		case has && had && !e.leaving && was.leaving && was.cluster == e.cluster:
			l.seen["taken back"]++
		case has && !e.leaving && !had:
			l.seen["handed out"]++
			if r.limit > 0 {
				l.seen["handed out within a limit"]++
			}
			for _, by := range r.reserved {
				l.seen["handed out beside "+by.String()]++
			}
			if r.specs[e.cluster].roles[e.role].vendor != "" {
				l.seen["handed out of a vendor"]++
			}
		case has && had && was.standby && !e.standby:
			l.seen["promoted"]++
		}
		switch {
		case r.old && had:
			l.seen["read before the tree"]++
		case !has || !had || h.use == "":
		case r.disputed(h) && e.cluster == h.label.cluster:
			l.seen["given by an approval"]++
		case r.disputed(h):
			l.seen["disputed"]++
		case h.label.complete() && was.cluster != h.label.cluster:
			l.seen["used under other labels"]++
		}
	}
}

var errOrder = errors.New("the result depends on the order of the inputs")

// mostCommits is how many commits a site that is left alone may take to come to rest.
const mostCommits = 6

// rest lets nothing happen but runs and syncs. No patch of a tree that was just made is refused, and after a few
// commits there are no more.
func (l *life) rest(idle bool) error {
	l = l.clone()
	if idle {
		for i := range l.hosts {
			l.hosts[i].use = ""
		}
	}
	l.syncAll()
	for n := 0; ; n++ {
		after, _, err := l.decide(l.hosts, false, true)
		if err != nil {
			return err
		}
		if l.putBack(after) {
			l.syncAll()
			continue
		}
		if len(l.branch) > 0 && after.String() == l.tip().String() {
			break
		}
		if n == mostCommits {
			return fmt.Errorf("at rest: commit %d changes the tree from\n%v\nto\n%v", n, l.tip(), after)
		}
		l.branch = append(l.branch, after)
		for i := range l.hosts {
			h := &l.hosts[i]
			if e, ok := after.of(h.name); ok && e.denied(h) != "" {
				return fmt.Errorf("at rest: the patch %+v of %+v is refused: %s", e, *h, e.denied(h))
			}
		}
		l.syncAll()
	}
	for i := range l.hosts {
		h := &l.hosts[i]
		if e, ok := l.tip().of(h.name); ok && h.here && e.leaving && h.use == "" && !h.reuse {
			return fmt.Errorf("at rest: idle, and leaving for ever: %+v: %+v", *h, e)
		}
	}
	return nil
}

// putBack has an operator set the labels of hosts in use as the tree has them, as the dangers ask for.
func (l *life) putBack(t *tree) (changed bool) {
	for i := range l.hosts {
		h := &l.hosts[i]
		if e, ok := t.of(h.name); ok && h.here && h.use != "" && h.label != (slot{}) &&
			e.denied(h) == "the host is in use" {
			h.label, changed = slot{e.cluster, e.role, e.standby}, true
		}
	}
	return changed
}

// steps of a life, and how often it is tried whether it comes to rest.
const steps, restEvery = 300, 25

// lived is a whole life; the error tells its story.
func (l *life) lived() error {
	for n := range steps {
		err := l.step()
		if err == nil && (n+1)%restEvery == 0 {
			if err = l.rest(false); err == nil {
				err = l.rest(true)
			}
		}
		if err != nil {
			return fmt.Errorf("after %d steps, the last ones %q: %w", n+1, l.story[max(0, len(l.story)-25):], err)
		}
	}
	return nil
}

// TestLives plays lives of the same seeds each day. SIPGEN_NIGHTLY, a duration, has it go on with seeds that no
// night before tried; SIPGEN_SEED plays the life of one seed.
func TestLives(t *testing.T) {
	t.Parallel()
	from, most, end := 0, 60, time.Time{}
	if testing.Short() {
		most = 10
	}
	if text := os.Getenv("SIPGEN_NIGHTLY"); text != "" {
		night, err := time.ParseDuration(text)
		require.Truef(t, err == nil, "%v %v", "SIPGEN_NIGHTLY: ", err)
		from, most, end = int(time.Now().Unix()/86400)*100_000, 100_000, time.Now().Add(night)
	}
	if text := os.Getenv("SIPGEN_SEED"); text != "" {
		seed, err := strconv.Atoi(text)
		require.Truef(t, err == nil, "%v %v", "SIPGEN_SEED: ", err)
		from, most = seed, 1
	}
	var (
		next  atomic.Int64
		group sync.WaitGroup
		lock  sync.Mutex
		seen  = map[string]int{}
	)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for n := int(next.Add(1)); n <= most && !t.Failed(); n = int(next.Add(1)) {
				if !end.IsZero() && time.Now().After(end) {
					return
				}
				l := newLife(uint64(from+n-1), plan)
				err := l.lived()
				assert.Truef(t, err == nil, "SIPGEN_SEED=%d: %v", from+n-1, err)
				lock.Lock()
				for what, times := range l.seen {
					seen[what] += times
				}
				seen["lives"]++
				lock.Unlock()
			}
		})
	}
	group.Wait()
	t.Log(seen)
	for _, what := range []string{
		"handed out", "let go", "approved", "taken back", "promoted",
		"disputed", "given by an approval", "labeled by hand in use", "read before the tree", "denied",
		"refused by the brake", "frozen by the brake", "handed out within a limit", "handed out beside spares",
		"handed out beside a minimum", "handed out beside hosts of one cluster", "handed out of a vendor",
		"remove at a limit", "kept for reuse", "acceptance used up", "asked for a number beside a used-up one",
		"refused for a namespace that leaves", "left with its namespace",
	} {
		if most >= 10 && !t.Failed() && seen[what] == 0 {
			t.Errorf("%s: in no life: they show nothing of it", what)
		}
	}
}
