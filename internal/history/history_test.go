package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 5, time.FixedZone("", 3600)) }

// claim is "HOST CLUSTER ROLE SLOT UID".
func claim(t *testing.T, words string) schedule.PreviousClaim {
	t.Helper()
	fields := strings.Fields(words)
	require.Truef(t, len(fields) == 5, "%q: want five words", words)
	return schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "m", Name: fields[0]},
		Cluster: schedule.ClusterKey{Namespace: "t", Name: fields[1]}, Role: fields[2],
		Standby: fields[3] == "standby", Releasing: fields[3] == "leaving", UID: strings.Trim(fields[4], "-")}
}

// TestLog folds commits, one a day, to tenures: "HOST CLUSTER ROLE SLOT UID FROM-TO", days of January.
func TestLog(t *testing.T) {
	for _, row := range []struct {
		why     string
		commits []string // of each, claims divided by commas
		want    []string
	}{
		{"a host that stays", []string{"a c W active 1", "a c W active 1"}, []string{"a c W active 1 1-"}},
		{"a commit without hosts comes first", []string{"", "a c W active 1"}, []string{"a c W active 1 2-"}},
		{"released, left, and free", []string{"a c W active 1", "a c W leaving 1", "a c W leaving 1", ""},
			[]string{"a c W active 1 1-2", "a c W leaving 1 2-4"}},
		{"promoted", []string{"a c W standby 1", "a c W active 1"},
			[]string{"a c W standby 1 1-2", "a c W active 1 2-"}},
		{"another cluster", []string{"a c W active 1", "a d W active 1"},
			[]string{"a c W active 1 1-2", "a d W active 1 2-"}},
		{"in two clusters at a time", []string{"a c W active 1", "a c W leaving 1,a d W active 1", "a d W active 1"},
			[]string{"a c W active 1 1-2", "a c W leaving 1 2-3", "a d W active 1 2-"}},
		{"made anew", []string{"a c W active 1", "a c W active 2"},
			[]string{"a c W active 1 1-2", "a c W active 2 2-"}},
		{"an uid that was not known, and a new one",
			[]string{"a c W active -", "a c W active 1", "a c W active -", "a c W active 2"},
			[]string{"a c W active 1 1-4", "a c W active 2 4-"}},
		{"back again", []string{"a c W active 1", "", "a c W active 1"},
			[]string{"a c W active 1 1-2", "a c W active 1 3-"}},
		{"one of two goes", []string{"a c W active 1,b c W active 2", "b c W active 2"},
			[]string{"a c W active 1 1-2", "b c W active 2 1-"}},
	} {
		var log Log
		for i, claims := range row.commits {
			c := &Commit{Hash: fmt.Sprint("commit", i+1), When: day(i + 1), Message: "subject"}
			for words := range strings.SplitSeq(claims, ",") {
				if words != "" {
					c.Claims = append(c.Claims, claim(t, words))
				}
			}
			log.Add(c)
		}
		var found []string
		hosts, _ := log.Names()
		slices.Sort(hosts)
		for _, host := range slices.Compact(hosts) {
			for _, x := range log.Of(host, time.Time{}) {
				to := ""
				if x.To != nil {
					to = fmt.Sprint(x.To.Day())
				}
				if want := fmt.Sprint("commit", x.From.Day()); x.Commit != want ||
					to != "" && x.EndCommit != "commit"+to || x.Earlier {
					t.Errorf("%s: found %+v", row.why, x)
				}
				found = append(found, fmt.Sprintf("%s %s %s %s %s %d-%s", strings.TrimPrefix(x.Host, "m/"),
					strings.TrimPrefix(x.Cluster, "t/"), x.Role, x.Slot, x.UID, x.From.Day(), to))
			}
		}
		assert.Equal(t, row.want, found, row.why)
	}
}

// Times are in UTC and never run backwards; what began in the first commit began then or earlier, if there are older ones.
func TestTimes(t *testing.T) {
	var log Log
	a, b := claim(t, "a c W active 1"), claim(t, "b c W active 2")
	log.Add(&Commit{Hash: "1", When: day(9), Claims: []schedule.PreviousClaim{a}})
	log.Add(&Commit{Hash: "2", When: day(3), Claims: []schedule.PreviousClaim{b}})
	log.Older = true
	found := log.Of("t/c", time.Time{})
	want := time.Date(2026, 1, 9, 11, 0, 0, 0, time.UTC)
	require.Truef(t, len(found) == 2 && found[0].From == want && *found[0].To == want && found[1].From == want,
		"found %+v, want all at %s", found, want)
	assert.Truef(t, found[0].Earlier && !found[1].Earlier,
		"found %+v, want the first one to be of then or earlier, and no other", found)
	if found := log.Of("t/c", want); len(found) != 1 || found[0].Host != "m/b" {
		t.Errorf("since it ended: found %+v, want that of m/b alone", found)
	}
	assert.Len(t, log.Of("t/c", want.Add(-time.Second)), 2, "since a second before it ended: found")
}

// Why is the subject and the first line about the host, of one line each, and without secrets.
func TestWhy(t *testing.T) {
	for _, row := range []struct{ why, message, want string }{
		{"no message", "", ""},
		{"the line of the host", "s\n\n  new m/b  W\n  new m/a  W\n  new m/ab W\n", "s: new m/a W"},
		{"what happened, before what is to be done about it",
			"s\n\ndanger: c W gets m/b and m/a: clean them\n  released m/a W\n  new m/a W\n", "s: released m/a W"},
		{"a danger alone, without what stands around the name",
			"s\n\ndanger: c W releases m/a: too many\ndanger: m/a\n", "s: danger: c W releases m/a: too many"},
		{"its own line, before that of its successor",
			"s\n\nc/d\n  new m/b W (replaces m/a (marked for removal))\n  released m/a W\n", "s: released m/a W"},
		{"the line of its successor, before a danger",
			"s\n\ndanger: m/a\n\nc/d\n  new m/b W (replaces m/a (marked for removal))\n",
			"s: new m/b W (replaces m/a (marked for removal))"},
		{"a cluster of its name", "s\n\nm/a\n  new m/b W\n  new m/a W\n", "s: new m/a W"},
		{"a longer name", "s\n\nx m/aa, y om/a", "s"},
		{"what a terminal or a CI system executes", "::s\x1b[31m\n\nnew m/a \x1b]0;x\x07W", ": :s[31m: new m/a ]0;xW"},
		{"a login", "see https://ada:hunter2@git.example.org/x\n\nnew m/a https://ada:hunter2@git.example.org/y",
			"see https://***@git.example.org/x: new m/a https://***@git.example.org/y"},
	} {
		var log Log
		log.Add(&Commit{Hash: "1", When: day(1), Message: row.message,
			Claims: []schedule.PreviousClaim{claim(t, "a c W active 1")}})
		log.Add(&Commit{Hash: "2", When: day(2), Message: row.message})
		found := log.Of("m/a", time.Time{})
		assert.Truef(t, len(found) == 1 && found[0].Why == row.want && found[0].EndWhy == row.want,
			"%s: found %+v, want %q", row.why, found, row.want)
	}
}
