package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/airshipit/sipgen/internal/text"
)

// slotsTable is the table of slots: a head, and the rows of each cluster.
type slotsTable struct {
	head     table.Row
	clusters []clusterRows
}

// clusterRows are the rows of one cluster. name includes its state.
type clusterRows struct {
	name string
	rows []table.Row
}

// The columns that a narrow terminal changes, by their number.
const (
	clusterColumn = iota
	roleColumn
	hostColumn
	domainColumn
	_
	addressColumn
	statusColumn // has a color
	whyColumn    // of a wide table, and the columns after it
)

// write prints the table for a terminal of width columns, 0 for none. Nothing is cut off here. If the table is too wide,
// these steps follow until it fits: the columns of a wide table go below each row; empty columns are dropped; the
// name of each cluster goes above its hosts, a common namespace below the table, and the role to the cluster's name;
// long cells are wrapped. A narrower terminal wraps the lines itself, without rules.
func (s *slotsTable) write(w io.Writer, width int) {
	f := fitted{slotsTable: s, hidden: make([]bool, len(s.head)), most: make([]int, len(s.head))}
	if f.measure(); width > 0 {
		f.fit(width)
	}
	ruled := width == 0 || f.width() <= width
	t := newTable()
	var columns []table.ColumnConfig
	for i := range s.head {
		c := table.ColumnConfig{Number: i + 1, Hidden: f.hidden[i]}
		if f.most[i] > 0 {
			c.WidthMax, c.WidthMaxEnforcer = f.most[i], wrapping(i)
		}
		columns = append(columns, c)
	}
	t.SetColumnConfigs(columns)
	t.AppendHeader(s.head)
	var rows []table.Row
	first := map[int]string{} // the cluster that a row is the first of
	for _, c := range f.clusters {
		first[len(rows)] = c.name
		rows = append(rows, c.rows...)
	}
	for i, row := range rows {
		if _, begins := first[i]; i > 0 && (begins || f.below()) {
			t.AppendSeparator()
		}
		t.AppendRow(row)
	}
	next := 0 // the row after the next rule
	for _, line := range strings.Split(t.Render(), "\n") {
		if line == "" || strings.Trim(line, "─") != "" {
			fmt.Fprintln(w, line)
			continue
		}
		if next > 0 {
			f.writeBelow(w, rows[next-1], width)
		}
		name, begins := first[next]
		if begins && ruled {
			fmt.Fprintln(w, line)
		}
		if begins && f.hidden[clusterColumn] {
			fmt.Fprintln(w, name)
		}
		for next++; !f.below() && next < len(rows); next++ { // to the next cluster
			if _, begins := first[next]; begins {
				break
			}
		}
	}
	f.writeBelow(w, rows[len(rows)-1], width)
	if f.namespace != "" {
		fmt.Fprintf(w, "All hosts are in namespace %s.\n", f.namespace)
	}
	fmt.Fprintln(w)
}

// below reports whether the columns of a wide table go below each row.
func (f *fitted) below() bool { return len(f.head) > whyColumn && f.hidden[whyColumn] }

// writeBelow writes the part below a row, if any.
func (f *fitted) writeBelow(w io.Writer, row table.Row, width int) {
	if !f.below() {
		return
	}
	const indent = "    "
	for i, cell := range row[whyColumn:] {
		if words := cell.(string); words != "" {
			fmt.Fprintln(w, text.Fold(indent+strings.ToLower(f.head[whyColumn+i].(string))+": "+words, width, indent+"  "))
		}
	}
}

// fitted is the table as it fits a terminal.
type fitted struct {
	*slotsTable
	widths []int
	filled []bool // below the head
	hidden []bool
	most   []int // how wide a column is at most, 0 for any width
	// namespace is left out before the names of the hosts.
	namespace string
}

// measure finds the width of each column.
func (f *fitted) measure() {
	f.widths, f.filled = make([]int, len(f.head)), make([]bool, len(f.head))
	for i, cell := range f.head {
		f.widths[i] = widest(cell.(string))
	}
	for _, c := range f.clusters {
		for _, row := range c.rows {
			for i, cell := range row {
				width := widest(cell.(string))
				f.widths[i], f.filled[i] = max(f.widths[i], width), f.filled[i] || width > 0
			}
		}
	}
}

func widest(cell string) int { return prettytext.StringWidthWithoutEscSequences(cell) }

