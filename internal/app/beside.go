package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
)

// besideWords warns of files in the folders of the inputs that are not read, and look like inputs.
func (in *Inputs) besideWords(l *Loaded) (words []string) {
	for _, path := range append(slices.Clone(in.Specs), in.Inventory) {
		if path == FromCluster || path == manifest.Stdin {
			continue
		}
		root, err := os.OpenRoot(path)
		if err != nil {
			continue // a file, or a folder whose reader reports the error
		}
		// what cannot be looked at is a problem of who reads it
		beside, _ := manifest.Inventory.Folder(root, path, nearlyManifest)
		_ = root.Close() // only read
		for i, file := range beside {
			if i == mostBeside {
				words = append(words, fmt.Sprintf("%s: not read, for the same reason: %s more", path,
					text.Count(len(beside)-i, "file")))
				break
			}
			words = append(words, fmt.Sprintf("%s: not read: the name does not end in .yaml, .yml or .json",
				filepath.Join(path, filepath.FromSlash(file))))
		}
	}
	return append(words, in.setAsideWords(l)...)
}

// setAsideWords warns of clusters whose only specs are in files that are not read, such as backups: for sipgen these
// clusters are gone.
func (in *Inputs) setAsideWords(l *Loaded) (words []string) {
	known := map[string]bool{}
	for i := range l.Clusters {
		known[l.Clusters[i].Key()] = true
	}
	for i := range l.Problems {
		known[l.Problems[i].Cluster.String()] = true // its spec exists, and is wrong
	}
	named := 0
	for _, path := range in.Specs {
		if path == FromCluster || path == manifest.Stdin {
			continue
		}
		root, err := os.OpenRoot(path)
		if err != nil {
			continue
		}
		beside, _ := manifest.Specs.Folder(root, path, setAside)
		for _, file := range beside {
			data, err := manifest.Specs.ReadFileIn(root, path, file)
			if err != nil {
				continue
			}
			name := filepath.Join(path, filepath.FromSlash(file))
			documents, _ := manifest.Specs.Parse(name, data) // errors in a file that is not read do not matter
			for i := range documents {
				if d := &documents[i]; d.Kind == v1.Kind && !known[d.Namespace+"/"+d.Name] {
					known[d.Namespace+"/"+d.Name] = true
					if named++; named > mostBeside {
						continue
					}
					words = append(words, fmt.Sprintf("%s: not read, because its name does not end in .yaml, .yml or .json; it has "+
						"SIPCluster %s/%s, which no file that was read has", name, d.Namespace, d.Name))
				}
			}
		}
		_ = root.Close() // only read
	}
	if more := named - mostBeside; more > 0 {
		words = append(words, fmt.Sprintf("%s more in files that are not read, and in no other",
			text.Count(more, "SIPCluster")))
	}
	return words
}

// setAside reports whether a file's name is a manifest's with a suffix, or that of a backup.
func setAside(base string) bool {
	if nearlyManifest(base) || slices.Contains(manifestEnds, filepath.Ext(base)) {
		return false
	}
	return slices.Contains([]string{".txt", ".bak", ".old", ".tmp"}, filepath.Ext(base)) ||
		slices.ContainsFunc(manifestEnds,
			func(end string) bool { return strings.Contains(strings.ToLower(base), end) })
}

// manifestEnds are the ends of the names of files that are read.
var manifestEnds = []string{".yaml", ".yml", ".json"}

// mostBeside is how many unread files are named.
const mostBeside = 5

// nearlyManifest reports whether a file's name almost ends like a manifest's: other case, two letters swapped, one
// missing, or with the .txt that editors add.
func nearlyManifest(base string) bool {
	end := filepath.Ext(base)
	if slices.Contains(manifestEnds, end) {
		return false
	}
	letters := func(word string) string { return string(slices.Sorted(slices.Values([]byte(strings.ToLower(word))))) }
	return slices.ContainsFunc(manifestEnds, func(known string) bool {
		return end == ".txt" && strings.HasSuffix(strings.TrimSuffix(base, end), known) || letters(end) == letters(known)
	}) || end == ".yam"
}
