// Package history folds the decisions in the commits of a branch to who held which host from when to when.
package history

import (
	"maps"
	"time"

	"github.com/airshipit/sipgen/schedule"
)

// Commit is the decisions of one commit.
type Commit struct {
	Hash   string
	When   time.Time // of the committer
	Claims []schedule.PreviousClaim
}

// Tenure is the time in which one cluster has a host in one role and one kind of slot.
type Tenure struct {
	From time.Time `json:"from"`
	// Earlier: it began at From or earlier, in a commit that was not read.
	Earlier bool `json:"earlier,omitempty"`
	// To is when it ended; nil: it goes on.
	To      *time.Time `json:"to,omitempty"`
	Host    string     `json:"host"`
	UID     string     `json:"uid,omitempty"`
	Cluster string     `json:"cluster"`
	Role    string     `json:"role"`
	// Slot is active, standby, or leaving for a host that is being released.
	Slot string `json:"slot"`
	// Commit began it, or is the oldest one read, and Why is what it changed for the host.
	Commit string `json:"commit"`
	Why    string `json:"why"`
	// EndCommit ended it, and EndWhy is as Why.
	EndCommit string `json:"endCommit,omitempty"`
	EndWhy    string `json:"endWhy,omitempty"`
}

// Log collects tenures. The zero value has none.
type Log struct {
	// Older: there are commits before the first one that Add got.
	Older bool

	tenures []*Tenure // in the order in which they began
	open    map[key]*Tenure
	claims  claims // of the last commit
	oldest  string // commit
	first   time.Time
	last    time.Time
}

// key: a tree may have a host twice, in the cluster that it leaves and in the next.
type key struct {
	host    schedule.HostKey
	cluster schedule.ClusterKey
}

// Add takes the decisions of the next commit; the oldest comes first. A commit is no older than the one before,
// whatever it carries.
func (l *Log) Add(c *Commit) {
	if when := c.When.UTC().Truncate(time.Second); l.oldest == "" || when.After(l.last) {
		l.last = when
	}
	if l.oldest == "" {
		l.oldest, l.first = c.Hash, l.last
	}
	now, held := make(map[key]*Tenure, len(c.Claims)), make(claims, len(c.Claims))
	var began []key
	for i := range c.Claims {
		claim := &c.Claims[i]
		k := key{claim.Host, claim.Cluster}
		held[k] = claim
		if t := l.open[k]; t != nil && t.continues(claim) {
			if t.UID == "" {
				t.UID = claim.UID
			}
			now[k] = t
			continue
		}
		now[k] = &Tenure{From: l.last, Host: claim.Host.String(), UID: claim.UID, Cluster: claim.Cluster.String(),
			Role: claim.Role, Slot: slotOf(claim), Commit: c.Hash}
		began = append(began, k)
		l.tenures = append(l.tenures, now[k])
	}
	ended := maps.Clone(l.open)
	maps.DeleteFunc(ended, func(k key, t *Tenure) bool { return now[k] == t })
	if len(began)+len(ended) > 0 {
		what := changeOf(l.claims, held)
		for _, k := range began {
			now[k].Why = what.began(k)
		}
		until := l.last
		for k, t := range ended {
			t.To, t.EndCommit, t.EndWhy = &until, c.Hash, what.ended(k)
		}
	}
	l.open, l.claims = now, held
}

// Empty reports whether Add got no commit.
func (l *Log) Empty() bool { return l.oldest == "" }

// Covers reports whether the log has all decisions since a time. The zero time is that of the first commit of all.
func (l *Log) Covers(since time.Time) bool {
	return !l.Older || !l.Empty() && !l.first.After(since)
}

// First returns the time of the oldest commit that Add got.
func (l *Log) First() time.Time { return l.first }

// continues reports whether a claim is of the same host in the same place. A host that was made anew has another uid.
func (t *Tenure) continues(claim *schedule.PreviousClaim) bool {
	return t.Role == claim.Role && t.Slot == slotOf(claim) && (t.UID == claim.UID || t.UID == "" || claim.UID == "")
}

const slotLeaving = "leaving"

func slotOf(claim *schedule.PreviousClaim) string {
	switch {
	case claim.Releasing:
		return slotLeaving
	case claim.Standby:
		return "standby"
	}
	return "active"
}

// Names returns the hosts and the clusters that have a tenure, some of them often.
func (l *Log) Names() (hosts, clusters []string) {
	for _, t := range l.tenures {
		hosts, clusters = append(hosts, t.Host), append(clusters, t.Cluster)
	}
	return hosts, clusters
}

// Of returns the tenures of a host or a cluster that did not end before since, oldest first.
func (l *Log) Of(name string, since time.Time) []Tenure {
	return l.which(since, func(t *Tenure) bool { return t.Host == name || t.Cluster == name })
}

// All returns the tenures that did not end before since, oldest first.
func (l *Log) All(since time.Time) []Tenure {
	return l.which(since, func(*Tenure) bool { return true })
}

func (l *Log) which(since time.Time, is func(*Tenure) bool) []Tenure {
	found := []Tenure{}
	for _, t := range l.tenures {
		if !is(t) || t.To != nil && !t.To.After(since) {
			continue
		}
		shown := *t
		if shown.Earlier = l.Older && t.Commit == l.oldest; shown.Earlier {
			shown.Why = "the oldest commit read has it"
		}
		found = append(found, shown)
	}
	return found
}