// width returns that of the whole table: each column has a blank before it and one after it.
func (f *fitted) width() int {
	total := 0
	for i, width := range f.widths {
		switch {
		case f.hidden[i]:
		case f.most[i] > 0:
			total += f.most[i] + 2
		default:
			total += width + 2
		}
	}
	return total
}

func (f *fitted) fit(width int) {
	over := f.width() > width
	for i := whyColumn; i < len(f.head); i++ {
		f.hidden[i] = over
	}
	for i := range f.head[:whyColumn] {
		f.hidden[i] = f.width() > width && !f.filled[i]
	}
	f.hidden[clusterColumn] = f.width() > width
	f.wrap(statusColumn, 24, width)
	if namespace := f.oneNamespace(); f.width() > width && namespace != "" {
		f.leaveOut(namespace)
	}
	f.wrap(addressColumn, f.longest(addressColumn, " "), width)
	if f.width() > width {
		f.byRole()
	}
	f.wrap(statusColumn, 12, width)
	f.wrap(hostColumn, f.longest(hostColumn, "/"), width)
	f.wrap(domainColumn, 8, width)
	if most := f.most[statusColumn]; most > 0 && f.width() < width { // the rest is for the status
		f.most[statusColumn] = min(most+width-f.width(), f.widths[statusColumn])
	}
}

// wrap narrows a column as far as needed, at most to least.
func (f *fitted) wrap(column, least, width int) {
	if over := f.width() - width; over > 0 && !f.hidden[column] && f.widths[column] > least {
		was := f.widths[column]
		if f.most[column] > 0 {
			was = f.most[column]
		}
		f.most[column] = max(least, was-over)
	}
}

// wrapping returns how the cells of a column are wrapped.
func wrapping(column int) table.WidthEnforcer {
	switch column {
	case hostColumn:
		return func(cell string, most int) string {
			if at := strings.LastIndex(cell, "/") + 1; widest(cell) > most && at > 0 {
				return cell[:at] + "\n" + cell[at:]
			}
			return cell
		}
	case statusColumn, addressColumn:
		return prettytext.WrapSoft
	}
	return prettytext.WrapHard
}

// longest returns the widest part of a column's cells, each of which ends with a separator.
func (f *fitted) longest(column int, separator string) int {
	most := widest(f.head[column].(string))
	for _, c := range f.clusters {
		for _, row := range c.rows {
			for part := range strings.SplitAfterSeq(row[column].(string), separator) {
				most = max(most, widest(strings.TrimRight(part, " ")))
			}
		}
	}
	return most
}

// noHost marks an empty slot, and a cluster without roles.
const noHost = "-"

// oneNamespace returns the namespace that all the hosts are in, if it is one.
func (f *fitted) oneNamespace() string {
	one := ""
	for _, c := range f.clusters {
		for _, row := range c.rows {
			namespace, _, _ := strings.Cut(row[hostColumn].(string), "/")
			switch {
			case namespace == noHost:
			case one == "":
				one = namespace
			case one != namespace:
				return ""
			}
		}
	}
	return one
}

// byRole puts the role above its hosts, too.
func (f *fitted) byRole() {
	f.hidden[roleColumn] = true
	roles := &slotsTable{head: f.head}
	for _, c := range f.clusters {
		for i, row := range c.rows {
			if role := row[roleColumn].(string); i == 0 || role != c.rows[i-1][roleColumn] {
				roles.clusters = append(roles.clusters, clusterRows{name: strings.TrimSuffix(c.name+" "+role, " "+noHost)})
			}
			last := &roles.clusters[len(roles.clusters)-1]
			last.rows = append(last.rows, row)
		}
	}
	f.slotsTable = roles
}

// leaveOut prints the namespace once, and drops it from the name of each host.
func (f *fitted) leaveOut(namespace string) {
	f.namespace = namespace
	short := &slotsTable{head: f.head}
	for _, c := range f.clusters {
		rows := make([]table.Row, len(c.rows))
		for i, row := range c.rows {
			rows[i] = slices.Clone(row)
			rows[i][hostColumn] = strings.TrimPrefix(row[hostColumn].(string), namespace+"/")
		}
		short.clusters = append(short.clusters, clusterRows{c.name, rows})
	}
	f.slotsTable = short
	f.measure()
}
