package treefs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// OwnershipFile lists, at the root of a tree, the files that sipgen wrote there.
const OwnershipFile = ".sipgen.yaml"

// ErrOwnership: the OwnershipFile is damaged, merged or edited.
var ErrOwnership = errors.New("damaged ownership file")

const (
	ownershipVersion = "sipgen.airshipit.org/v1alpha1"
	ownershipKind    = "Ownership"
	ownershipNote    = "# The files of this folder that sipgen wrote, and may change or delete. Written by sipgen, not by hand.\n"
)

// ownership is the content of an OwnershipFile. Digest covers the list, so that an edit or a merge of two lists is
// noticed: such a list could make sipgen delete a file that it never owned.
type ownership struct {
	APIVersion string      `yaml:"apiVersion"`
	Kind       string      `yaml:"kind"`
	Digest     string      `yaml:"digest"`
	Files      []ownedFile `yaml:"files"`
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

func (o *ownership) digest() string {
	hash := sha256.New()
	var line []byte
	for _, file := range o.Files {
		line = append(append(append(append(line[:0], file.SHA256...), "  "...), file.Path...), '\n')
		hash.Write(line)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}

// FormatOwnership returns the OwnershipFile of a tree.
func FormatOwnership(tree map[string][]byte) []byte {
	list := ownership{APIVersion: ownershipVersion, Kind: ownershipKind, Files: make([]ownedFile, 0, len(tree))}
	for name, text := range tree {
		list.Files = append(list.Files, ownedFile{name, Digest(text)})
	}
	slices.SortFunc(list.Files, func(a, b ownedFile) int { return strings.Compare(a.Path, b.Path) })
	list.Digest = list.digest()
	var text bytes.Buffer
	text.WriteString(ownershipNote)
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(list), encoder.Close()); err != nil {
		panic(err) // strings into memory
	}
	return text.Bytes()
}

// ParseOwnership returns the SHA-256 of every owned file by its path.
func ParseOwnership(text []byte) (map[string]string, error) {
	bad := func(format string, args ...any) (map[string]string, error) {
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
		return bad("%s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if err := decoder.Decode(&ownership{}); !errors.Is(err, io.EOF) {
		return bad("more than one document")
	}
	if list.APIVersion != ownershipVersion || list.Kind != ownershipKind {
		return bad("found %q %q, want %s %s", list.APIVersion, list.Kind, ownershipVersion, ownershipKind)
	}
	owned := make(map[string]string, len(list.Files))
	for i, file := range list.Files {
		if err := CheckName(file.Path); err != nil {
			return bad("files[%d]: %v", i, err)
		}
		if sum, err := hex.DecodeString(file.SHA256); err != nil || len(sum) != sha256.Size {
			return bad("files[%d]: %s: sha256: want 64 hex digits", i, file.Path)
		}
		if _, twice := owned[file.Path]; twice || strings.EqualFold(file.Path, OwnershipFile) {
			return bad("files[%d]: %s: listed twice, or the list itself", i, file.Path)
		}
		owned[file.Path] = file.SHA256
	}
	if want := list.digest(); list.Digest != want {
		return bad("digest: found %q, the list has %s: it was edited or merged by hand", list.Digest, want)
	}
	return owned, nil
}

// ReadOwned reads the OwnershipFile of a folder. found is false where there is none.
func ReadOwned(here Reader) (owned map[string]string, text []byte, found bool, err error) {
	kind, text, err := here.At(OwnershipFile)
	switch {
	case err != nil || kind == Nothing:
		return nil, nil, false, err
	case kind != File:
		return nil, nil, true, fmt.Errorf("%s: %w: not a file", OwnershipFile, ErrOwnership)
	}
	if owned, err = ParseOwnership(text); err != nil {
		err = fmt.Errorf("%s: %w", OwnershipFile, err)
	}
	return owned, text, true, err
}
