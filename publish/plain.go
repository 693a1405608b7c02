package publish

import (
	"bytes"
	"strings"
)

// plain is what encode gives, written without the library, which takes a hundred times the memory for the list of a large site. It is false where
// a scalar may need quotes.
func (o *ownership) plain() (text []byte, is bool) {
	if len(o.Files) == 0 {
		return nil, false
	}
	size := len(ownershipNote) + 200
	for _, file := range o.Files {
		if !plainPath(file.Path) || !plainSum(file.SHA256) {
			return nil, false
		}
		size += len(file.Path) + len(file.SHA256) + 24
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
	b.WriteString(ownershipNote + "apiVersion: " + o.APIVersion + "\nkind: " + o.Kind + "\ndigest: " + o.Digest + "\n")
	b.WriteString("files:\n")
	for _, file := range o.Files {
		b.WriteString("  - path: ")
		b.WriteString(file.Path)
		b.WriteString("\n    sha256: ")
		b.WriteString(file.SHA256)
		b.WriteString("\n")
	}
	return b.Bytes(), true
}

// plainPath: YAML takes it for a string without quotes. No word with a meaning of its own has six letters, and no number begins with one.
func plainPath(path string) bool {
	if len(path) < 6 || !letter(path[0]) {
		return false
	}
	for i := range len(path) {
		if c := path[i]; !letter(c) && (c < '0' || c > '9') && c != '/' && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// plainSum: it has 64 hex digits, and one that no number has, whether decimal, binary or with an exponent.
func plainSum(sum string) bool {
	return len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == "" && strings.ContainsAny(sum, "acdf")
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// plainOwnership reads what plain writes, and nothing else: whatever it has read is written again, and has to be the same text.
func plainOwnership(text []byte) (list *ownership, is bool) {
	list = &ownership{APIVersion: ownershipVersion, Kind: ownershipKind}
	rest := string(text)
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if value, is := strings.CutPrefix(line, "digest: sha256:"); is {
			if !plainSum(value) {
				return nil, false
			}
			list.Digest = "sha256:" + value
		}
		path, is := strings.CutPrefix(line, "  - path: ")
		if !is {
			continue
		}
		line, rest, _ = strings.Cut(rest, "\n")
		list.Files = append(list.Files, ownedFile{path, strings.TrimPrefix(line, "    sha256: ")})
	}
	again, is := list.plain()
	return list, is && bytes.Equal(again, text)
}
