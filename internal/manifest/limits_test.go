package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
)

// within fails a test whose read waits for something that never comes.
func within(t *testing.T, read func() ([]Document, error)) ([]Document, error) {
	t.Helper()
	type answer struct {
		docs []Document
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		docs, err := read()
		done <- answer{docs, err}
	}()
	select {
	case a := <-done:
		return a.docs, a.err
	case <-time.After(20 * time.Second):
		t.Fatal("does not end")
	}
	return nil, nil
}

func TestFoldersHaveRegularFilesOnly(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	need.Write(t, outside, "kind: Outside")
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"a pipe that nobody writes to": {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "x.yaml: a named pipe, want a regular file"},
		"a link to a device":           {func(path string) error { return os.Symlink("/dev/zero", path) }, "x.yaml: a link that leads out of the folder, want a regular file in it"},
		"a link to a file elsewhere":   {func(path string) error { return os.Symlink(outside, path) }, "x.yaml: a link that leads out"},
		"a link to the folder above":   {func(path string) error { return os.Symlink("../up.yaml", path) }, "x.yaml: a link that leads out"},
		"a link to a pipe beside it": {func(path string) error {
			return errors.Join(syscall.Mkfifo(filepath.Join(filepath.Dir(path), "pipe"), 0o600), os.Symlink("pipe", path))
		}, "x.yaml: a named pipe, want"},
		"a link to a folder": {func(path string) error { return os.Symlink(".", path) }, "x.yaml: a folder, want a regular file"},
		"a link to itself":   {func(path string) error { return os.Symlink("x.yaml", path) }, "x.yaml: too many levels of symbolic links"},
		"a link to nothing":  {func(path string) error { return os.Symlink("none", path) }, "x.yaml: no such file"},
		"a socket":           {func(path string) error { return mksocket(path) }, "x.yaml: a socket, want"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "specs")
			need.Write(t, filepath.Join(dir, "..", "up.yaml"), "kind: Up")
			need.Write(t, filepath.Join(dir, "a.yaml"), "kind: A")
			need.OK(t, c.make(filepath.Join(dir, "x.yaml")))
			docs, err := within(t, func() ([]Document, error) { return Read([]string{dir}, nil) })
			need.That(t, err != nil && strings.Contains(err.Error(), c.want) && len(docs) == 1,
				"found %v and %d documents\nwant  %s, and the other file", err, len(docs), c.want)
		})
	}
}

func mksocket(path string) error {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(fd) }()
	return syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
}

// TestDeepFolders: what is too deep is not looked at, and the other files are read. 2,500 folders within each other took 42 seconds.
func TestDeepFolders(t *testing.T) {
	dir := t.TempDir()
	need.Write(t, filepath.Join(dir, "a.yaml"), "kind: A")
	need.Write(t, filepath.Join(dir, strings.Repeat("d/", 64), "b.yaml"), "kind: B")
	need.Write(t, filepath.Join(dir, "e", strings.Repeat("d/", 64), "c.yaml"), "kind: C")
	docs, err := Read([]string{dir}, nil)
	var inFile *FileError
	need.That(t, errors.As(err, &inFile) && strings.HasSuffix(inFile.File, "/e/"+strings.TrimSuffix(strings.Repeat("d/", 64), "/")) && strings.Contains(err.Error(), "more than 64 folders within each other"),
		"found %v", err)
	need.Equal(t, "", len(docs), 2)
}

// A ConfigMap is mounted as links to a hidden folder that is a link itself.
func TestConfigMapsAreRead(t *testing.T) {
	dir := t.TempDir()
	need.Write(t, filepath.Join(dir, "..2026_11_21", "a.yaml"), "kind: A")
	for link, to := range map[string]string{"..data": "..2026_11_21", "a.yaml": "..data/a.yaml"} {
		need.OK(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	docs, err := Read([]string{dir}, nil)
	need.That(t, err == nil && len(docs) == 1 && docs[0].Kind == "A" && docs[0].File == filepath.Join(dir, "a.yaml"),
		"found %+v, %v", docs, err)
}

func TestPipesByNameAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	need.OK(t, syscall.Mkfifo(path, 0o600))
	for _, c := range []struct{ text, want string }{{"kind: A", ""}, {strings.Repeat("# long\n", 1000), "pipe: more than 0 MiB, want at most that in a file"}} {
		go func() {
			time.Sleep(50 * time.Millisecond) // the reader is there first
			_ = os.WriteFile(path, []byte(c.text), 0o600)
		}()
		limits := Specs
		limits.File = 4096
		docs, err := within(t, func() ([]Document, error) { return limits.Read([]string{path}, nil) })
		if c.want == "" && (err != nil || len(docs) != 1) || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("found %v, %v, want %q", docs, err, c.want)
		}
	}
	if _, err := within(t, func() ([]Document, error) { return Inventory.Read([]string{"/dev/zero"}, nil) }); err == nil {
		t.Error("/dev/zero was read to its end")
	}
	if docs, err := Read([]string{"/dev/null"}, nil); err != nil || len(docs) != 0 {
		t.Errorf("/dev/null: found %v, %v", docs, err)
	}
}

