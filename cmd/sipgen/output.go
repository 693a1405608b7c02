package main

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

	"github.com/airshipit/sipgen/internal/manifest"
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

// incompleteError: not all that was to be printed was printed.
type incompleteError struct{ err error }

func (e *incompleteError) Error() string { return "the output is incomplete: " + e.err.Error() }
func (e *incompleteError) Unwrap() error { return e.err }

// checkFormat refuses an --output that a command has not.
func checkFormat(found string, want []string) error {
	for _, format := range want {
		if found == format {
			return nil
		}
	}
	hint := ""
	word, _, _ := strings.Cut("o"+found, "=")
	if near := manifest.Nearest(found, want); word == "out" || word == "output" { // -o takes the rest of its word
		hint = redact.Sprintf(", did you mean --%s, with two dashes?", word)
	} else if near != "" && near[0] == found[0] {
		hint = redact.Sprintf(", did you mean %q?", near)
	}
	return redact.Errorf("--output: found %q, want %s%s", found, strings.Join(want, ", "), hint)
}

// coloured decides by --color, the environment (https://no-color.org) and whether out is a terminal.
func coloured(when string, out io.Writer, getenv func(string) string) (bool, error) {
	switch when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		if whole, is := out.(*product); is {
			out = whole.Writer
		}
		file, isFile := out.(*os.File)
		return isFile && getenv("NO_COLOR") == "" && term.IsTerminal(int(file.Fd())), nil
	}
	return false, redact.Errorf("--color: found %q, want auto, always or never", when)
}

// terminalWidth is how many columns the terminal has that is written to, 0 if it is none.
func terminalWidth(out io.Writer) int {
	if whole, is := out.(*product); is {
		out = whole.Writer
	}
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

// writeJSON prints a value as every command prints JSON.
func writeJSON(ui *ui, value any) error { return text.JSON(ui.out, value) }

// writeYAML prints a value as YAML, with the fields that it has as JSON. Strings that a CI system could take for commands stand in double quotes,
// and no string is folded: none of its lines begins a line of the output.
func writeYAML(ui *ui, value any) error {
	asJSON, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var root yaml.Node
	// What YAML takes for a line end beside those that JSON escapes.
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
	_, err = ui.out.Write(text.EscapeQuoted(out.Bytes()))
	return err
}

// plainly gives what was read from JSON the form in which people write YAML. Fields are sorted by name.
func plainly(node *yaml.Node) {
	node.Style = 0
	//guard: a host's error message is a command to the CI system that shows the plan
	if node.Kind == yaml.ScalarNode && node.Tag == "!!str" && (strings.ContainsAny(node.Value, "\r\n\u0085\u2028\u2029") || text.Commands(node.Value)) {
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
