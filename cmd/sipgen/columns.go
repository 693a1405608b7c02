package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// writeColumns prints rows, the head among them, in columns with two blanks between. Where a terminal of so many columns is too narrow for that, it is one
// blank, and one of the columns is made narrower: the last one goes on in the next line, and any other is cut. Width 0 is no terminal.
func writeColumns(out io.Writer, rows [][]string, width, narrow int) error {
	if len(rows) == 0 {
		return nil
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	total := func(gap int) int {
		sum := gap * (len(widths) - 1)
		for _, w := range widths {
			sum += w
		}
		return sum
	}
	gap, last := 2, len(widths)-1
	if width > 0 && total(gap) > width {
		gap = 1
		const least = 20
		widths[narrow] = min(widths[narrow], max(least, widths[narrow]+width-total(gap)))
	}
	for _, row := range rows {
		for more := true; more; {
			more = false
			var line strings.Builder
			rest := make([]string, len(row))
			for i, cell := range row {
				switch over := utf8.RuneCountInString(cell) > widths[i]; {
				case over && i == last:
					cell, rest[i] = wrapCell(cell, widths[i])
					more = rest[i] != ""
				case over:
					cell = string([]rune(cell)[:widths[i]-1]) + "…"
				}
				line.WriteString(cell)
				if i < last {
					line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+gap))
				}
			}
			if _, err := fmt.Fprintln(out, strings.TrimRight(line.String(), " ")); err != nil {
				return err
			}
			row = rest
		}
	}
	return nil
}

// wrapCell is as much of a text as has room, up to a blank if there is one, and the rest.
func wrapCell(text string, width int) (begin, rest string) {
	letters := []rune(text)
	at := width
	for at > 0 && letters[at] != ' ' {
		at--
	}
	if at == 0 {
		return string(letters[:width]), string(letters[width:])
	}
	return string(letters[:at]), strings.TrimLeft(string(letters[at:]), " ")
}
