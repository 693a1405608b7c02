package report

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
)

// fitted is the table of slots, with the width of each of its columns.
type fitted struct {
	table.Writer
	widths []int
	filled []bool // below the head
	name   int    // how wide the names of hosts are without their namespaces
}

func (f *fitted) head(row table.Row) {
	f.widths, f.filled = make([]int, len(row)), make([]bool, len(row))
	for i, cell := range row {
		f.widths[i] = prettytext.StringWidthWithoutEscSequences(cell.(string))
	}
	f.AppendHeader(row)
}

func (f *fitted) row(row table.Row) {
	for i, cell := range row {
		width := prettytext.StringWidthWithoutEscSequences(cell.(string))
		f.widths[i] = max(f.widths[i], width)
		f.filled[i] = f.filled[i] || width > 0
		if i == hostColumn {
			host := cell.(string)
			f.name = max(f.name, prettytext.StringWidth(host[strings.LastIndex(host, "/")+1:]))
		}
	}
	f.AppendRow(row)
}

// The columns that are shortened, by their number.
const (
	clusterColumn = iota
	roleColumn
	hostColumn
	domainColumn
	_
	addressColumn
)

// shrink is a column that is shortened, and to how much at most.
type shrink struct {
	column, least int
	snip          func(cell string, most int) string
}

// shrinking are the columns that are shortened, the least important first. Of a host and a cluster the end tells more than the namespace before it.
func (f *fitted) shrinking() []shrink {
	return []shrink{
		{statusColumn, 12, snip}, {addressColumn, 15, snip}, {hostColumn, f.name + 2, snipFront}, {domainColumn, 8, snip}, {roleColumn, 8, snip},
		{clusterColumn, 12, snipFront}, {hostColumn, 12, snipFront},
	}
}

func snip(cell string, most int) string { return prettytext.Snip(cell, most, "…") }

// snipFront keeps the end. Only plain cells are shortened by it.
func snipFront(cell string, most int) string {
	letters := []rune(cell)
	if len(letters) <= most {
		return cell
	}
	return "…" + string(letters[len(letters)-most+1:])
}

// width is that of the whole table: each column has a blank before it and one after it.
func (f *fitted) width() int {
	total := 0
	for _, width := range f.widths {
		if width > 0 {
			total += width + 2
		}
	}
	return total
}

// fit shortens the table to a terminal's width: by columns that are empty, then by long cells. What is cut off, other formats and explain have. A
// terminal that is too narrow for that gets lines that it wraps, and no rules.
func (f *fitted) fit(width int) {
	var columns []table.ColumnConfig
	for i := range f.widths {
		if f.width() > width && !f.filled[i] {
			f.widths[i] = 0
			columns = append(columns, table.ColumnConfig{Number: i + 1, Hidden: true})
		}
	}
	for _, s := range f.shrinking() {
		over := f.width() - width
		if least := min(s.least, f.widths[s.column]); over > 0 && f.widths[s.column] > least {
			f.widths[s.column] = max(least, f.widths[s.column]-over)
			columns = slices.DeleteFunc(columns, func(c table.ColumnConfig) bool { return c.Number == s.column+1 })
			columns = append(columns, table.ColumnConfig{Number: s.column + 1, WidthMax: f.widths[s.column], WidthMaxEnforcer: s.snip})
		}
	}
	f.SetColumnConfigs(columns)
	f.unruled(width)
}

// unruled leaves out the rules of a table that is wider than the terminal, which would wrap.
func (f *fitted) unruled(width int) {
	if f.width() <= width {
		return
	}
	f.Style().Options.SeparateHeader, f.Style().Options.SeparateRows = false, false
	f.Style().Box.MiddleHorizontal = " "
}
