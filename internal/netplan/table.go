package netplan

import (
	"bytes"
	"fmt"
	"strings"

	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/airshipit/sipgen/internal/text"
)

// row is a line of the plan: a claim, or several that are alike: of hosts that follow each other, or of one cluster at
// one address.
type row struct {
	first, last *Claim
	count       int
	// depth is how many ranges it is in.
	depth int
	// at is the worst that is said of it.
	at mark
}

type mark int

const (
	fine mark = iota
	mild
	hard
)

// section is the rows of one kind in one address space.
type section struct {
	kind  ClaimKind
	space string
	wide  bool
	rows  []row
}

func (s *section) title() string {
	title := s.kind.String()
	if s.wide {
		title = "IPv6 addresses"
	}
	if s.space != "" {
		title += ", address space " + s.space
	}
	return title
}

func (r *row) span() span { return span{r.first.span.from, r.last.span.to} }

func (r *row) text() string {
	c := *r.first
	c.span = r.span()
	return c.text()
}

// what and whose: one, or how many, from the first to the last.
func (r *row) what() string {
	if r.count == 1 {
		return r.first.use()
	}
	words := severalWords[r.first.Use]
	if r.first.Network != "" && (r.first.Use == HostAddress || r.first.Use == Lease) {
		words += " on network " + r.first.Network
	}
	return fmt.Sprintf("%d %s", r.count, words)
}

var severalWords = map[Use]string{
	HostAddress: "addresses", Lease: "addresses at inspection", PowerControl: "power controls",
	PowerProgram: "power controls", BootMAC: "boot MAC addresses",
	LoadBalancer: "load balancers",
}

func (r *row) whose() string {
	if r.count == 1 || r.first.Host == nil {
		return r.first.whose()
	}
	return "hosts"
}

// marks returns how bad it is for each claim that is part of a conflict.
func (p *Comparison) marks() map[*Claim]mark {
	out := map[*Claim]mark{}
	for i := range p.Conflicts {
		c := &p.Conflicts[i]
		m := hard
		if c.Mild {
			m = mild
		}
		out[c.At], out[c.With] = max(out[c.At], m), max(out[c.With], m)
	}
	return out
}

// sections returns the rows of the plan, in its order.
func (p *Comparison) sections() []section {
	marks := p.marks()
	var out []section
	var open []*Claim
	for i := range p.Claims {
		c := &p.Claims[i]
		if i == 0 || c.apart(&p.Claims[i-1]) != 0 {
			out, open = append(out, section{kind: c.Kind, space: c.Space, wide: c.wide}), nil
		}
		kept := open[:0]
		for _, o := range open {
			if o.span.to.compare(c.span.from) >= 0 {
				kept = append(kept, o)
			}
		}
		open = kept
		rows := &out[len(out)-1].rows
		depth := min(len(open), maxDepth)
		if n := len(*rows) - 1; n >= 0 && (*rows)[n].takes(c, depth, marks[c]) {
			(*rows)[n].last = c
			(*rows)[n].count++
			continue
		}
		*rows = append(*rows, row{first: c, last: c, count: 1, depth: depth, at: marks[c]})
		if c.Use.gives() && len(open) < maxDepth {
			open = append(open, c)
		}
	}
	return out
}

// maxDepth is how deep ranges in ranges are shown.
const maxDepth = 4

// takes reports whether the claim is another one of the row's hosts, or another load balancer of the cluster that
// shares its address.
func (r *row) takes(c *Claim, depth int, at mark) bool {
	f := r.first
	if f.Use == LoadBalancer && c.Use == LoadBalancer {
		return f.Owner == c.Owner && f.span == c.span && r.depth == depth && r.at == at && at == fine
	}
	return f.Host != nil && c.Host != nil && f.Use == c.Use && f.Network == c.Network && r.depth == depth && r.at == at
}

// Table returns the plan as text: what there is in the order of the addresses, and then what is at odds. For a
// terminal of so many columns what is too wide goes on in the next line; width 0 is no terminal.
func (p *Comparison) Table(width int) []byte {
	var out bytes.Buffer
	for i, s := range p.sections() {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%s\n", text.Fold(strings.ToUpper(s.title()), width, ""))
		s.write(&out, width)
	}
	say := func(format string, values ...any) {
		fmt.Fprintln(&out, text.Fold(fmt.Sprintf(format, values...), width, "  "))
	}
	out.WriteByte('\n')
	say("%s", p.summary())
	for i, tenants := range p.Tenants {
		if i == maxShown {
			say("and %d more of tenants", len(p.Tenants)-i)
			break
		}
		say("! %s", text.Line(tenants))
	}
	for i := range p.Conflicts {
		c := &p.Conflicts[i]
		if i == maxShown {
			say("and %d more", len(p.Conflicts)-i)
			break
		}
		mark := "!"
		if c.Mild {
			mark = "?"
		}
		say("%s %s: %s", mark, text.Line(p.Place(c.At)), text.Line(p.words(c)))
	}
	for i, field := range p.Unknown {
		if i == maxShown {
			say("and %s", text.Count(len(p.Unknown)-i, "more unknown field"))
			break
		}
		say("? %s: unknown field: addresses in it are not in this plan", text.Line(p.Place(&Claim{Field: field})))
	}
	return out.Bytes()
}

// write writes the rows in columns: where, what and whose. Where a terminal has no room for that, the last two stand
// below the first.
func (s *section) write(out *bytes.Buffer, width int) {
	const gap, below = 2, "      "
	cells, most := make([][3]string, len(s.rows)), [3]int{}
	for n := range s.rows {
		r := &s.rows[n]
		cells[n] = [3]string{[...]string{" ", "?", "!"}[r.at] + " " + strings.Repeat("  ", r.depth) + r.text(),
			text.Line(r.what()), text.Line(r.whose())}
		for i, cell := range cells[n] {
			most[i] = max(most[i], prettytext.StringWidth(cell))
		}
	}
	narrow := width > 0 && most[0]+most[1]+most[2]+2*gap > width
	for _, row := range cells {
		if narrow {
			fmt.Fprintf(out, "%s\n%s\n", row[0], text.Fold(below+row[1]+" of "+row[2], width, below))
			continue
		}
		line := prettytext.Pad(row[0], most[0]+gap, ' ') + prettytext.Pad(row[1], most[1]+gap, ' ') + row[2]
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}

// maxShown is how many conflicts are listed.
const maxShown = 1000

func (p *Comparison) summary() string {
	bad, doubtful := len(p.Tenants), 0
	for i := range p.Conflicts {
		if p.Conflicts[i].Mild {
			doubtful++
		} else {
			bad++
		}
	}
	if bad+doubtful+len(p.Unknown) == 0 {
		return "nothing overlaps"
	}
	return fmt.Sprintf("%s (!), %s (?)", text.Count(bad, "conflict"), text.Count(doubtful+len(p.Unknown), "doubt"))
}
