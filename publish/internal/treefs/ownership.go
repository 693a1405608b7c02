package treefs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// OwnershipFile lists the files that sipgen wrote: at the root of a tree, and in each folder that has a list of its
// own.
const OwnershipFile = ".sipgen.yaml"

// ErrOwnership: an OwnershipFile is missing, damaged, merged or edited.
var ErrOwnership = errors.New("damaged ownership file")

// ErrLineEnds: the lines of an OwnershipFile end with CRLF, and it is as sipgen wrote it otherwise. git converts all
// files of a checkout like that.
var ErrLineEnds = fmt.Errorf("%w: its lines end with CRLF", ErrOwnership)

const (
	ownershipVersion = "sipgen.airshipit.org/v1alpha1"
	ownershipKind    = "Ownership"
	ownershipNote    = "# Files that sipgen wrote, and may change or delete. Written by sipgen, not by hand.\n"
)

// ownership is the content of an OwnershipFile. Digest covers the rest, so that an edit or a merge of two lists is
// noticed: such a list could make sipgen delete a file that it never owned.
type ownership struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Digest     string `yaml:"digest"`
	// Assignments is Owned.Assignments. Only the root's list has it.
	Assignments string `yaml:"assignments,omitempty"`
	// Folder is where the list is, empty for the root's: a copy in another folder is noticed.
	Folder string `yaml:"folder,omitempty"`
	// Folders have lists of their own. Only the root's list names any.
	Folders []string    `yaml:"folders,omitempty"`
	Files   []ownedFile `yaml:"files"`
}

type ownedFile struct {
	Path   string `yaml:"path"`
	SHA256 string `yaml:"sha256"`
}

// Digest returns the SHA-256 of a file, in hex.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// digest is of the list. text is the file's: all but the line of the digest counts. In trees of earlier versions, the
// sums and the names do.
func (o *ownership) digest(text []byte) string {
	hash := sha256.New()
	if o.Assignments+o.Folder != "" {
		head, rest, _ := bytes.Cut(text, []byte("\ndigest: "))
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
		hash.Write(head)
		hash.Write([]byte("\n"))
		hash.Write(rest)
		return "sha256:" + hex.EncodeToString(hash.Sum(nil))
	}
	var line []byte
	for _, file := range o.Files {
		line = append(append(append(append(line[:0], file.SHA256...), "  "...), file.Path...), '\n')
		hash.Write(line)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}

// Parts is, for files of a tree, the folder whose list has them. All other files are on the root's list.
type Parts map[string]string

// ListOf returns the path of a folder's list; "" is the root.
func ListOf(folder string) string { return path.Join(folder, OwnershipFile) }

// isList reports whether a path is one that only a list may have.
func isList(name string) bool { return strings.EqualFold(path.Base(name), OwnershipFile) }

// FormatLists returns the OwnershipFiles of a tree, by path. kept are the sums of files that keep theirs, whatever is
// there now. assignments is Owned.Assignments.
func FormatLists(tree map[string][]byte, parts Parts, kept map[string]string, assignments string) map[string][]byte {
	sums := make(map[string]string, len(tree))
	for name, text := range tree {
		if kept[name] == "" {
			sums[name] = Digest(text)
		}
	}
	maps.Copy(sums, kept)
	lists := map[string]*ownership{"": {Assignments: assignments}}
	for name, sum := range sums {
		folder := parts[name]
		if lists[folder] == nil {
			lists[folder] = &ownership{Folder: folder}
			lists[""].Folders = append(lists[""].Folders, folder)
		}
		lists[folder].Files = append(lists[folder].Files, ownedFile{name, sum})
	}
	out := make(map[string][]byte, len(lists))
	for folder, list := range lists {
		out[ListOf(folder)] = list.format()
	}
	return out
}

func (o *ownership) format() []byte {
	o.APIVersion, o.Kind = ownershipVersion, ownershipKind
	slices.Sort(o.Folders)
	slices.SortFunc(o.Files, func(a, b ownedFile) int { return strings.Compare(a.Path, b.Path) })
	head := *o
	head.Folders, head.Files = nil, []ownedFile{}
	var text bytes.Buffer
	text.WriteString(ownershipNote)
	text.Write(bytes.TrimSuffix(encode(head), []byte("files: []\n")))
	appendList(&text, "folders", o.Folders)
	if appendList(&text, "files", o.Files); len(o.Files) == 0 {
		text.WriteString("files: []\n")
	}
	return bytes.Replace(text.Bytes(), []byte(`digest: ""`), []byte("digest: "+o.digest(text.Bytes())), 1)
}

// atOnce is how many items of a list are encoded at once: the encoder keeps 2 kB for each of them.
const atOnce = 200

// appendList writes a field with a list.
func appendList[T any](out *bytes.Buffer, field string, list []T) {
	for at := 0; at < len(list); at += atOnce {
		text := encode(map[string][]T{field: list[at:min(at+atOnce, len(list))]})
		if at > 0 {
			_, text, _ = bytes.Cut(text, []byte("\n"))
		}
		out.Write(text)
	}
}

func encode(value any) []byte {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(value), encoder.Close()); err != nil {
		panic(err) // strings into memory
	}
	return text.Bytes()
}

