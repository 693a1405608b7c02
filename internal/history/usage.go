package history

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
)

// Usage is the host hours of a period by month, for `sipgen history --usage -o json`. Its fields are stable.
type Usage struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	From       time.Time `json:"from"`
	To         time.Time `json:"to"`
	// By is what each row's group names.
	By []string `json:"by"`
	// Skipped are the commits that could not be read: the decisions of the one before count on.
	Skipped []string `json:"skipped,omitempty"`
	// FailedSites are those of a fleet whose hours are not in Rows, because their run failed.
	FailedSites []string `json:"failedSites,omitempty"`
	// UnknownHosts is how many hosts are not in the inventory, if it was needed.
	UnknownHosts int        `json:"unknownHosts,omitempty"`
	Rows         []UsageRow `json:"rows"`
}

// UsageRow is the hours of one group of hosts in one month.
type UsageRow struct {
	Month string `json:"month"` // as in 2026-03, in UTC
	// From and To bound the part of the month that counts, and Over says that the month ended before To of the usage.
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Over  bool      `json:"over"`
	Site  string    `json:"site"`
	Group []string  `json:"group"`
	// Unknown: the hosts are not in the inventory.
	Unknown bool `json:"unknown,omitempty"`
	Hosts   int  `json:"hosts"`
	// Hours are those of active and standby hosts, and LeavingHours those of hosts that are being released.
	Hours        float64 `json:"hours"`
	LeavingHours float64 `json:"leavingHours"`
	// Commits began or ended what counts, oldest first.
	Commits []string `json:"commits"`
}

// Spent is the tenures of one site.
type Spent struct {
	Site    string
	Tenures []Tenure
	Skipped []string // the commits that could not be read
	// Group returns what a tenure counts for, and whether that is unknown since the inventory does not have the host.
	Group func(*Tenure) (values []string, unknown bool)
}

// UsageOf sums the tenures of sites between two times, by month, site and group. From the zero time on, it begins with
// the first tenure. A host that a cluster has since this very second has a row, of no hours yet.
func UsageOf(by []string, sites []Spent, from, to time.Time) *Usage {
	if from.IsZero() {
		from = firstOf(sites, to)
	}
	out := &Usage{APIVersion: v1alpha1.APIVersion, Kind: "Usage", From: from.UTC(), To: to.UTC(), By: by,
		Rows: []UsageRow{}}
	sums, strangers := map[string]*sum{}, map[[2]string]bool{}
	sites = slices.SortedFunc(slices.Values(sites), func(a, b Spent) int { return strings.Compare(a.Site, b.Site) })
	for i := range sites {
		out.Skipped = append(out.Skipped, sites[i].Skipped...)
		for n := range sites[i].Tenures {
			t := &sites[i].Tenures[n]
			values, unknown := sites[i].Group(t)
			start, end := later(t.From, out.From), out.To
			if t.To != nil && t.To.Before(end) {
				end = *t.To
			}
			begins := t.To == nil && start.Equal(end)
			if unknown && (begins || start.Before(end)) {
				strangers[[2]string{sites[i].Site, t.Host}] = true
			}
			for ; begins || start.Before(end); begins = false {
				month := time.Date(start.Year(), start.Month(), 1, 0, 0, 0, 0, time.UTC)
				next := month.AddDate(0, 1, 0)
				until := earlier(end, next)
				row := UsageRow{Month: month.Format("2006-01"), From: later(month, out.From), To: earlier(next, out.To),
					Over: !next.After(out.To), Site: sites[i].Site, Group: values, Unknown: unknown}
				id := strings.Join(append([]string{row.Month, row.Site, strconv.FormatBool(unknown)}, values...), "\x00")
				if sums[id] == nil {
					sums[id] = &sum{row: row, hosts: map[string]bool{}, commits: map[string]time.Time{}}
				}
				sums[id].add(t, until.Sub(start), until)
				start = until
			}
		}
	}
	out.UnknownHosts = len(strangers)
	for _, s := range sums {
		out.Rows = append(out.Rows, s.done())
	}
	slices.SortFunc(out.Rows, func(a, b UsageRow) int {
		return cmp.Or(strings.Compare(a.Site, b.Site), strings.Compare(a.Month, b.Month), slices.Compare(a.Group, b.Group),
			strings.Compare(strconv.FormatBool(a.Unknown), strconv.FormatBool(b.Unknown)))
	})
	return out
}

// firstOf returns when the first tenure began, at most a time.
func firstOf(sites []Spent, first time.Time) time.Time {
	for i := range sites {
		for n := range sites[i].Tenures {
			first = earlier(first, sites[i].Tenures[n].From)
		}
	}
	return first
}

// sum is a row while it is added up.
type sum struct {
	row           UsageRow
	held, leaving time.Duration
	hosts         map[string]bool
	commits       map[string]time.Time
}

// add counts a part of a tenure that ends at a time.
func (s *sum) add(t *Tenure, part time.Duration, until time.Time) {
	s.hosts[t.Host] = true
	s.commits[t.Commit] = t.From
	if t.To != nil && t.To.Equal(until) {
		s.commits[t.EndCommit] = until
	}
	if t.Slot == slotLeaving {
		s.leaving += part
	} else {
		s.held += part
	}
}

// done returns the row.
func (s *sum) done() UsageRow {
	s.row.Hosts, s.row.Hours, s.row.LeavingHours = len(s.hosts), hours(s.held), hours(s.leaving)
	s.row.Commits = slices.SortedFunc(maps.Keys(s.commits), func(a, b string) int {
		return cmp.Or(s.commits[a].Compare(s.commits[b]), strings.Compare(a, b))
	})
	return s.row
}

// hours returns hours with two decimals.
func hours(d time.Duration) float64 { return math.Round(d.Hours()*100) / 100 }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Open returns the month that is not over, "" if all are.
func (u *Usage) Open() string {
	for i := range u.Rows {
		if !u.Rows[i].Over {
			return u.Rows[i].Month
		}
	}
	return ""
}

// Table returns the rows below their heads. A whole table has bounds, site and commits of each row.
func (u *Usage) Table(whole bool) [][]string {
	const mostCommits = 2
	var head []string
	several := slices.ContainsFunc(u.Rows, func(row UsageRow) bool { return row.Site != u.Rows[0].Site })
	if whole || several {
		head = append(head, "SITE")
	}
	head = append(head, "MONTH")
	if whole {
		head = append(head, "FROM", "TO")
	}
	for _, by := range u.By {
		head = append(head, strings.ToUpper(by))
	}
	rows := [][]string{append(head, "HOSTS", "HOURS", "LEAVING HOURS", "COMMITS")}
	for i := range u.Rows {
		row := &u.Rows[i]
		var cells []string
		if whole || several {
			cells = append(cells, row.Site)
		}
		switch {
		case whole:
			cells = append(cells, row.Month, row.From.Format(time.RFC3339), row.To.Format(time.RFC3339))
		case row.Over:
			cells = append(cells, row.Month)
		default:
			cells = append(cells, row.Month+" so far")
		}
		for _, value := range row.Group {
			cells = append(cells, text.Line(value))
		}
		commits := strings.Join(row.Commits, " ")
		if !whole {
			short := make([]string, len(row.Commits))
			for n, commit := range row.Commits {
				short[n] = commit[:min(len(commit), 12)]
			}
			commits = text.Some(short, mostCommits)
		}
		rows = append(rows, append(cells, strconv.Itoa(row.Hosts), decimal(row.Hours), decimal(row.LeavingHours), commits))
	}
	return rows
}

func decimal(hours float64) string { return strconv.FormatFloat(hours, 'f', 2, 64) }
