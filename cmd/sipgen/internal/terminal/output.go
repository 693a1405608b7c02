package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
func (u *UI) Width() int { return terminalWidth(unwrapped(u.Out)) }

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

// YAML prints a value as YAML, with its JSON fields. Strings that a CI system could take for commands are in double
// quotes, and no string is folded: no line of a string begins a line of the output.
func (u *UI) YAML(value any) error {
	asJSON, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var root yaml.Node
	// Line ends of YAML that JSON does not escape.
	asJSON = bytes.ReplaceAll(asJSON, []byte("\u0085"), []byte(`\u0085`))
	if err := yaml.Unmarshal(asJSON, &root); err != nil {
		return err
	}
	plainly(&root)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := errors.Join(encoder.Encode(&root), encoder.Close()); err != nil {
		return err
	}
	_, err = u.Out.Write(text.EscapeQuoted(out.Bytes()))
	return err
}

// plainly gives what was read from JSON the form in which people write YAML. Fields are sorted by name.
func plainly(node *yaml.Node) {
	node.Style = 0
	if node.Kind == yaml.ScalarNode && node.Tag == "!!str" &&
		(strings.ContainsAny(node.Value, "\r\n\u0085\u2028\u2029") || text.Commands(node.Value)) {
		node.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range node.Content {
		plainly(child)
	}
	if node.Kind == yaml.MappingNode {
		pairs := slices.Collect(slices.Chunk(node.Content, 2))
		slices.SortFunc(pairs, func(a, b []*yaml.Node) int { return strings.Compare(a[0].Value, b[0].Value) })
		node.Content = slices.Concat(pairs...)
	}
}
