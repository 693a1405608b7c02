package report

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/text"
)

// SiteReview is what the review of a fleet keeps of one Site's run: a few sentences, and the key of its group.
type SiteReview struct {
	Site string `json:"site"`
	// Errors are why the run failed.
	Errors []string `json:"errors,omitempty"`
	// Dangers and Changes are about hosts and clusters: what is handed out, taken, in danger or frozen. They are never
	// grouped. Problems say why a cluster is frozen or short.
	Dangers  []string `json:"dangers,omitempty"`
	Problems []string `json:"problems,omitempty"`
	Changes  []string `json:"changes,omitempty"`
	// Omitted is how many more there are of these sentences.
	Omitted int `json:"omitted,omitempty"`
	// Warnings is the number of warnings, which the Site's own plan has.
	Warnings int `json:"warnings,omitempty"`

	strong int // the first Dangers
	totals Totals
	files  int
	key    [sha256.Size]byte // of the shared changes; zero for none
	shared []sharedChange
}

// sharedChange is a change of objects that other Sites may have, too, in words without names and addresses.
type sharedChange struct {
	words  string
	danger bool
}

// ofObjectsAlone are the kinds of dangers and changes that follow from rendered objects. They can be the same in a
// thousand Sites. The value tells whether one is a danger in a review, too: services that change roll pods.
var ofObjectsAlone = map[string]bool{
	"services": false, "rights": true, "reached": true, "logins": true, "policy": true, "claims": true, "runner": true,
	"site services":            true,
	"component authentication": true, "component endpoint": true, "component patches": true, "component domains": false,
}

// mostOfSite bounds the sentences of one sort that a review keeps of a Site, and mostShared the shared changes.
const (
	mostOfSite = 50
	mostShared = 20
	// maxReviewed is the longest sentence of a review, in characters: a thousand Sites have to fit.
	maxReviewed = 400
)

// ReviewOf returns what a review keeps of a run: of its report with the changes of services, and of its tree before and
// after. problems are said before those of the report.
func ReviewOf(p *Plan, before, after map[string][]byte, problems ...string) SiteReview {
	s := SiteReview{Site: p.Site, totals: p.Totals(), Warnings: len(p.Findings) + len(p.InputWarnings) + len(p.Preflight)}
	keep := func(into *[]string, words string) {
		if len(*into) == mostOfSite {
			s.Omitted++
			return
		}
		*into = append(*into, text.Truncate(words, maxReviewed))
	}
	names := namesOf(p)
	for _, levels := range [][]level{{strong}, {weak}, {change}} {
		for _, d := range p.find(levels...) {
			danger, shared := ofObjectsAlone[d.kind]
			switch {
			case shared:
				words := d.words
				if d.open != "" {
					words = d.open
				}
				s.share(sharedChange{names.strip(words, "", ""), danger})
			case d.level == change:
				keep(&s.Changes, d.words)
			default:
				keep(&s.Dangers, d.words)
			}
		}
		if levels[0] == strong {
			s.strong = len(s.Dangers)
		}
	}
	for _, problem := range problems {
		keep(&s.Problems, problem)
	}
	for _, problem := range p.Problems() {
		if !strings.HasPrefix(problem, "warning: ") {
			keep(&s.Problems, problem)
		}
	}
	s.compare(names, before, after)
	return s
}

// FailedReview returns what a review keeps of a Site whose run failed.
func FailedReview(site string, errors []string) SiteReview {
	s := SiteReview{Site: site}
	for _, words := range errors {
		if len(s.Errors) == mostOfSite {
			s.Omitted++
			continue
		}
		s.Errors = append(s.Errors, text.Truncate(words, maxReviewed))
	}
	return s
}

// share adds a shared change once.
func (s *SiteReview) share(c sharedChange) {
	if c.words = text.Truncate(c.words, maxReviewed); !slices.Contains(s.shared, c) {
		s.shared = append(s.shared, c)
	}
}

// SharedChanges keeps the shared changes of many Sites once. The zero value is ready.
type SharedChanges struct{ of sync.Map }

// Keep makes a review have the sentences of another one whose Site changes alike, where they are equal.
func (c *SharedChanges) Keep(s *SiteReview) {
	if known, there := c.of.LoadOrStore(s.key, s.shared); there {
		if same := known.([]sharedChange); slices.Equal(same, s.shared) {
			s.shared = same
		}
	}
}

