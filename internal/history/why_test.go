package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/airshipit/sipgen/schedule"
)

// TestWhy: what a commit changed comes from its claims and those of the one before. A row has the claims of two
// commits, and why hosts came and went: "HOST CLUSTER+ WHY" and "HOST CLUSTER- WHY".
func TestWhy(t *testing.T) {
	for _, row := range []struct {
		why, before, after string
		want               []string
	}{
		{"new", "", "a c W active 1,b c W standby 2", []string{"a c+ new", "b c+ new"}},
		{"released", "a c W active 1", "a c W leaving 1", []string{"a c+ released", "a c- released"}},
		{"free", "a c W leaving 1", "", []string{"a c- free"}},
		{"gone", "a c W active 1", "", []string{"a c- gone"}},
		{"taken back", "a c W leaving 1", "a c W active 1", []string{"a c+ taken back", "a c- taken back"}},
		{"replaced by a standby host, which a new one replaces", "a c W active 1,b c W standby 2",
			"a c W leaving 1,b c W active 2,d c W standby 3",
			[]string{"a c+ released", "a c- released", "b c+ promoted from standby, replaces m/a",
				"b c- promoted from standby, replaces m/a", "d c+ new, replaces m/b"}},
		{"replaced before it is released", "a c W active 1", "a c W replaced 1,b c W active 2",
			[]string{"b c+ new, replaces m/a"}},
		{"released once it was replaced", "a c W replaced 1,b c W active 2", "a c W leaving 1,b c W active 2",
			[]string{"a c+ released: another host has its slot", "a c- released: another host has its slot"}},
		{"two for two", "a c W active 1,b c W active 2", "d c W active 3,e c W active 4",
			[]string{"a c- gone, replaced by one of m/d, m/e", "b c- gone, replaced by one of m/d, m/e",
				"d c+ new, replaces one of m/a, m/b", "e c+ new, replaces one of m/a, m/b"}},
		{"a role that grows meanwhile", "a c W active 1", "b c W active 2,d c W active 3",
			[]string{"a c- gone, replaced by one of m/b, m/d", "b c+ new, or replaces m/a",
				"d c+ new, or replaces m/a"}},
		{"another role and another cluster are no replacement", "a c W active 1", "b c X active 2,d e W active 3",
			[]string{"a c- gone", "b c+ new", "d e+ new"}},
		{"another cluster", "a c W active 1", "a d W active 1", []string{"a c- now in t/d", "a d+ was in t/c"}},
		{"another cluster, while it leaves", "a c W leaving 1", "a c W leaving 1,a d W active 1",
			[]string{"a d+ was in t/c"}},
		{"free of the one that it left", "a c W leaving 1,a d W active 1", "a d W active 1", []string{"a c- free"}},
		{"another uid", "a c W active 1", "a c W active 2",
			[]string{"a c+ recreated with another uid", "a c- recreated with another uid"}},
		{"another role", "a c W active 1", "a c X active 1", []string{"a c+ was W", "a c- was W"}},
		{"back to standby", "a c W active 1,b c W standby 2", "a c W standby 1,b c W active 2",
			[]string{"a c+ now standby, replaces m/b", "a c- now standby, replaces m/b",
				"b c+ promoted from standby, replaces m/a", "b c- promoted from standby, replaces m/a"}},
	} {
		var log Log
		for i, claims := range []string{row.before, row.after} {
			c := &Commit{Hash: fmt.Sprint(i), When: day(i + 1)}
			for words := range strings.SplitSeq(claims, ",") {
				if words != "" {
					c.Claims = append(c.Claims, claim(t, words))
				}
			}
			log.Add(c)
		}
		var found []string
		for _, x := range log.All(time.Time{}) {
			name := strings.TrimPrefix(x.Host, "m/") + " " + strings.TrimPrefix(x.Cluster, "t/")
			if x.Commit == "1" {
				found = append(found, name+"+ "+x.Why)
			}
			if x.To != nil {
				found = append(found, name+"- "+x.EndWhy)
			}
		}
		slices.Sort(found)
		assert.Equal(t, row.want, found, row.why)
	}
}

// Of what the oldest commit read has, nothing tells why, if there are older ones.
func TestWhyEarlier(t *testing.T) {
	var log Log
	log.Add(&Commit{Hash: "1", When: day(1), Claims: []schedule.PreviousClaim{claim(t, "a c W active 1")}})
	log.Older = true
	assert.Equal(t, "the oldest commit read has it", log.All(time.Time{})[0].Why)
}
