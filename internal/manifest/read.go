package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Read is Specs.Read.
func Read(paths []string, stdin io.Reader) ([]Document, error) { return Specs.Read(paths, stdin) }

// Read reads all documents below paths: files, folders (every .yaml, .yml and .json in them, and every
// Kustomization, recursively, in the order of their names, hidden ones left out) and "-" for stdin.
// A file that is reached twice is read once. Lists are split into their items. Documents without content are left
// out. Every problem is reported, joined.
//
// Below a folder only regular files are read, and links that stay inside it (as in a mounted ConfigMap). A path that
// is given by name may also be a pipe, as the shell's <(...) makes one.
func (l Limits) Read(paths []string, stdin io.Reader) ([]Document, error) {
	var (
		docs []Document
		errs []error
		seen = map[string]bool{}
		n    = fileCount{limits: l}
		all  []ownedFile
		size = byteCount{limits: l}
	)
	for _, path := range paths {
		files, done, err := l.expand(path)
		defer done()
		errs = append(errs, err)
		for _, file := range files {
			if seen[filepath.Clean(file.name)] {
				continue
			}
			seen[filepath.Clean(file.name)] = true
			whose, tooMany, err := n.add(file.shown(), file.name)
			switch {
			case tooMany && whose == "":
				return nil, errors.Join(append(errs, err)...)
			case tooMany:
				errs = append(errs, err)
			default:
				all = append(all, ownedFile{file, whose})
				size.add(whose, file)
			}
		}
	}
	errs = append(errs, size.decide())
	left := budget{limits: l, total: l.Total, own: map[string]int64{}, held: map[string]int{}}
	for _, file := range all {
		if size.over[file.whose] != "" {
			continue
		}
		data, err := left.read(file, stdin)
		if err != nil {
			errs = append(errs, &FileError{file.shown(), err})
			continue
		}
		if err := left.values(file, data); err != nil {
			errs = append(errs, &FileError{file.shown(), err})
			continue
		}
		found, err := l.Parse(file.shown(), data)
		docs = append(docs, found...)
		errs = append(errs, inFile(file.shown(), err))
		if l.Empty && file.name != Stdin && empty(data) {
			errs = append(errs, &FileError{file.shown(), fmt.Errorf("%s: %w", file.shown(), ErrEmpty)})
		}
	}
	return docs, errors.Join(errs...)
}

// ErrEmpty is the error for a file without content, such as one that is commented out.
var ErrEmpty = errors.New("nothing in it but comments")

// empty reports whether a file has no content: only blank lines, comments, and document separators. A List without
// items is content.
func empty(data []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		line = bytes.TrimSpace(line)
		line = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimPrefix(line, []byte("---")), []byte("...")))
		if len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// FileError is an error of one file, which does not concern the others. It reads as the error that it wraps, which
// names the file.
type FileError struct {
	// File as Document.File.
	File string
	Err  error
}

// inFile makes each of the joined errors one of the file.
func inFile(file string, err error) error {
	var problems Problems
	for _, e := range Split(err) {
		problems.Add(&FileError{file, e})
	}
	return problems.Err()
}

func (e *FileError) Error() string { return e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// ReadFile reads one regular file whole, by the limits for files and aliases.
func (l Limits) ReadFile(name string) ([]byte, error) {
	text, err := input{name: name, regular: true}.read(l.File, nil)
	if errors.Is(err, errTooBig) {
		err = fmt.Errorf("%s: more than %s, want at most that in a file", name, megabytes(l.File))
	}
	if err != nil {
		return nil, err
	}
	if problem := l.CheckAliases(text); problem != "" {
		return nil, fmt.Errorf("%s: %s", name, problem)
	}
	return text, nil
}

var errTooBig = errors.New("too big")

// input is a file to read: by its name, or inside of a folder that no link leaves.
type input struct {
	name    string
	root    *os.Root
	inside  string
	regular bool
}

func (in input) shown() string {
	if in.name == Stdin {
		return "stdin"
	}
	return filepath.ToSlash(in.name)
}

// read returns at most limit bytes, and errTooBig where there are more.
func (in input) read(limit int64, stdin io.Reader) (data []byte, err error) {
	if in.name == Stdin {
		if stdin == nil {
			return nil, errors.New("stdin: there is none")
		}
		return readAll(stdin, 0, limit)
	}
	file, err := in.open()
	if err != nil {
		return nil, WithoutOperation(in.name, err)
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return nil, WithoutOperation(in.name, err)
	}
	if err := in.allows(info.Mode()); err != nil {
		return nil, WithoutOperation(in.name, err)
	}
	if info.Mode()&fs.ModeDevice != 0 {
		limit = min(limit, device)
	}
	if info.Mode().IsRegular() && info.Size() > limit {
		return nil, errTooBig
	}
	if data, err = readAll(file, info.Size(), limit); err == nil {
		err = CheckEncoding(data)
	}
	if err != nil && !errors.Is(err, errTooBig) {
		err = WithoutOperation(in.name, err)
	}
	return data, err
}

// open checks a file before it opens it: opening a pipe waits for a writer, and opening a device may have effects. In
// case the file is swapped in between, it is opened without waiting, and checked again.
func (in input) open() (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	open := func() (*os.File, error) { return os.OpenFile(in.name, flags, 0) }
	if in.root != nil {
		open = func() (*os.File, error) { return in.root.OpenFile(in.inside, flags, 0) }
	}
	info, err := in.stat()
	if err != nil {
		return nil, err
	}
	if err := in.allows(info.Mode()); err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return os.Open(in.name) // its writer may not be there yet
	}
	return open()
}