func TestLimitsHold(t *testing.T) {
	dir := t.TempDir()
	bank := func(l Limits) Limits { return l.Of(func(string) string { return "bank" }) }
	for i := range 5 {
		need.Write(t, filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), "kind: A\n"+strings.Repeat("# xxxxxx\n", 100))
	}
	need.Write(t, filepath.Join(dir, "docs", "a.yaml"), strings.Repeat("kind: A\n---\n", 30))
	need.Write(t, filepath.Join(dir, "list", "a.yaml"), "kind: List\nitems:\n"+strings.Repeat("- kind: A\n", 30))
	need.Write(t, filepath.Join(dir, "deep", "a.yaml"), "kind: A\nx: "+strings.Repeat("[", 60)+strings.Repeat("]", 60))
	need.Write(t, filepath.Join(dir, "deeper", "a.json"), `{"kind":"A","s":"{[\"[[","x":`+strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000)+"}")
	for _, c := range []struct {
		path   string
		change func(*Limits)
		want   string // empty: it is read
	}{
		{"", func(l *Limits) {}, "deeper/a.json: document 1: line 1: mappings and lists within one another more than 100 deep"},
		{"docs", func(l *Limits) {}, ""},
		{"docs", func(l *Limits) { l.Documents = 31 }, ""},
		{"docs", func(l *Limits) { l.Documents = 29 }, "docs/a.yaml: 31 documents, want at most 29"},
		{"list", func(l *Limits) { l.Documents = 30 }, ""},
		{"list", func(l *Limits) { l.Documents = 29 }, "list/a.yaml: more than 29 objects"},
		{"deep", func(l *Limits) {}, ""},
		{"deep", func(l *Limits) { l.Depth = 61 }, ""},
		{"deep", func(l *Limits) { l.Depth = 60 }, "deep/a.yaml: document 1: line 1: mappings and lists within one another more than 60 deep"},
		{"0.yaml", func(l *Limits) { l.File = 908 }, ""},
		{"0.yaml", func(l *Limits) { l.File = 907 }, "0.yaml: more than 0 MiB, want at most that in a file"},
		{"docs", func(l *Limits) { *l = bank(*l); l.One = 8 }, ""},
		{"docs", func(l *Limits) { *l = bank(*l); l.One = 7 }, "docs/a.yaml: document 1: more than 0 MiB, want at most that in a document"},
		{"0.yaml", func(l *Limits) { *l = bank(*l); l.OneValues = 103 }, ""},
		{"0.yaml", func(l *Limits) { *l = bank(*l); l.OneValues = 102 }, "0.yaml: document 1: about 103 values, want at most 102 in a document"},
		{"docs", func(l *Limits) { *l = bank(*l); l.Values = 100 }, ""},
		{"docs", func(l *Limits) { *l = bank(*l); l.Values = 59 }, "docs/a.yaml: with this file more than 59 values in the files of folder bank"},
		{"", func(l *Limits) { l.Files = 4 }, "more than 4 files"},
		{"", func(l *Limits) { l.File, l.Total = 4000, 4000 }, "4.yaml: with this file more than 0 MiB are read, want at most that"},
	} {
		limits := Specs
		c.change(&limits)
		_, err := limits.Read([]string{filepath.Join(dir, c.path)}, nil)
		need.Error(t, c.path, err, c.want)
	}
	// Standard input counts too.
	limits := Specs
	limits.File = 5
	need.Error(t, "stdin", need.Err(limits.Read([]string{"-"}, strings.NewReader("kind: A"))), "more than")
}

