package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// randomLog returns random decisions of commits, each some whole hours after the one before, and their log.
func randomLog(r *rand.Rand, start time.Time) (commits []*Commit, log *Log) {
	log = &Log{}
	for i := range 3 + r.IntN(12) {
		c := &Commit{Hash: fmt.Sprint("c", i), When: start}
		for host := range 4 {
			for cluster := range 2 {
				if r.IntN(3) > 0 {
					continue
				}
				c.Claims = append(c.Claims, schedule.PreviousClaim{
					Host:    schedule.HostKey{Namespace: "m", Name: fmt.Sprint("h", host)},
					Cluster: schedule.ClusterKey{Namespace: "t", Name: fmt.Sprint("c", cluster)},
					Role:    "W", Standby: r.IntN(4) == 0, Releasing: r.IntN(4) == 0})
			}
		}
		log.Add(c)
		commits = append(commits, c)
		start = start.Add(time.Duration(1+r.IntN(500)) * time.Hour)
	}
	return commits, log
}

// byCluster counts a tenure for its cluster and its host.
func byCluster(t *Tenure) ([]string, bool) { return []string{t.Cluster, t.Host}, t.Host == "m/h3" }

// TestUsageByBruteForce: a site's hours are those found by looking at the newest commit in each single hour.
func TestUsageByBruteForce(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		begin := time.Date(2025, time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
		commits, log := randomLog(r, begin)
		from := begin.Add(time.Duration(r.IntN(900)-300) * time.Hour)
		to := from.Add(time.Duration(1+r.IntN(3000)) * time.Hour)
		want := map[string]float64{}
		for at := from; at.Before(to); at = at.Add(time.Hour) {
			var newest *Commit
			for _, c := range commits {
				if !c.When.After(at) {
					newest = c
				}
			}
			if newest == nil {
				continue
			}
			for i := range newest.Claims {
				c := &newest.Claims[i]
				want[fmt.Sprintf("%s %s %s leaving %t", at.Format("2006-01"), c.Cluster, c.Host, c.Releasing)]++
			}
		}
		found := map[string]float64{}
		sites := []Spent{{Site: "s", Tenures: log.All(from), Group: byCluster}}
		usage := UsageOf([]string{"cluster", "host"}, sites, from, to)
		for i := range usage.Rows {
			row := &usage.Rows[i]
			name := row.Month + " " + strings.Join(row.Group, " ") + " leaving "
			if row.Hours > 0 {
				found[name+"false"] = row.Hours
			}
			if row.LeavingHours > 0 {
				found[name+"true"] = row.LeavingHours
			}
			if row.Hosts != 1 || row.Unknown != (row.Group[1] == "m/h3") || row.From.Before(from) || row.To.After(to) ||
				row.Over != (row.To.Before(to) || row.To.Day() == 1 && row.To.Hour() == 0) {
				t.Errorf("seed %d: found %+v", seed, row)
			}
			assert.Truef(t, len(row.Commits) > 0, "seed %d: no proof of %+v", seed, row)
			for n, commit := range row.Commits {
				when := timeOf(commits, commit)
				assert.Truef(t, !when.After(row.To) && (n == 0 || !when.Before(timeOf(commits, row.Commits[n-1]))),
					"seed %d: %s of %s is no proof of %+v", seed, commit, when, row)
			}
		}
		assert.Equal(t, want, found, fmt.Sprint("seed ", seed))
	}
}

// timeOf returns the time of a commit.
func timeOf(commits []*Commit, hash string) time.Time {
	return commits[slices.IndexFunc(commits, func(c *Commit) bool { return c.Hash == hash })].When
}

