package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/airshipit/sipgen/internal/text"
)

// Columns prints rows as writeColumns does, as wide as the terminal that they go to.
func (u *UI) Columns(rows [][]string, narrow int) error {
	return writeColumns(u.Out, rows, u.Width(), narrow)
}

// writeColumns prints rows, the head among them, in columns with two blanks between. Where a terminal of so many
// columns is too narrow for that, it is one blank, and the cells of one column go on in the next line, between words.
// A cell ends after mostCell characters. Width 0 is no terminal.
func writeColumns(out io.Writer, rows [][]string, width, narrow int) error {
	if len(rows) == 0 {
		return nil
	}
	rows = bounded(rows)
	columns := table.NewWriter()
	columns.SuppressTrailingSpaces()
	last, longest, word, total := len(rows[0])-1, 0, 0, 0
	for i := range rows[0] {
		most := 0
		for _, row := range rows {
			most = max(most, prettytext.StringWidth(row[i]))
			if i == narrow {
				for part := range strings.SplitSeq(row[i], " ") {
					word = max(word, prettytext.StringWidth(part))
				}
			}
		}
		if total += most; i == narrow {
			longest = most
		}
	}
	gap := "  "
	if over := total + 2*last - width; width > 0 && over > 0 {
		gap = " "
		const least = 20
		columns.SetColumnConfigs([]table.ColumnConfig{{
			Number:           narrow + 1,
			WidthMax:         min(longest, max(least, word, longest-over+last)),
			WidthMaxEnforcer: prettytext.WrapSoft,
		}})
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

// mostCell is the longest cell, in characters. A longer one would widen its column in every row.
const mostCell = 1000

// bounded returns the rows with cells of at most mostCell characters.
func bounded(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			out[i] = append(out[i], text.Truncate(cell, mostCell))
		}
	}
	return out
}

// Block prints lines, folded to the terminal that they go to.
func (u *UI) Block(lines string) error {
	_, err := fmt.Fprint(u.Out, folded(text.Block(lines), u.Width()))
	return err
}

// folded wraps the lines of a block that are wider than a terminal. A continuation is indented by two more columns.
func folded(block string, width int) string {
	lines := strings.Split(block, "\n")
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " ")) + 2
		lines[i] = text.Fold(line, width, strings.Repeat(" ", indent))
	}
	return strings.Join(lines, "\n")
}
