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
		Standby: fields[3] == "standby", Releasing: fields[3] == "leaving", Replaced: fields[3] == "replaced",
		UID: strings.Trim(fields[4], "-")}
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
			c := &Commit{Hash: fmt.Sprint("commit", i+1), When: day(i + 1)}
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

// Times are in UTC and never run backwards; what began in the first commit began then or earlier, if there are older
// ones.
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