// Several sites are rows of one table, a sum is that of its parts, and hosts are counted once.
func TestUsageOfSites(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	begin := time.Date(2025, 3, 5, 0, 0, 0, 0, time.UTC)
	_, one := randomLog(r, begin)
	_, two := randomLog(r, begin)
	to := begin.AddDate(0, 2, 0)
	group := func(*Tenure) ([]string, bool) { return []string{"all"}, false }
	both := UsageOf([]string{"x"}, []Spent{{"b", two.All(begin), nil, group}, {"a", one.All(begin), nil, group}}, begin, to)
	var last string
	for i := range both.Rows {
		row := &both.Rows[i]
		assert.Truef(t, last < row.Site+row.Month, "row %+v comes after %s", row, last)
		last = row.Site + row.Month
		log := map[string]*Log{"a": one, "b": two}[row.Site]
		var hours, leaving float64
		hosts := map[string]bool{}
		for _, part := range UsageOf(nil, []Spent{{row.Site, log.All(begin), nil, byCluster}}, begin, to).Rows {
			if part.Month == row.Month {
				hours, leaving = hours+part.Hours, leaving+part.LeavingHours
				hosts[part.Group[1]] = true
			}
		}
		assert.Truef(t, math.Abs(hours-row.Hours)+math.Abs(leaving-row.LeavingHours) < 0.01 && row.Hosts == len(hosts),
			"found %+v, want %v and %v hours of %d hosts", row, hours, leaving, len(hosts))
	}
	first := one.All(time.Time{})[0].From
	all := UsageOf(nil, []Spent{{"a", one.All(time.Time{}), nil, group}}, time.Time{}, to)
	assert.Truef(t, all.From.Equal(first) && all.Rows[0].From.Equal(first), "found %+v, want all since %s", all, first)
	assert.Truef(t, len(both.Rows) >= 4, "found %d rows, want two sites in several months", len(both.Rows))
	assert.Equal(t, []string{"SITE", "MONTH", "X", "HOSTS", "HOURS", "LEAVING HOURS", "COMMITS"}, both.Table(false)[0],
		"table")
}

// TestUsageOfThisSecond: who asks in the second of a commit hears of the hosts that are handed out then, and not of
// those that were handed out and let go in it.
func TestUsageOfThisSecond(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	claim := func(host int) schedule.PreviousClaim {
		return schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "m", Name: fmt.Sprint("h", host)},
			Cluster: schedule.ClusterKey{Namespace: "t", Name: "c"}, Role: "W"}
	}
	log := &Log{}
	log.Add(&Commit{Hash: "a", When: now, Claims: []schedule.PreviousClaim{claim(0), claim(1), claim(3)}})
	log.Add(&Commit{Hash: "b", When: now, Claims: []schedule.PreviousClaim{claim(1), claim(3)}})
	sites := []Spent{{Site: "s", Tenures: log.All(time.Time{}), Group: byCluster}}
	usage := UsageOf([]string{"cluster", "host"}, sites, time.Time{}, now)
	var rows []string
	for i := range usage.Rows {
		row := &usage.Rows[i]
		rows = append(rows, fmt.Sprint(row.Month, row.Group, row.Hosts, row.Hours, row.Over, row.Commits))
	}
	assert.Equal(t, []string{"2026-03[t/c m/h1] 1 0 false [a]", "2026-03[t/c m/h3] 1 0 false [a]"}, rows)
	assert.Equal(t, 1, usage.UnknownHosts)
}

// A log covers what its commits tell of, and no time before the oldest one if there are older ones.
func TestCovers(t *testing.T) {
	var log Log
	assert.Truef(t, log.Covers(day(1)) && log.Covers(time.Time{}), "a repository without commits has no hours")
	log.Add(&Commit{Hash: "1", When: day(9)})
	assert.Truef(t, log.Covers(day(1)) && log.Covers(time.Time{}), "all commits are read")
	log.Older = true
	assert.Truef(t, !log.Covers(day(8)) && !log.Covers(time.Time{}), "decisions of older commits are not read")
	assert.Truef(t, log.Covers(day(9)) && log.Covers(day(10)), "want what the oldest commit read has")
	assert.Truef(t, !(&Log{Older: true}).Covers(day(9)), "no commit could be read")
}