// compare makes the key of the shared changes: what changes by object and field, without the names of site, cluster,
// host and address, so that two Sites have one key if their files change alike. Images keep their digests. The patches
// of hosts and the assignments are left out: they are said by Site.
func (s *SiteReview) compare(names *names, before, after map[string][]byte) {
	was, is := map[string][]byte{}, map[string][]byte{}
	for path, text := range before {
		if other, there := after[path]; !there || string(other) != string(text) {
			was[path] = text
		}
	}
	for path, text := range after {
		if other, there := before[path]; !there || string(other) != string(text) {
			is[path] = text
		}
	}
	diff, err := objdiff.Compare(was, is)
	if err != nil { // of a path that is none, which no tree has
		s.share(sharedChange{"the change of the tree is unknown: " + err.Error(), true})
	}
	told := len(s.shared) > 0
	var lines []string
	for i := range diff.Files {
		f := &diff.Files[i]
		s.files++
		if f.Host || f.Derived || strings.HasSuffix(f.Path, "/assignments.yaml") || strings.HasPrefix(f.Path, "hosts/") {
			continue
		}
		namespace, name := clusterIn(f.Path)
		strip := func(words string) string { return names.strip(words, namespace, name) }
		sum := sha256.New()
		describe(sum, f, strip)
		lines = append(lines, fmt.Sprintf("%x", sum.Sum(nil)))
		area := areaOf(strip(f.Path))
		if told && (strings.HasPrefix(area, "services of ") || strings.HasPrefix(area, "component ")) || area == policies {
			continue // in the sentences
		}
		for _, words := range fileWords(f, strip) {
			s.share(sharedChange{words: strings.TrimPrefix(area+": ", ": ") + words})
		}
	}
	if len(lines) == 0 && len(s.shared) == 0 {
		return
	}
	slices.Sort(lines)
	sum := sha256.New()
	for _, line := range slices.Compact(lines) {
		fmt.Fprintln(sum, line)
	}
	for _, change := range s.shared {
		if len(lines) == 0 {
			fmt.Fprintln(sum, change.words)
		}
	}
	sum.Sum(s.key[:0])
}

// describe writes a file's change into its digest. What lists are sorted by may be an address, so the fields of an
// object and the lines of a side are sorted without it.
func describe(sum hash.Hash, f *objdiff.File, strip func(string) string) {
	fmt.Fprintf(sum, "%q %s\n", strip(f.Path), f.Status)
	for i := range f.Objects {
		o := &f.Objects[i]
		fmt.Fprintf(sum, "%s %q %s\n", o.Kind, strip(o.Name), o.Status)
		var fields []string
		for _, field := range o.Fields {
			old, _ := json.Marshal(field.Old) // of values that were read from YAML
			now, _ := json.Marshal(field.New)
			fields = append(fields, fmt.Sprintf("%q %s %s %s", strip(field.Path), field.Change, strip(string(old)),
				strip(string(now))))
		}
		slices.Sort(fields)
		fmt.Fprintln(sum, strings.Join(fields, "\n"))
	}
	if len(f.Objects) > 0 {
		return
	}
	old, now := strings.Split(strip(string(f.Old)), "\n"), strings.Split(strip(string(f.New)), "\n")
	for _, side := range [][2][]string{{old, now}, {now, old}} {
		there := map[string]int{}
		for _, line := range side[1] {
			there[line]++
		}
		var lines []string
		for _, line := range side[0] {
			if there[line]--; there[line] < 0 {
				lines = append(lines, line)
			}
		}
		slices.Sort(lines)
		fmt.Fprintf(sum, "%q\n---\n", lines)
	}
}

// fileWords describes a file's change, by object and field.
func fileWords(f *objdiff.File, strip func(string) string) (out []string) {
	if f.Status != objdiff.Changed && len(f.Objects) == 0 {
		return []string{"a file is " + string(f.Status)}
	}
	if len(f.Objects) == 0 {
		return []string{fmt.Sprintf("%d lines are added, %d removed", f.LinesAdded, f.LinesRemoved)}
	}
	for i := range f.Objects {
		o := &f.Objects[i]
		name := strip(o.Name)
		if name == "" { // a kustomization has none, and is known by its file
			name = strip(f.Path)
		}
		words := strings.TrimSpace(o.Kind+" "+name) + " is " + string(o.Status)
		if o.Status == objdiff.Changed {
			var fields []string
			for _, field := range o.Fields {
				fields = append(fields, strip(field.Path))
			}
			words += ": " + text.Some(fields, maxFields)
		}
		out = append(out, words)
	}
	return out
}

// clusterIn returns the cluster that a path of a tree is about, empty for none.
func clusterIn(path string) (namespace, name string) {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) > 3 && (parts[0] == "clusters" || parts[0] == "rights"):
		return parts[1], parts[2]
	case len(parts) == 2 && (parts[0] == "flux" || parts[0] == "argocd"):
		file := strings.TrimSuffix(strings.TrimSuffix(parts[1], ".yaml"), ".project")
		if namespace, name, found := strings.Cut(file, "."); found {
			return namespace, name
		}
	}
	return "", ""
}