func TestAliasesAreCounted(t *testing.T) {
	laughs := "kind: A\na0: &a0 " + strings.Repeat("x", 500) + "\n"
	for i := range 9 {
		laughs += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 9), i)
	}
	keys := "kind: A\na0: &a0 {k: " + strings.Repeat("x", 500) + "}\n"
	for i := range 6 {
		keys += fmt.Sprintf("a%d: &a%d {%s}\n", i+1, i+1, strings.Repeat(fmt.Sprintf("k%d: *a%d, ", i, i), 1)+fmt.Sprintf("l: *a%d, m: *a%d, n: [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]", i, i, i, i, i, i, i, i, i))
	}
	for name, c := range map[string]struct{ text, want string }{
		"a billion laughs": {laughs, "its aliases stand for more than 16 MiB"},
		"in mappings":      {keys, "its aliases stand for more than 16 MiB"},
		"in itself":        {"kind: A\na: &a [*a]\n", "an anchor that holds an alias of itself"},
		"by a detour":      {"kind: A\na: &a [&b [*a], *b]\n", "an anchor that holds an alias of itself"},
		"a few":            {"kind: A\na: &a {x: 1}\nb: *a\nc:\n  <<: *a\n  y: 2\n", ""},
		"no aliases":       {"kind: A\nschedule: \"*/5 * * * *\"\nurl: https://x/?a=1&b=2\nsh: a && b *x\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, limits := range []Limits{Specs, Inventory} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				docs, err := within(t, func() ([]Document, error) { return limits.Parse("f.yaml", []byte(c.text)) })
				runtime.ReadMemStats(&after)
				want := strings.Replace(c.want, "16 MiB", megabytes(limits.Aliases), 1)
				if c.want == "" && (err != nil || len(docs) != 1) || c.want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("found %v\nwant  %s", err, want)
				}
				taken := after.TotalAlloc - before.TotalAlloc
				need.That(t, taken <= 64<<20, "took %d MiB for %d bytes", taken>>20, len(c.text))
			}
		})
	}
}

// A file that is swapped for a pipe between the look and the open does not hold the run.
func TestAFileSwappedForAPipe(t *testing.T) {
	dir := t.TempDir()
	path, pipe, text := filepath.Join(dir, "x.yaml"), filepath.Join(dir, "pipe"), filepath.Join(dir, "text")
	need.Write(t, text, "kind: A")
	need.OK(t, syscall.Mkfifo(pipe, 0o600))
	stop, stopped := make(chan struct{}), make(chan struct{})
	defer func() {
		close(stop)
		<-stopped // else it writes into the folder while that is removed
	}()
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			from := []string{text, pipe}[i%2]
			_ = os.Remove(path + ".new")
			_ = os.Link(from, path+".new")
			_ = os.Rename(path+".new", path)
		}
	}()
	until := time.Now().Add(time.Second)
	for time.Now().Before(until) {
		_, err := within(t, func() ([]Document, error) { return Read([]string{dir}, nil) })
		if err != nil && !strings.Contains(err.Error(), "named pipe") && !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "no .yaml") {
			t.Fatal(err)
		}
	}
}

// An inventory of a whole site is one document, and its size is no reason to refuse it.
func TestABigInventoryIsRead(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"apiVersion":"metal3.io/v1alpha1","kind":"BareMetalHostList","items":[`)
	for i := range 20_000 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"metadata":{"namespace":"metal3","name":"h%d","annotations":{"x":"%s"}}}`, i, strings.Repeat("y", 3000))
	}
	text.WriteString("]}")
	docs, err := Inventory.Parse("f.json", []byte(text.String()))
	need.That(t, err == nil && len(docs) == 20_000, "found %d documents, %v", len(docs), err)
}

// TestFolderItself: a folder that cannot be read is an error, other than one within it.
func TestFolderItself(t *testing.T) {
	root := need.Value(os.OpenRoot(t.TempDir()))(t)
	need.OK(t, root.Close())
	files, err := Specs.walk(root, "specs", new([]error))
	need.That(t, err != nil && strings.HasPrefix(err.Error(), "specs: "), "found %q, %v", files, err)
}

