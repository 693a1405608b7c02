package object

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// sameAsLibrary holds what simpleWriter writes against the library.
func sameAsLibrary(t *testing.T, object any) (written bool) {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	w := newWriter("")
	defer w.release()
	if !w.simple(text) {
		return false
	}
	if want, err := libraryYAML(text); err != nil || string(w.out) != string(want) {
		t.Errorf("of %s\nwritten\n%s\nlibrary\n%s%v", text, w.out, want, err)
	}
	return true
}

var texts = []string{
	"", "a", "y", "yes", "true", "null", "~", "~a", "0", "017", "089", "1", "1.5", "1e3", "0x1f", "0b1", "1_000", "-1", "-a", "--a", "---a", "-", "- a", "+1", ".5", ".inf", ".", "..", "./a", "./a b", "./", "7f3a9c1e-0000-4000-8000-000000000001", "1e-5", "12e-5-1",
	"10.0.0.1", "1.2.3", "02:00:00:00:00:01", "02:0a:00:00:00:01", "1:30", "100m", "2Gi", "2026-11-21", "2026-11-21T10:00:00Z", "2026-x",
	"a b", " a", "a ", "a: b", "a:", "a:b", ":a", "?a", "a #b", "a#b", "#a", "'a'", "it's", "\"a\"", "a\"b", "a\\b", "{a}", "[a]", "a,b", "*a", "&a", "!a", "%a", "@a", "`a`", "|", ">", "<<", "=", "<a>", "a&b",
	"a\nb", "a\nb\n", "a\n\nb\n", "a\n  b\n", " a\nb", "\na", "a\n\n", "a \nb", "a\n \nb", "\n", "a\tb", "a\tb\nc", "é", "é\n", "a\u2028b", "a\x00b", "a\x7fb", "a\r\nb\n",
	strings.Repeat("word ", 30) + "end", strings.Repeat("x", 200), strings.Repeat("word ", 12) + "end", strings.Repeat("x", 90) + " y", strings.Repeat("it's ", 20),
	"key: " + strings.Repeat("word ", 30) + "end", strings.Repeat("it's: ", 20) + "end", strings.Repeat("word  two ", 20) + "end", strings.Repeat("x", 77) + " y z", strings.Repeat("x", 78) + " y z",
	strings.Repeat("x", 79) + " y z", strings.Repeat("x", 79) + " # z", strings.Repeat("x", 90) + ": y", strings.Repeat("x", 90) + " y ", "# " + strings.Repeat("x", 90) + "  y z'z",
	"9 " + strings.Repeat("word ", 30) + "end", strings.Repeat("x", 70) + " - y: z " + strings.Repeat("x", 90) + " y",
}

// TestSimpleIsTheLibrary writes every kind of text in every place as the library does.
func TestSimpleIsTheLibrary(t *testing.T) {
	written := 0
	for _, text := range texts {
		for _, object := range []any{
			map[string]any{"a": text, "b": 1},
			map[string]any{text: "a", "b": true, "9": -3, "10": 0},
			map[string]any{"a": map[string]any{"b": map[string]any{"c": text}, "d": text}},
			map[string]any{"a": []any{text, text}, "b": []any{map[string]any{"c": text, "d": []any{text}}, map[string]any{}, []any{}}},
			map[string]any{"a": []any{[]any{text}}, "b": nil, "status": text, "c": map[string]any{"status": text, "d": nil}},
			map[string]any{"a": []any{nil, text}},
			[]any{map[string]any{"op": "test", "path": text, "value": true}, text},
		} {
			if sameAsLibrary(t, object) {
				written++
			}
		}
	}
	for _, object := range []any{map[string]any{}, map[string]any{"a": 1.5, "b": "c"}, map[string]any{"a": 1e30}, map[string]any{"a": math.Copysign(0, -1), "b": uint64(1 << 63)}, map[string]any{"a": nil}} {
		sameAsLibrary(t, object)
	}
	if written < 2*len(texts) {
		t.Errorf("only %d objects are simple", written)
	}
}

// TestKeysAreSortedAsTheLibraryDoes compares all pairs of keys. Of three, the library may have each before the next one round a circle
// (a2, a10, a1b): its order is that of a map then, and simpleWriter's always the same.
func TestKeysAreSortedAsTheLibraryDoes(t *testing.T) {
	keys := []string{"a", "b", "aa", "a1", "a01", "a2", "a10", "a1b", "a1a", "a-b", "a.b", "a/b", "A", "B", "a9", "1", "10", "2", "01", "001", "a0", "a00", "a100", "a1-2", "a1-10", "_", "-a", "loadBalancer", "loadBalancerControlPlane", "x1y2", "x1y10", "x01y"}
	for _, a := range keys {
		for _, b := range keys {
			sameAsLibrary(t, map[string]any{a: "x", b: "x"})
		}
	}
}

// TestRenderedTreesAreTheLibrarys writes every object of the trees that are rendered from the examples.
func TestRenderedTreesAreTheLibrarys(t *testing.T) {
	written, all := 0, 0
	err := filepath.WalkDir("../../golden", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			var object map[string]any
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			all++
			if sameAsLibrary(t, object) {
				written++
			} else {
				t.Logf("%s is left to the library", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d objects are simple", written, all)
	if written < all/2 {
		t.Errorf("only %d of %d objects are simple", written, all)
	}
}

func FuzzSimple(f *testing.F) {
	for _, text := range texts {
		f.Add("a", text, "b")
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		sameAsLibrary(t, map[string]any{a: b, b: []any{c, map[string]any{c: a, b: c}}, "x": map[string]any{a: c, c: b}})
	})
}

// TestFoldsAsTheLibrary: long texts of random words, which are broken at spaces, in random places.
func TestFoldsAsTheLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []string{" ", " ", " ", "  ", "a", "word", "it's", ": ", " #", "#", ":", "-", ",", ".", "/", "=", "~1", "\"", "9", strings.Repeat("x", 30)}
	written, folded := 0, 0
	for range 6000 {
		var text strings.Builder
		for range rng.IntN(60) {
			text.WriteString(parts[rng.IntN(len(parts))])
		}
		var object any = map[string]any{strings.Repeat("k", 1+rng.IntN(90)): text.String()}
		for range rng.IntN(4) {
			if rng.IntN(2) == 0 {
				object = map[string]any{"in": object, "z": 1}
			} else {
				object = map[string]any{"in": []any{object, text.String()}}
			}
		}
		if rng.IntN(4) == 0 {
			object = []any{object}
		}
		if sameAsLibrary(t, object) {
			written++
			if text.Len() > 120 {
				folded++
			}
		}
		if t.Failed() {
			return
		}
	}
	if folded < 1000 {
		t.Errorf("%d texts were written, %d of them long: too few to test anything", written, folded)
	}
}