// ErrNewer: an OwnershipFile is as a newer version of sipgen wrote it. It is an ErrOwnership.
var ErrNewer = fmt.Errorf("%w, or one of a newer version of sipgen", ErrOwnership)

// isNewer reports whether a list is as some sipgen wrote it, apart from fields that this one does not have.
func isNewer(text []byte) bool {
	var list ownership
	err := yaml.Unmarshal(text, &list)
	return err == nil && list.Kind == ownershipKind && list.Assignments+list.Folder != "" &&
		list.Digest == list.digest(text)
}

// parse returns the list of a folder; "" is the root.
func parse(folder string, text []byte) (*ownership, error) {
	bad := func(format string, args ...any) (*ownership, error) {
		return nil, fmt.Errorf("%w: %s; restore it from git", ErrOwnership, fmt.Sprintf(format, args...))
	}
	for number, line := range bytes.Split(text, []byte("\n")) {
		for _, marker := range []string{"<<<<<<< ", ">>>>>>> ", "||||||| "} {
			if bytes.HasPrefix(line, []byte(marker)) {
				return bad("line %d: an unresolved merge conflict", number+1)
			}
		}
	}
	var list ownership
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&list); err != nil {
		if isNewer(text) {
			return nil, fmt.Errorf("%w: %s", ErrNewer, strings.ReplaceAll(err.Error(), "\n", " "))
		}
		return bad("%s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if err := decoder.Decode(&ownership{}); !errors.Is(err, io.EOF) {
		return bad("more than one document")
	}
	if list.APIVersion != ownershipVersion && isNewer(text) {
		return nil, fmt.Errorf("%w: found %q, want %s", ErrNewer, list.APIVersion, ownershipVersion)
	}
	if list.APIVersion != ownershipVersion || list.Kind != ownershipKind {
		return bad("found %q %q, want %s %s", list.APIVersion, list.Kind, ownershipVersion, ownershipKind)
	}
	if list.Folder != folder {
		return bad("folder: found %q, want the folder that it is in, %q", list.Folder, folder)
	}
	if folder == "" && list.Assignments == "" && len(list.Folders) > 0 {
		return bad("assignments: missing")
	}
	if folder != "" && (len(list.Folders) > 0 || list.Assignments != "") {
		return bad("found folders or assignments, want none in a folder's own list")
	}
	if err := list.checkNames(); err != nil {
		return bad("%v", err)
	}
	want := list.digest(text)
	if lines := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")); list.Digest != want &&
		list.digest(lines) == list.Digest {
		return nil, ErrLineEnds
	}
	if list.Digest != want {
		return bad("digest: found %q, the list has %s: it was edited or merged by hand", list.Digest, want)
	}
	return &list, nil
}