func TestBounded(t *testing.T) {
	most := Bounds{Bytes: 1000, Nodes: 50, Depth: 10}
	for _, row := range []struct{ text, want string }{
		{"a: b\nc: [1, 2.5, true, null, 'x']\n---\n- d: |\n    text\n", ""},
		{`{"a": ["b", {"c": 1}]}`, ""},
		{"", ""},
		{"a: &a b", "line 1: a YAML anchor"},
		{"a: b\nc: *a", "not valid YAML"},
		{"a: &a [x]\nb: *a", "line 1: a YAML anchor"},
		{"&a a: b", "line 1: a YAML anchor"},
		{"a: b\n<<: {c: d}", "line 2: a YAML merge key"},
		{"a: !!str 1", "line 1: a YAML tag"},
		{"!x {a: b}", "line 1: a YAML tag"},
		{"1: b", "line 1: a key that is no text"},
		{"? [a]\n: b", "line 1: a key that is no text"},
		{"a: b\n'a': c", "line 2: a key is there twice"},
		{"a: [" + strings.Repeat("1,", 60) + "]", "more than 50"},
		{strings.Repeat("- 1\n---\n", 60), "more than 50"},
		{"a: " + strings.Repeat("[", 20) + strings.Repeat("]", 20), "nested deeper than 10"},
		{strings.Repeat("x", 1001), "1001 bytes"},
		{"%YAML 1.1\n---\na: b", "directives"},
		{"a: \x00", "want UTF-8"},
		{"\ufeffa: b", "want UTF-8"},
		{"a: s3cret\nb: [", "line 2: not valid YAML"},
		{"s3cret: '", "not valid YAML"},
	} {
		_, err := Bounded([]byte(row.text), most)
		need.Error(t, row.text[:min(40, len(row.text))], err, row.want)
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%.40q: a value is quoted: %v", row.text, err)
		}
	}
}

// TestParseTakesNoMoreThanTwiceForTwice: whatever a file is made of, valid or not, a file twice as long takes about twice as much memory while it is read.
func TestParseTakesNoMoreThanTwiceForTwice(t *testing.T) {
	for _, row := range []struct{ name, first, again, last string }{
		{"plain", "a: x\n", "  x\n", ""},
		{"plain, then not plain", "a: x\n", "  x\n", "  y: z\n"},
		{"plain, not ASCII", "a: \u00e9\n", "  x\n", ""},
		{"folded", "a: >\n", "  x\n", ""},
		{"folded, two indentations", "a: >\n", "  x\n   x\n", ""},
		{"folded, empty lines", "a: >\n", "\n", "  x\n"},
		{"literal", "a: |\n", "  x\n", ""},
		{"literal, no end", "a: |\n", "  x\n", "  x"},
		{"single quotes", "a: 'x\n", "  x\n", "  '\n"},
		{"single quotes, no end", "a: 'x\n", "  x\n", ""},
		{"double quotes", "a: \"x\n", "  x\n", "  \"\n"},
		{"double quotes, escaped line ends", "a: \"x\\\n", "  x\\\n", "  \"\n"},
		{"comments", "a: x\n", "  # x\n", ""},
		{"the same key", "a: x\n", "a: x\n", ""},
		{"the same keys", "a: x\nb: x\n", "a: x\nb: x\n", ""},
		{"the same key in a flow mapping", "{", "a: x,", "}"},
		{"two objects in one document", "apiVersion: v1\nkind: A\n", "apiVersion: v1\nkind: A\n", ""},
		{"a list", "a:\n", "- x\n", ""},
		{"a list that ends in a key", "a:\n", "- x\n", "b\n"},
		{"a list in a flow mapping", "a: [", "x,", "]"},
		{"brackets", "a: x\n", "[", ""},
		{"dashes", "", "- ", "x\n"},
		{"documents", "a: x\n", "---\na: x\n", ""},
		{"documents that are not valid", "a: x\n", "---\na: [\n", ""},
		{"quotes", "a: ", "'", "\n"},
		{"complex keys", "", "? x\n: y\n", ""},
		{"anchors", "", "- &a x\n", ""},
		{"tags", "", "- !!str x\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			taken := func(n int) uint64 {
				text := []byte(row.first + strings.Repeat(row.again, n) + row.last)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := Specs.Parse("f.yaml", text)
				if err != nil {
					_ = err.Error()
				}
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			const n = 4000
			if once, twice := taken(n), taken(2*n); twice > 3*once+1<<20 { // a room that was kept or not
				t.Errorf("%d times takes %d bytes, %d times %d", n, once, 2*n, twice)
			}
		})
	}
}

// unit is the size of each of the files that owned writes.
const unit = 1 << 10

