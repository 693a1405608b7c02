package manifest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// sameAsLibrary holds what simpleJSON reads against the library, and the head against what the JSON decoder finds.
func sameAsLibrary(t *testing.T, text string) (read bool) {
	t.Helper()
	object, top, ok := simpleJSON([]byte(text), 100)
	if !ok {
		return false
	}
	want, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil || !bytes.Equal(object, want) {
		t.Errorf("of\n%s\nread    %s\nlibrary %s, %v", text, object, want, err)
		return true
	}
	if top != nil {
		d := Document{JSON: object}
		found, err := d.items()
		if err != nil || len(found) != 1 || found[0].APIVersion != top.apiVersion || found[0].Kind != top.kind || found[0].Namespace != top.namespace || found[0].Name != top.name {
			t.Errorf("of\n%s\nhead %+v, the decoder finds %+v, %v", text, top, found, err)
		}
	}
	return true
}

var simpleTexts = []struct {
	why, text string
	// library: it is left to the library.
	library bool
}{
	{"a host", "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  name: n1\n  namespace: metal3\n  labels:\n    rack: r1\nspec:\n  online: true\n  bootMACAddress: 02:00:0a:00:00:01\n", false},
	{"keys are sorted", "b: 1\na:\n  d: x\n  c: w\n", false},
	{"a list in its key's column", "a:\n- b: 1\n  c: 2\n- d\n-\n- - e\n  - f\ng: h\n", false},
	{"a list further in", "a:\n  - b:\n      - c\n  - d: e\nf: g\n", false},
	{"flow mappings and lists", "a: {b: c, d: [1, two, \"th,ree\"], e: {}, f: []}\n", false},
	{"comments and empty lines", "# head\n\na: b # why\n\n  # in between\nc: 'it''s # no comment'\n", false},
	{"a literal block", "a: |\n  one\n\n    two\n  # no comment\n\nb: |-\n  last\nc: d\n", false},
	{"a literal block in a list", "a:\n- |\n  one\n- b: |-\n    two\n", false},
	{"nothing is null", "a:\nb: ~\nc: null\n", false},
	{"managed fields", "a:\n  f:metadata:\n    .: {}\n    f:labels: {}\n", false},
	{"texts that look like numbers", "a: 10.0.0.1\nb: 1.2.3\nc: 02:00:00:00:00:01\nd: 7f3a9c1e-0000-4000-8000-000000000001\ne: 100m\nf: v1\n", false},
	{"escapes", "a: \"q\\\"b\\\\n\\n\"\nb: a<&>\n", false},
	{"a key twice", "a: 1\na: 2\n", true},
	{"a key twice, in braces", "a: {b: 1, b: 2}\n", true},
	{"a key twice, one in quotes", "a: 1\n\"a\": 2\n", true},
	{"an anchor", "a: &x b\nc: *x\n", true},
	{"a merge key", "a: b\n<<: c\n", true},
	{"a tag", "a: !!str 1\n", true},
	{"a scalar that goes on", "a: one\n  two three\n  4\nb: c\n", false},
	{"a scalar that goes on in a list", "a:\n- one\n  two\n- three\n", false},
	{"a text that goes on", "a: 'one: it''s\n  two # three\n    four'\nb:\n- 'c\n  d'\n", false},
	{"a scalar that goes on behind an empty line", "a: one\n\n  two\n", true},
	{"a scalar that goes on behind a comment", "a: one\n  # c\n  two\n", true},
	{"a scalar that goes on with a comment", "a: one # c\n  two\n", true},
	{"a text that goes on behind an empty line", "a: 'one\n\n  two'\n", true},
	{"a text that goes on further out", "a:\n  b: 'one\n two'\n", true},
	{"a text that goes on behind spaces", "a: 'one \n  two'\n", true},
	{"a text that does not end", "a: 'one\n  two\n", true},
	{"a text in double quotes that goes on", "a: \"one\n  two\"\n", true},
	{"yes", "a: yes\n", true},
	{"a fraction", "a: 1.5\n", true},
	{"an octal number", "a: 017\n", true},
	{"a number with an exponent", "a: 1e3\n", true},
	{"a hexadecimal number", "a: 0x1f\n", true},
	{"a date", "a: 2026-11-21\n", true},
	{"a number as a key", "1: a\n", true},
	{"true as a key", "true: a\n", true},
	{"a tab", "a:\tb\n", true},
	{"a directive", "%YAML 1.1\na: b\n", true},
	{"a document in a document", "a: b\n--- c\n", true},
	{"an end of the document", "a: b\n...\n", true},
	{"a folded block", "a: >\n  b\n", true},
	{"a colon in a value", "a: b: c\n", true},
	{"a column of no block", "a:\n    b: c\n  d: e\n", true},
	{"a mapping after a scalar", "a: b\n  c: d\n", true},
	{"braces that do not end", "a: {b: c\n", true},
	{"what follows braces", "a: {b: c} d\n", true},
	{"what follows a text", "a: \"b\" c\n", true},
	{"no ASCII", "a: é\n", true},
	{"nothing", "# a\n", true},
	{"lists too deep", "a:\n" + strings.Repeat("- ", 101) + "b\n", true},
	{"braces too deep", "a: " + strings.Repeat("[", 101) + strings.Repeat("]", 101) + "\n", true},
	{"mappings too deep", deepMappings(101), true},
}

func deepMappings(n int) (text string) {
	for i := range n {
		text += strings.Repeat(" ", i) + "a:\n"
	}
	return text
}

func TestSimpleDocuments(t *testing.T) {
	for _, row := range simpleTexts {
		if read := sameAsLibrary(t, row.text); read == row.library {
			t.Errorf("%s: read without the library: %v", row.why, read)
		}
		// Whatever comes first, the same is read.
		docs, err := Parse("f", []byte(row.text))
		if _, libraryErr := yaml.YAMLToJSONStrict([]byte(row.text)); (libraryErr == nil) != (err == nil) && !row.library {
			t.Errorf("%s: %v, %v, the library %v", row.why, docs, err, libraryErr)
		}
	}
}

// TestSimpleIsTheLibrary reads every YAML file of the project, and cut off and changed in every place, as the library does.
func TestSimpleIsTheLibrary(t *testing.T) {
	simple, all := 0, 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2 {
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return err
		}
		if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, chunk := range split(text) {
			all++
			if sameAsLibrary(t, string(chunk.text)) {
				simple++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d documents are simple", simple, all)
	if simple < all/2 {
		t.Errorf("only %d of %d documents are simple", simple, all)
	}
}

// TestSimpleMutations: a document that was changed in one place is read as the library reads it, or by the library.
func TestSimpleMutations(t *testing.T) {
	for _, row := range simpleTexts {
		text := row.text
		if strings.HasSuffix(row.why, "too deep") {
			continue // long, and said
		}
		for i := range len(text) {
			for _, put := range []string{"", " ", "  ", "\n", ":", ": ", "- ", "-", "#", " #", "\"", "'", "{", "}", "[", "]", ",", "|", "~", "0", "1", ".", "e", "y", "?", "*a", "&a", "!", "%", "@", "<<: ", "null", "\\"} {
				sameAsLibrary(t, text[:i]+put+text[i:])
				sameAsLibrary(t, text[:i]+put+text[i+1:])
			}
			sameAsLibrary(t, text[:i])
		}
	}
}

func FuzzSimple(f *testing.F) {
	for _, row := range simpleTexts {
		f.Add(row.text)
	}
	f.Fuzz(func(t *testing.T, text string) { sameAsLibrary(t, text) })
}
