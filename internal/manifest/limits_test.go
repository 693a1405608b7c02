package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	case <-time.After(5 * time.Minute):
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
		"a pipe that nobody writes to": {func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"x.yaml: a named pipe, want a regular file"},
		"a link to a device": {func(path string) error { return os.Symlink("/dev/zero", path) },
			"x.yaml: a link that leads out of the folder, want a regular file in it"},
		"a link to a file elsewhere": {func(path string) error { return os.Symlink(outside, path) },
			"x.yaml: a link that leads out"},
		"a link to the folder above": {func(path string) error { return os.Symlink("../up.yaml", path) },
			"x.yaml: a link that leads out"},
		"a link to a pipe beside it": {func(path string) error {
			return errors.Join(syscall.Mkfifo(filepath.Join(filepath.Dir(path), "pipe"), 0o600),
				os.Symlink("pipe", path))
		}, "x.yaml: a named pipe, want"},
		"a link to a folder": {func(path string) error { return os.Symlink(".", path) },
			"x.yaml: a folder, want a regular file"},
		"a link to itself": {func(path string) error { return os.Symlink("x.yaml", path) },
			"x.yaml: too many levels of symbolic links"},
		"a link to nothing": {func(path string) error { return os.Symlink("none", path) }, "x.yaml: no such file"},
		"a socket":          {func(path string) error { return mksocket(path) }, "x.yaml: a socket, want"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "specs")
			need.Write(t, filepath.Join(dir, "..", "up.yaml"), "kind: Up")
			need.Write(t, filepath.Join(dir, "a.yaml"), "kind: A")
			require.NoError(t, c.make(filepath.Join(dir, "x.yaml")))
			docs, err := within(t, func() ([]Document, error) { return Read([]string{dir}, nil) })
			assert.Truef(t, err != nil && strings.Contains(err.Error(), c.want) && len(docs) == 1,
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

// TestDeepFolders: what is too deep is not looked at, and the other files are read. 2,500 folders within each other
// took 42 seconds.
func TestDeepFolders(t *testing.T) {
	dir := t.TempDir()
	need.Write(t, filepath.Join(dir, "a.yaml"), "kind: A")
	need.Write(t, filepath.Join(dir, strings.Repeat("d/", 64), "b.yaml"), "kind: B")
	need.Write(t, filepath.Join(dir, "e", strings.Repeat("d/", 64), "c.yaml"), "kind: C")
	docs, err := Read([]string{dir}, nil)
	var inFile *FileError
	assert.Truef(t,
		errors.As(err, &inFile) && strings.HasSuffix(inFile.File,
			"/e/"+strings.TrimSuffix(strings.Repeat("d/", 64), "/")) && strings.Contains(err.Error(),
			"more than 64 folders within each other"),
		"found %v", err)
	assert.Equal(t, 2, len(docs))
}

// A ConfigMap is mounted as links to a hidden folder that is a link itself.
func TestConfigMapsAreRead(t *testing.T) {
	dir := t.TempDir()
	need.Write(t, filepath.Join(dir, "..2026_11_21", "a.yaml"), "kind: A")
	for link, to := range map[string]string{"..data": "..2026_11_21", "a.yaml": "..data/a.yaml"} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	docs, err := Read([]string{dir}, nil)
	assert.Truef(t,
		err == nil && len(docs) == 1 && docs[0].Kind == "A" && docs[0].File == filepath.Join(dir, "a.yaml"),
		"found %+v, %v", docs, err)
}

func TestPipesByNameAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	for _, c := range []struct{ text, want string }{{"kind: A", ""},
		{strings.Repeat("# long\n", 1000), "pipe: more than 0 MiB, want at most that in a file"}} {
		go func() {
			time.Sleep(50 * time.Millisecond) // the reader is there first
			_ = os.WriteFile(path, []byte(c.text), 0o600)
		}()
		limits := Specs
		limits.File = 4096
		docs, err := within(t, func() ([]Document, error) { return limits.Read([]string{path}, nil) })
		if c.want == "" && (err != nil || len(docs) != 1) ||
			c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("found %v, %v, want %q", docs, err, c.want)
		}
	}
	if _, err := within(t, func() ([]Document, error) {
		return Inventory.Read([]string{"/dev/zero"},
			nil)
	}); err == nil {
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
	need.Write(t, filepath.Join(dir, "deeper", "a.json"),
		`{"kind":"A","s":"{[\"[[","x":`+strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000)+"}")
	for _, c := range []struct {
		path   string
		change func(*Limits)
		want   string // empty: it is read
	}{
		{"", func(l *Limits) {}, "deeper/a.json: document 1: line 1: mappings and lists within one another more than 100 deep"},
		{"docs", func(l *Limits) { l.Documents = 31 }, ""},
		{"docs", func(l *Limits) { l.Documents = 29 }, "docs/a.yaml: 31 documents, want at most 29"},
		{"list", func(l *Limits) { l.Documents = 30 }, ""},
		{"list", func(l *Limits) { l.Documents = 29 }, "list/a.yaml: more than 29 objects"},
		{"deep", func(l *Limits) { l.Depth = 61 }, ""},
		{"deep", func(l *Limits) { l.Depth = 60 },
			"deep/a.yaml: document 1: line 1: mappings and lists within one another more than 60 deep"},
		{"0.yaml", func(l *Limits) { l.File = 908 }, ""},
		{"0.yaml", func(l *Limits) { l.File = 907 }, "0.yaml: more than 0 MiB, want at most that in a file"},
		{"docs", func(l *Limits) { *l = bank(*l); l.One = 8 }, ""},
		{"docs", func(l *Limits) { *l = bank(*l); l.One = 7 },
			"docs/a.yaml: document 1: more than 0 MiB, want at most that in a document"},
		{"0.yaml", func(l *Limits) { *l = bank(*l); l.OneValues = 103 }, ""},
		{"0.yaml", func(l *Limits) { *l = bank(*l); l.OneValues = 102 },
			"0.yaml: document 1: about 103 values, want at most 102 in a document"},
		{"docs", func(l *Limits) { *l = bank(*l); l.Values = 100 }, ""},
		{"docs", func(l *Limits) { *l = bank(*l); l.Values = 59 },
			"docs/a.yaml: with this file more than 59 values in the files of folder bank"},
		{"docs", func(l *Limits) { *l = l.Of(func(string) string { return "" }); l.Values, l.OneValues = 59, 59 }, ""},
		{"", func(l *Limits) { l.Files = 4 }, "more than 4 files"},
		{"", func(l *Limits) { l.File, l.Total = 4000, 4000 },
			"4.yaml: with this file more than 0 MiB are read, want at most that"},
	} {
		limits := Specs
		c.change(&limits)
		_, err := limits.Read([]string{filepath.Join(dir, c.path)}, nil)
		need.Error(t, c.path, err, c.want)
	}
	// Standard input counts too.
	limits := Specs
	limits.File = 5
	assert.ErrorContains(t, need.Err(limits.Read([]string{"-"}, strings.NewReader("kind: A"))), "more than", "stdin")
}