// checkNames refuses names that no list has, and those that it has twice.
func (o *ownership) checkNames() error {
	seen := make(map[string]bool, len(o.Folders)+len(o.Files))
	for i, inside := range o.Folders {
		if err := CheckName(inside); err != nil {
			return fmt.Errorf("folders[%d]: %v", i, err)
		}
		if seen[inside] {
			return fmt.Errorf("folders[%d]: %s: listed twice", i, inside)
		}
		seen[inside] = true
	}
	for i, file := range o.Files {
		if err := CheckName(file.Path); err != nil {
			return fmt.Errorf("files[%d]: %v", i, err)
		}
		if sum, err := hex.DecodeString(file.SHA256); err != nil || len(sum) != sha256.Size {
			return fmt.Errorf("files[%d]: %s: sha256: want 64 hex digits", i, file.Path)
		}
		if seen[file.Path] || isList(file.Path) {
			return fmt.Errorf("files[%d]: %s: listed twice, or a list itself", i, file.Path)
		}
		seen[file.Path] = true
	}
	return nil
}

// Owned are the files of a tree that sipgen wrote.
type Owned struct {
	// Sums has the SHA-256 of every owned file by its path. The lists of folders are owned, too, and have none.
	Sums map[string]string
	// Lists are the lists that are as sipgen wrote them, by path.
	Lists map[string][]byte
	// Folders have lists of their own.
	Folders []string
	// Assignments is a sum over what the folders decide together, whatever that is. Two changes of it are in conflict.
	Assignments string
	// Damaged is why the files of some folders are not known, nil if all are.
	Damaged error
}

// readRoot reads the root's OwnershipFile alone. found is false where there is none.
func readRoot(here Reader) (owned *Owned, found bool, err error) {
	kind, text, err := here.At(OwnershipFile)
	switch {
	case err != nil || kind == Nothing:
		return &Owned{}, false, err
	case kind != File:
		return &Owned{}, true, fmt.Errorf("%s: %w: not a file", OwnershipFile, ErrOwnership)
	}
	root, err := parse("", text)
	if err != nil {
		return &Owned{}, true, fmt.Errorf("%s: %w", OwnershipFile, err)
	}
	owned = &Owned{Sums: make(map[string]string, len(root.Files)), Folders: root.Folders,
		Assignments: root.Assignments, Lists: map[string][]byte{OwnershipFile: text}}
	return owned, true, owned.add(root)
}

// ReadOwned reads the OwnershipFiles of a folder. found is false where the root has none.
func ReadOwned(here Reader) (owned *Owned, found bool, err error) {
	if owned, found, err = readRoot(here); err != nil {
		return owned, found, err
	}
	files := Lookup{Here: here}
	var damaged []error
	for _, folder := range slices.Sorted(slices.Values(owned.Folders)) {
		name := ListOf(folder)
		owned.Sums[name] = ""
		kind, text, err := files.At(name)
		if err != nil {
			return owned, true, err
		}
		var list *ownership
		switch kind {
		case File:
			list, err = parse(folder, text)
		case Nothing:
			err = fmt.Errorf("%w: missing, and %s names it; restore it from git", ErrOwnership, OwnershipFile)
		default:
			err = fmt.Errorf("%w: not a file", ErrOwnership)
		}
		if err == nil {
			err = owned.add(list)
		}
		if err != nil {
			damaged = append(damaged, fmt.Errorf("%s: %w", name, err))
			continue
		}
		owned.Lists[name] = text
	}
	owned.Damaged = errors.Join(damaged...)
	return owned, found, nil
}

// add takes over the files of a list, unless another list has one of them.
func (o *Owned) add(list *ownership) error {
	for _, file := range list.Files {
		if _, twice := o.Sums[file.Path]; twice {
			return fmt.Errorf("%w: %s is on another list, too; restore it from git", ErrOwnership, file.Path)
		}
	}
	for _, file := range list.Files {
		o.Sums[file.Path] = file.SHA256
	}
	return nil
}

// IsList reports whether an owned path is the list of a folder.
func (o *Owned) IsList(name string) bool {
	sum, ours := o.Sums[name]
	return ours && sum == ""
}
