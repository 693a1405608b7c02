package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
)

// The columns that a narrow terminal changes, by their number.
const (
	clusterColumn = iota
	roleColumn
	_
	_
	_
	addressColumn
	statusColumn // has a color
	whyColumn    // of a wide table
)

// noHost marks an empty slot, and a cluster without roles.
const noHost = "-"

// writeSlots prints the rows of all clusters as one table. On a terminal of fewer columns, each role is a table of its
// own below its name, without empty columns, and long cells are wrapped between words. Width 0 is no terminal.
func writeSlots(w io.Writer, head table.Row, rows []table.Row, width int) {
	whole := newTable(head)
	for i, row := range rows {
		if i > 0 && row[clusterColumn] != rows[i-1][clusterColumn] {
			whole.AppendSeparator()
		}
		whole.AppendRow(row)
	}
	if words := whole.Render(); width == 0 || prettytext.LongestLineLen(words) <= width {
		fmt.Fprintf(w, "%s\n\n", words)
		return
	}
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r table.Row) bool {
			return r[clusterColumn] != rows[0][clusterColumn] || r[roleColumn] != rows[0][roleColumn]
		})
		if n < 0 {
			n = len(rows)
		}
		name := fmt.Sprintf("%s %s", rows[0][clusterColumn], rows[0][roleColumn])
		fmt.Fprintf(w, "%s\n%s\n\n", strings.TrimSuffix(name, " "+noHost), narrowed(head, rows[:n], width))
		rows = rows[n:]
	}
}

// narrowed returns the table of one role, as far as possible in so many columns.
func narrowed(head table.Row, rows []table.Row, width int) string {
	t := newTable(head)
	t.AppendRows(rows)
	columns, widths := make([]table.ColumnConfig, len(head)), make([]int, len(head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], prettytext.StringWidthWithoutEscSequences(cell.(string)))
		}
	}
	for i := range head {
		columns[i] = table.ColumnConfig{Number: i + 1, Hidden: i <= roleColumn || widths[i] == 0}
	}
	t.SetColumnConfigs(columns)
	const least = 16
	for _, i := range []int{whyColumn, statusColumn, addressColumn} {
		if over := prettytext.LongestLineLen(t.Render()) - width; over > 0 && i < len(head) {
			columns[i].WidthMax, columns[i].WidthMaxEnforcer = max(least, widths[i]-over), prettytext.WrapSoft
			t.SetColumnConfigs(columns)
		}
	}
	return t.Render()
}

func newTable(head table.Row) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	style.Format.Header = prettytext.FormatDefault
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(head)
	return t
}