func TestAliasesAreCounted(t *testing.T) {
	laughs := "kind: A\na0: &a0 " + strings.Repeat("x", 500) + "\n"
	for i := range 9 {
		laughs += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 9), i)
	}
	keys := "kind: A\na0: &a0 {k: " + strings.Repeat("x", 500) + "}\n"
	for i := range 6 {
		keys += fmt.Sprintf("a%d: &a%d {%s}\n", i+1, i+1,
			strings.Repeat(fmt.Sprintf("k%d: *a%d, ", i, i),
				1)+fmt.Sprintf("l: *a%d, m: *a%d, n: [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]", i, i, i, i, i, i, i, i, i))
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
				if c.want == "" && (err != nil || len(docs) != 1) ||
					c.want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("found %v\nwant  %s", err, want)
				}
				taken := after.TotalAlloc - before.TotalAlloc
				assert.Truef(t, taken <= 64<<20, "took %d MiB for %d bytes", taken>>20, len(c.text))
			}
		})
	}
}

// A file that is swapped for a pipe between the look and the open does not hold the run.
func TestAFileSwappedForAPipe(t *testing.T) {
	dir := t.TempDir()
	path, pipe, text := filepath.Join(dir, "x.yaml"), filepath.Join(dir, "pipe"), filepath.Join(dir, "text")
	need.Write(t, text, "kind: A")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
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
	for range 500 {
		_, err := within(t, func() ([]Document, error) { return Read([]string{dir}, nil) })
		if err != nil && !strings.Contains(err.Error(), "named pipe") && !errors.Is(err, fs.ErrNotExist) &&
			!strings.Contains(err.Error(), "no .yaml") {
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
		fmt.Fprintf(&text, `{"metadata":{"namespace":"metal3","name":"h%d","annotations":{"x":"%s"}}}`, i,
			strings.Repeat("y", 3000))
	}
	text.WriteString("]}")
	docs, err := Inventory.Parse("f.json", []byte(text.String()))
	assert.Truef(t, err == nil && len(docs) == 20_000, "found %d documents, %v", len(docs), err)
}

// TestFolderItself: a folder that cannot be read is an error, other than one within it.
func TestFolderItself(t *testing.T) {
	root := need.Value(os.OpenRoot(t.TempDir()))(t)
	require.NoError(t, root.Close())
	files, err := Specs.walk(root, "specs", new([]error))
	assert.Truef(t, err != nil && strings.HasPrefix(err.Error(), "specs: "), "found %q, %v", files, err)
}