func (in input) stat() (fs.FileInfo, error) {
	if in.root != nil {
		return in.root.Stat(in.inside)
	}
	return os.Stat(in.name)
}

func (in input) allows(mode fs.FileMode) error {
	named := in.root == nil && !in.regular
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errors.New("a folder, want a regular file")
	case mode&fs.ModeNamedPipe != 0:
		if named {
			return nil
		}
		return errors.New("a named pipe, want a regular file")
	case mode&fs.ModeSocket != 0:
		return errors.New("a socket, want a regular file")
	case mode&fs.ModeCharDevice != 0 && named: // a terminal, /dev/null
		return nil
	}
	return errors.New("a device, want a regular file")
}

// readAll reads to the end, and returns errTooBig beyond limit. size is the expected size.
func readAll(from io.Reader, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, min(size, limit)+512)
	for {
		n, err := from.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, errTooBig
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		}
		if len(data) == cap(data) {
			data = slices.Grow(data, max(512, len(data)/2))
		}
	}
}

// WithoutOperation removes the operation's name from an error of package os about a file: "open x: no such file" →
// "x: no such file".
func WithoutOperation(file string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	if strings.Contains(err.Error(), "escapes from parent") { // package os has no name for it
		return fmt.Errorf("%s: a link that leads out of the folder, want a regular file in it", file)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// maxDepth is the deepest nesting of folders below the named one: each of them is reached from the outermost one
// again. Deeper folders are an error of their owner, and are not read.
const maxDepth = 64

// expand returns the files of a path: itself, or the manifests of a folder. done closes the folder.
func (l Limits) expand(path string) (files []input, done func(), err error) {
	done = func() {}
	if path == Stdin {
		return []input{{name: path}}, done, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, done, WithoutOperation(path, err)
	}
	if !info.IsDir() {
		return []input{{name: path}}, done, nil
	}
	var deep []error
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, done, WithoutOperation(path, err)
	}
	done = func() { _ = root.Close() } // only read
	inFolder, err := l.walk(root, path, &deep)
	for _, inside := range inFolder {
		files = append(files, input{name: filepath.Join(path, filepath.FromSlash(inside)), root: root,
			inside: filepath.FromSlash(inside)})
	}
	if err == nil && len(files)+len(deep) == 0 {
		err = fmt.Errorf("%s: %w", path, ErrNoFiles)
	}
	slices.SortFunc(files, func(a, b input) int { return strings.Compare(a.name, b.name) })
	return files, done, errors.Join(append(deep, err)...)
}

func manifests(base string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(base))) ||
		base == "Kustomization"
}

// walk returns the manifests in a folder, as paths in it with slashes. It leaves out hidden files. What is too deep or
// unreadable is in deep.
func (l Limits) walk(root *os.Root, path string, deep *[]error) (files []string, err error) {
	n, over := fileCount{limits: l}, map[string]bool{}
	owners := []string{} // of files, one for each
	err = fs.WalkDir(root.FS(), ".", func(inside string, entry fs.DirEntry, err error) error {
		name := filepath.Join(path, filepath.FromSlash(inside))
		switch {
		case err != nil && inside == ".":
			return WithoutOperation(name, err)
		case err != nil: // a folder within: a tenant may have made it
			*deep = append(*deep, unreadable(name, err))
			return fs.SkipDir
		}
		if entry.IsDir() && strings.Count(inside, "/") >= maxDepth {
			*deep = append(*deep, &FileError{filepath.ToSlash(name),
				fmt.Errorf("%s: more than %d folders within each other, want at most that", path, maxDepth)})
			return fs.SkipDir
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && inside != "."
		switch {
		case entry.IsDir() && hidden:
			return fs.SkipDir
		case entry.IsDir() || hidden:
			return nil
		case !manifests(entry.Name()):
			return nil
		}
		whose, tooMany, err := n.add(filepath.ToSlash(name), path)
		switch {
		case tooMany && whose == "":
			return err
		case tooMany && err != nil:
			over[whose] = true
			*deep = append(*deep, err)
		case !tooMany:
			files, owners = append(files, inside), append(owners, whose)
		}
		return nil
	})
	if len(over) == 0 {
		return files, err
	}
	var kept []string
	for i, file := range files {
		if !over[owners[i]] {
			kept = append(kept, file)
		}
	}
	return kept, err
}

// unreadable returns the error of one folder below the named one. Invalid bytes in its name are escaped.
func unreadable(name string, err error) error {
	file, shown := strings.ToValidUTF8(filepath.ToSlash(name), "\uFFFD"), strconv.Quote(filepath.ToSlash(name))
	if !utf8.ValidString(name) {
		return &FileError{file, fmt.Errorf("%s: a folder whose name is not UTF-8, want UTF-8", shown)}
	}
	return &FileError{file, WithoutOperation(shown, err)}
}
