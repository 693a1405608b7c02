// Package history folds the decisions in the commits of a branch to who held which host from when to when.
package history

import (
	"strings"
	"time"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Commit is the decisions of one commit.
type Commit struct {
	Hash    string
	When    time.Time // of the committer
	Message string
	Claims  []schedule.PreviousClaim
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
	// Commit began it, or is the oldest one read, and Why is its subject and its line about the host.
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
	why, now := reasons{message: c.Message}, make(map[key]*Tenure, len(c.Claims))
	for i := range c.Claims {
		claim := &c.Claims[i]
		k := key{claim.Host, claim.Cluster}
		if t := l.open[k]; t != nil && t.continues(claim) {
			if t.UID == "" {
				t.UID = claim.UID
			}
			now[k] = t
			continue
		}
		t := &Tenure{From: l.last, Host: claim.Host.String(), UID: claim.UID, Cluster: claim.Cluster.String(),
			Role: claim.Role, Slot: slotOf(claim), Commit: c.Hash, Why: why.of(claim.Host.String())}
		now[k] = t
		l.tenures = append(l.tenures, t)
	}
	for k, t := range l.open {
		if now[k] != t {
			ended := l.last
			t.To, t.EndCommit, t.EndWhy = &ended, c.Hash, why.of(t.Host)
		}
	}
	l.open = now
}

// Empty reports whether Add got no commit.
func (l *Log) Empty() bool { return l.oldest == "" }

// Covers reports whether the log has all decisions since a time. The zero time is that of the first commit of all.
func (l *Log) Covers(since time.Time) bool {
	return !l.Older || !l.Empty() && !since.IsZero() && !l.first.After(since)
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
		shown.Earlier = l.Older && t.Commit == l.oldest
		shown.Why, shown.EndWhy = oneLine(t.Why), oneLine(t.EndWhy)
		found = append(found, shown)
	}
	return found
}

// oneLine is a text of a commit as it may be shown.
func oneLine(s string) string { return text.Line(redact.Text(s)) }

// reasons are why a commit changed hosts.
type reasons struct {
	message string
	subject string
	lines   map[string]told // the first line of the best rank about each host
}

// told is a line of a commit about a host.
type told struct {
	line string
	rank int
}

// The ranks of a line about a host, the best first. A line of another host may name it as the one replaced, and a
// danger names it for what the reviewer is to do.
const (
	ofHost = iota
	namesHost
	warns
)

// of returns the subject of the commit, and the line about a host.
func (r *reasons) of(host string) string {
	if r.lines == nil {
		r.lines = map[string]told{}
		subject, body, _ := strings.Cut(strings.TrimSpace(r.message), "\n")
		r.subject = subject
		for line := range strings.SplitSeq(body, "\n") {
			r.read(line)
		}
	}
	if of := r.lines[host]; of.line != "" {
		return r.subject + ": " + of.line
	}
	return r.subject
}

// read notes a line for each name in it. Its own one is the first. A name alone is the heading of a cluster.
func (r *reasons) read(line string) {
	rank := ofHost
	if strings.HasPrefix(line, "danger: ") {
		rank = warns
	}
	for word := range strings.FieldsSeq(line) {
		word = strings.Trim(word, ".,:;()`|")
		if !strings.Contains(word, "/") || word == line {
			continue
		}
		if was, found := r.lines[word]; !found || rank < was.rank {
			r.lines[word] = told{line, rank}
		}
		rank = max(rank, namesHost)
	}
}
