package terminal

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// product is stdout, and remembers that something could not be written to it: most of what prints does not look.
type product struct {
	io.Writer
	err error
}

func (p *product) Write(text []byte) (int, error) {
	n, err := p.Writer.Write(text)
	if p.err == nil {
		p.err = err
	}
	return n, err
}

// IncompleteError: not all that was to be printed was printed.
type IncompleteError struct{ Err error }

// Incomplete returns why not all of the product was written, nil if it was.
func (u *UI) Incomplete() *IncompleteError {
	if whole, ok := u.Out.(*product); ok && whole.err != nil {
		return &IncompleteError{whole.err}
	}
	return nil
}

func (e *IncompleteError) Error() string { return "the output is incomplete: " + e.Err.Error() }
func (e *IncompleteError) Unwrap() error { return e.Err }

// Colored decides by --color, the environment (https://no-color.org) and whether the product goes to a terminal.
func (u *UI) Colored(when string, getenv func(string) string) (bool, error) {
	switch when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return getenv("NO_COLOR") == "" && IsTerminal(unwrapped(u.Out)), nil
	}
	return false, redact.Errorf("--color: found %q, want auto, always or never", when)
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// unwrapped returns what a product is written to.
func unwrapped(out io.Writer) io.Writer {
	if whole, ok := out.(*product); ok {
		return whole.Writer
	}
	return out
}

// Width returns how many columns the terminal has that the product is written to, 0 if it is none.
func (u *UI) Width() int { return max(u.width, terminalWidth(unwrapped(u.Out))) }

// terminalWidth returns how many columns a terminal has, 0 if it is none.
func terminalWidth(out io.Writer) int {
	file, isFile := out.(*os.File)
	if !isFile {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// JSON prints a value as every command prints JSON.
func (u *UI) JSON(value any) error { return text.JSON(u.Out, value) }
