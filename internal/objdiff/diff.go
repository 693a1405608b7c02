// Package objdiff compares two trees of files for a reviewer: by object and field for YAML, by line for other files,
// hosts first.
//
// A difference depends only on the two trees, and its output only on the difference.
package objdiff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Status is the change of a file or an object.
type Status string

// The statuses.
const (
	Added   Status = "added"
	Removed Status = "removed"
	Changed Status = "changed"
)

// Diff is the differences: hosts first (files below clusters/*/*/hosts/), then the rest by path, and last the files
// that only follow from the others.
type Diff struct {
	Files []File `json:"files"`
}

// File is one file that differs.
type File struct {
	Path   string `json:"path"`
	Status Status `json:"status"`
	// Host: the file is part of a cluster's host patches.
	Host bool `json:"host,omitempty"`
	// Derived: the file only restates other files: PLAN.md and .sipgen.yaml.
	Derived bool `json:"derived,omitempty"`
	// Objects that differ, in the order of the new file, then those that are only in the old one. Empty where
	// the file is compared by line.
	Objects []Object `json:"objects,omitempty"`
	// LinesAdded and LinesRemoved are set where the file is compared by line.
	LinesAdded   int `json:"linesAdded,omitempty"`
	LinesRemoved int `json:"linesRemoved,omitempty"`
	// Note is why a YAML file is compared by line, or that only its layout differs.
	Note string `json:"note,omitempty"`

	// Old and New are the content, nil where there is no file.
	Old, New []byte `json:"-"`
	// Fresh is the folder of the tree that the file belongs to, if all of it is new.
	Fresh string `json:"-"`
}

// Object is one YAML document of a file.
type Object struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	// Name is metadata.name; for a document that is no Kubernetes object it and Kind are empty.
	Name string `json:"name,omitempty"`
	// Document counts the documents of the file from 1: of the new file, or of the old one if the object is removed.
	Document int    `json:"document"`
	Status   Status `json:"status"`
	// Fields that differ; of an object that is added or removed, all of them.
	Fields []Field `json:"fields,omitempty"`
}

// Change is the change of a field.
type Change string

// The changes.
const (
	FieldAdded     Change = "added"
	FieldRemoved   Change = "removed"
	FieldChanged   Change = "changed"
	FieldReordered Change = "reordered" // a list holds the same in another order
)

// Field is one field that differs.
type Field struct {
	// Path is as in spec.ports[name=api].nodePort. A key with dots or brackets is in quotes:
	// metadata.labels["example.org/rack"]. An item that a list gained or lost is "[]".
	Path   string `json:"path"`
	Change Change `json:"change"`
	// Old and New are values as JSON has them. Old is nil for a field that is added, New for one that is removed.
	Old any `json:"old,omitempty"`
	New any `json:"new,omitempty"`
}

// Compare returns the difference of two trees, of paths with slashes to content. A path that does not name a file
// below the tree is an error; each is reported.
func Compare(old, new map[string][]byte) (*Diff, error) {
	var (
		diff  Diff
		errs  []error
		there = map[string]bool{} // the folders that the old tree had
	)
	for name := range old {
		there[folder(name)] = true
	}
	all := maps.Clone(new)
	if all == nil {
		all = map[string][]byte{}
	}
	maps.Copy(all, old)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == "." || !fs.ValidPath(name) {
			errs = append(errs, fmt.Errorf("%q: want a path below the tree, with slashes", name))
			continue
		}
		before, isOld := old[name]
		after, isNew := new[name]
		if isOld && isNew && bytes.Equal(before, after) {
			continue
		}
		file := File{Path: name, Status: Changed, Host: isHost(name), Derived: isDerived(name), Old: before, New: after}
		if of := folder(name); !there[of] {
			file.Fresh = of
		}
		switch {
		case !isOld:
			file.Status, file.Old = Added, nil
		case !isNew:
			file.Status, file.New = Removed, nil
		}
		file.compare()
		diff.Files = append(diff.Files, file)
	}
	slices.SortStableFunc(diff.Files, func(a, b File) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(a.Path, b.Path))
	})
	return &diff, errors.Join(errs...)
}

// Empty reports whether the trees are equal.
func (d *Diff) Empty() bool { return len(d.Files) == 0 }

// Counts returns the files that are added, removed and changed.
func (d *Diff) Counts() (added, removed, changed int) {
	counts := map[Status]int{}
	for i := range d.Files {
		counts[d.Files[i].Status]++
	}
	return counts[Added], counts[Removed], counts[Changed]
}

func (f *File) rank() int {
	switch {
	case f.Derived:
		return 3
	case f.Host && path.Base(f.Path) == "kustomization.yaml":
		return 1
	case f.Host:
		return 0
	}
	return 2
}

func isHost(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) > 4 && parts[0] == "clusters" && parts[3] == "hosts"
}

func isDerived(name string) bool {
	return path.Base(name) == "PLAN.md" || path.Base(name) == ".sipgen.yaml"
}

// compare fills in how the file differs.
func (f *File) compare() {
	switch path.Ext(f.Path) {
	case ".yaml", ".yml", ".json":
		objects, err := compareYAML(f.Old, f.New)
		switch {
		case err != nil:
			f.Note = "compared by line: " + err.Error()
		case len(objects) == 0:
			f.Note = "only its layout or its comments differ"
		default:
			f.Objects = objects
			return
		}
	}
	f.LinesAdded, f.LinesRemoved = countLines(f.Old, f.New)
}

// folder returns the part of a tree that a file belongs to: a cluster's hosts, services or component, its rights, or
// one of the site's folders; "" for a single file.
func folder(name string) string {
	parts := strings.Split(name, "/")
	depth := 1
	switch parts[0] {
	case "clusters":
		depth = 4
	case "rights":
		depth = 3
	}
	if len(parts) <= depth {
		return ""
	}
	return strings.Join(parts[:depth], "/")
}

// String returns "BareMetalHost metal3/node-1", "Kustomization", or "document 2".
func (o *Object) String() string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	if name = strings.TrimSpace(o.Kind + " " + name); name != "" {
		return name
	}
	return fmt.Sprintf("document %d", o.Document)
}

// MarshalJSON leaves out the side that a change does not have, and keeps a null, an empty text and a zero on the side
// that it has.
func (f Field) MarshalJSON() ([]byte, error) {
	type side struct {
		Path   string `json:"path"`
		Change Change `json:"change"`
		Old    *any   `json:"old,omitempty"`
		New    *any   `json:"new,omitempty"`
	}
	out := side{Path: f.Path, Change: f.Change}
	if f.Change != FieldAdded {
		out.Old = &f.Old
	}
	if f.Change != FieldRemoved {
		out.New = &f.New
	}
	return json.Marshal(out)
}
