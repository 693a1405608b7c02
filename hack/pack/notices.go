package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// listed is a package as go list -json=Dir,Standard,Root,Module prints it.
type listed struct {
	Dir, Root string
	Standard  bool
	Module    *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Version, Dir string }
	}
}

// legal matches the names of files with a license or a notice.
var legal = regexp.MustCompile(`(?i)^(license|licence|copying|notice|patents)([-_.][^/]*)?$`)

// notices returns the licenses and notices of the packages that go list prints with -deps and
// -json=Dir,Standard,Root,Module, for one platform after the other: of each module, also of code that it has from
// elsewhere, in the folders of the packages and above them. Each text is there once, below the files that have it. A
// module without a license is an error.
func notices(in io.Reader) ([]byte, error) {
	files := map[string]string{} // titles by file
	roots := map[string]string{} // titles by the folder that needs a license
	for decoder := json.NewDecoder(in); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		title, top, last := "", "", p.Dir
		switch {
		case p.Standard:
			title, top, last = "the Go standard library", p.Root, p.Root // its vendored modules have its license
		case p.Module == nil:
			return nil, fmt.Errorf("%s: in no module", p.Dir)
		case p.Module.Main:
			continue
		default:
			title, top = p.Module.Path+" "+p.Module.Version, p.Module.Dir
			if other := p.Module.Replace; other != nil {
				title, top = p.Module.Path+" "+other.Version, other.Dir
			}
		}
		roots[top] = title
		for folder := last; ; folder = filepath.Dir(folder) {
			entries, err := os.ReadDir(folder)
			if err != nil {
				return nil, err
			}
			for _, entry := range entries {
				if legal.MatchString(entry.Name()) && entry.Type().IsRegular() && filepath.Ext(entry.Name()) != ".go" {
					file := filepath.Join(folder, entry.Name())
					files[file] = title + ": " + strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(top)+"/")
				}
			}
			if folder == top || !strings.HasPrefix(folder, top) {
				break
			}
		}
	}
	titles := map[string][]string{} // by text
	for file, title := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		delete(roots, filepath.Dir(file))
		same := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
		titles[same] = append(titles[same], title)
	}
	for _, title := range slices.Sorted(maps.Values(roots)) {
		return nil, fmt.Errorf("%s: no license", title)
	}
	if len(titles) == 0 {
		return nil, errors.New("no packages on standard input")
	}
	texts := slices.Collect(maps.Keys(titles))
	for _, same := range titles {
		slices.Sort(same)
	}
	slices.SortFunc(texts, func(a, b string) int { return slices.Compare(titles[a], titles[b]) })
	var out bytes.Buffer
	out.WriteString("Licenses and notices of the code in the programs. Each text follows the files that have it.\n")
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(titles[text], "\n"), text)
	}
	return out.Bytes(), nil
}