// owned is a folder with so many files in the folders of owners.
func owned(t *testing.T, files map[string]int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "specs")
	for folder, n := range files {
		for i := range n {
			text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: f%d}\n", i)
			text += "#" + strings.Repeat("x", unit-len(text)-1)
			need.Write(t, filepath.Join(dir, folder, fmt.Sprintf("f%02d.yaml", i)), text)
		}
	}
	return dir
}

// owner has a file: bank, edge, zoo, or nobody.
func owner(file string) string {
	return regexp.MustCompile(`(?:/(bank|edge|zoo)/.*)?$`).FindStringSubmatch(file)[1]
}

// Too many files of one owner are that one's problem: none of them is read, everybody else's are. Nobody's are everybody's problem.
func TestTooManyFilesOfOneOwner(t *testing.T) {
	for _, row := range []struct {
		why              string
		bank, edge, none int
		// read is how many documents there are, of whom is in an error, fatal: it is no file's.
		read        int
		says, fatal bool
	}{
		{"all within", 3, 3, 3, 9, false, false},
		{"one too many in one folder", 4, 3, 1, 4, true, false},
		{"many too many", 40, 2, 1, 3, true, false},
		{"one too many of nobody's", 1, 1, 4, 0, false, true},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := owned(t, map[string]int{"bank/deep": row.bank, "edge": row.edge, ".": row.none})
			limits := Specs
			limits.Files = 3
			docs, err := limits.Of(owner).Read([]string{dir}, nil)
			var of *FileError
			if said := errors.As(err, &of); said != row.says || (err != nil) != (row.says || row.fatal) {
				t.Fatalf("found %v, want a file's problem: %t, an error: %t", err, row.says, row.says || row.fatal)
			}
			if row.says && (owner(of.File) != "bank" || !strings.Contains(err.Error(), "more than 3 files in folder bank") || strings.Contains(err.Error(), "\n")) {
				t.Errorf("found %v of %s, want it said once, of a file in bank", err, of.File)
			}
			if !row.fatal && len(docs) != row.read {
				t.Errorf("%d documents are read, want %d", len(docs), row.read)
			}
		})
	}
}

// Too many bytes of one owner are that one's problem, too, and where all have too many together, they are of whoever has the most: in whatever order
// the folders are named, the others are read.
func TestTooManyBytesOfOneOwner(t *testing.T) {
	for _, row := range []struct {
		why                       string
		bank, edge, zoo, ofNobody int
		// read is how many files are, and whose are not, with what is said. fatal: it is no owner's.
		read        int
		whose, says string
	}{
		{"all within", 4, 4, 4, 4, 16, "", ""},
		{"one more than an owner may", 9, 2, 2, 1, 5, "bank", "in the files of folder bank, want at most that: none of them is read; the largest: "},
		{"the last of them", 2, 2, 9, 1, 5, "zoo", "in the files of folder zoo, want at most that: none of them is read"},
		{"two owners", 9, 2, 9, 1, 3, "bank zoo", "folder zoo"},
		{"each within, and together too many", 5, 5, 7, 4, 14, "zoo", "in the files of all folders, and those of folder zoo have the most"},
		{"the first has the most", 7, 5, 5, 4, 14, "bank", "those of folder bank have the most"},
		{"as many of two: the first by name", 7, 1, 7, 6, 14, "bank", "those of folder bank have the most"},
		{"nobody's are the most, but within", 1, 1, 1, 19, 20, "bank edge", "those of folder bank have the most"},
		{"nobody's are everybody's problem", 1, 1, 1, 21, 20, "", "with this file more than 0 MiB are read"},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := owned(t, map[string]int{"bank": row.bank, "edge": row.edge, "zoo": row.zoo, ".": row.ofNobody})
			limits := Specs
			limits.Own, limits.Total = 8*unit, 20*unit
			docs, err := limits.Of(owner).Read([]string{dir}, nil)
			need.Equal(t, "", len(docs), row.read)
			if row.says == "" && err != nil || row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
				t.Fatalf("found %v, want %q", err, row.says)
			}
			if row.whose == "" {
				return
			}
			var found []string
			for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
				for _, file := range flat(e) {
					found = append(found, owner(file.File))
				}
			}
			need.Equal(t, found, strings.Join(found, " "), row.whose)
		})
	}
}

// flat are the files that an error is of.
func flat(err error) []*FileError {
	if file, ok := err.(*FileError); ok {
		return []*FileError{file}
	}
	var out []*FileError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			out = append(out, flat(e)...)
		}
	}
	return out
}
