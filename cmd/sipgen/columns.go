package main

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
)

// writeColumns prints rows, the head among them, in columns with two blanks between. Where a terminal of so many columns is too narrow for that, it is one
// blank, and one of the columns is made narrower: the last one goes on in the next line, and any other is cut. Width 0 is no terminal.
func writeColumns(out io.Writer, rows [][]string, width, narrow int) error {
	if len(rows) == 0 {
		return nil
	}
	columns := table.NewWriter()
	columns.SuppressTrailingSpaces()
	last, longest, total := len(rows[0])-1, 0, 0
	for i := range rows[0] {
		most := 0
		for _, row := range rows {
			most = max(most, prettytext.StringWidth(row[i]))
		}
		if total += most; i == narrow {
			longest = most
		}
	}
	gap := "  "
	if over := total + 2*last - width; width > 0 && over > 0 {
		gap = " "
		const least = 20
		fit := table.ColumnConfig{Number: narrow + 1, WidthMax: min(longest, max(least, longest-over+last)), WidthMaxEnforcer: prettytext.WrapSoft}
		if narrow < last {
			fit.WidthMaxEnforcer = func(cell string, most int) string { return prettytext.Snip(cell, most, "…") }
		}
		columns.SetColumnConfigs([]table.ColumnConfig{fit})
	}
	columns.SetStyle(table.Style{Box: table.BoxStyle{PaddingRight: gap}})
	for _, row := range rows {
		cells := make(table.Row, len(row))
		for i, cell := range row {
			cells[i] = cell
		}
		columns.AppendRow(cells)
	}
	_, err := fmt.Fprintln(out, columns.Render())
	return err
}
