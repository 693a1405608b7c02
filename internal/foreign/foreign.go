// Package foreign finds files that sipgen did not write and that a GitOps engine would apply, or that change what it
// applies.
package foreign

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// File is a file in the tree's own folder or in one above it. Its path is relative to the repository's root.
type File struct {
	Path string
	Text []byte
	// NoFile: it is a link, a submodule or a device.
	NoFile bool
}

// Names are the names of the files that Input.Around has: the only ones outside the tree's folders that matter.
var Names = []string{attributes, ignore, "Kustomization", "kustomization.yaml", "kustomization.yml"}

const (
	ignore     = ".sourceignore"
	attributes = ".gitattributes"
)

// Input is a tree, and the files next to it and above it.
type Input struct {
	// Flux reads .sourceignore, and Argo CD .gitattributes.
	ArgoCD bool
	// Prefix is the path of the tree's folder in the repository, empty for its root.
	Prefix string
	// Tree has the paths of the tree's files, and Others those of all other files in the tree's folders, both relative
	// to Prefix.
	Tree, Others []string
	// Around are the files with one of Names at Prefix and above.
	Around []File
}

// mostNamed is how many foreign files an error names.
const mostNamed = 20

// Check refuses foreign files: each one in a folder of the tree and, next to or above these folders, a .sourceignore
// that hides a file of the tree from Flux, a .gitattributes with which git may check it out with other bytes for Argo
// CD, and a kustomization that includes a part of the tree. The problems are joined.
func Check(in Input) error {
	var problems []error
	folders := map[string]bool{}
	for _, name := range in.Tree {
		if top, _, inside := strings.Cut(name, "/"); inside {
			folders[top] = true
		}
	}
	inTree := map[string]bool{}
	for _, name := range in.Tree {
		inTree[name] = true
	}
	others := 0
	for _, name := range slices.Sorted(slices.Values(in.Others)) {
		top, _, _ := strings.Cut(name, "/")
		if !folders[top] || inTree[name] {
			continue
		}
		if others++; others <= mostNamed {
			problems = append(problems, fmt.Errorf("%s: sipgen did not write it, and only sipgen writes in %s: move it to another folder, or move the tree (spec.repository.path)",
				path.Join(in.Prefix, name), path.Join(in.Prefix, top)))
		}
	}
	if others > mostNamed {
		problems = append(problems, fmt.Errorf("%s more that sipgen did not write", text.Count(others-mostNamed, "file")))
	}
	read := slices.DeleteFunc(slices.Clone(in.Tree), func(name string) bool { return !strings.Contains(name, "/") })
	for i, name := range read {
		read[i] = path.Join(in.Prefix, name)
	}
	slices.Sort(read)
	if !in.ArgoCD {
		problems = append(problems, hidden(read, in.Around)...)
	}
	for _, file := range in.Around {
		switch base := path.Base(file.Path); {
		case base == ignore:
		case base == attributes && in.ArgoCD:
			problems = append(problems, rewrites(read, file)...)
		case base != attributes:
			problems = append(problems, includes(in.Prefix, folders, file)...)
		}
	}
	return errors.Join(problems...)
}

// fluxLeavesOut are names of folders that Flux leaves out of a repository by itself: fluxcd/pkg/sourceignore v0.15.
// The files that it leaves out end as no file of a tree does. If there is any line in a .sourceignore anywhere, Flux
// uses only the first, but a tree that needs a line about other files to be seen is not safe.
var fluxLeavesOut = []string{
	".git/", "*.jpg", "*.jpeg", "*.gif", "*.png", "*.wmv", "*.flv", "*.tar.gz", "*.zip", ".github/", ".circleci/",
	".travis.yml", ".gitlab-ci.yml",
	"appveyor.yml", ".drone.yml", "cloudbuild.yaml", "codeship-services.yml", "codeship-steps.yml",
}

// rule is a line of a .sourceignore, or of fluxLeavesOut.
type rule struct {
	where, text string
	pattern     gitignore.Pattern
}

// mostLines is the largest .sourceignore or .gitattributes, in lines: each is compared with each file of the tree.
const mostLines = 1000

// hidden finds lines that hide files from Flux's artifact. kustomize-controller builds the rest: a folder without its
// kustomization.yaml counts as a collection of manifests, and Flux prunes objects that are in none of them.
func hidden(tree []string, around []File) (problems []error) {
	var rules []rule
	for _, line := range fluxLeavesOut {
		rules = append(rules, rule{text: line, pattern: gitignore.ParsePattern(line, nil)})
	}
	around = slices.DeleteFunc(slices.Clone(around), func(f File) bool { return path.Base(f.Path) != ignore })
	slices.SortFunc(around, func(a, b File) int { return len(a.Path) - len(b.Path) }) // one above comes first
	for _, file := range around {
		if file.NoFile {
			problems = append(problems, fmt.Errorf("%s: found a link, and Flux hides what the file behind it lists; want a file, or none", file.Path))
			continue
		}
		var folder []string
		if dir := path.Dir(file.Path); dir != "." {
			folder = strings.Split(dir, "/")
		}
		number := 0
		for lines := bufio.NewScanner(bytes.NewReader(file.Text)); lines.Scan(); {
			number++
			if line := lines.Text(); !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
				rules = append(rules, rule{fmt.Sprintf("%s: line %d", file.Path, number), line,
					gitignore.ParsePattern(line, folder)})
			}
		}
		if number > mostLines {
			return append(problems, fmt.Errorf("%s: more than %d lines, want at most that", file.Path, mostLines))
		}
	}
	folders := map[string]*rule{}
	by := map[*rule][]string{}
	var order []*rule
	for _, name := range tree {
		if hides := hides(rules, folders, name, false); hides != nil {
			if by[hides] == nil {
				order = append(order, hides)
			}
			by[hides] = append(by[hides], name)
		}
	}
	for _, rule := range order {
		if rule.where == "" {
			problems = append(problems, fmt.Errorf("%s: Flux ignores %q unless a %s includes it, and its sync "+
				"would fail, or prune; choose another folder (spec.repository.path)",
				first(by[rule]), rule.text, ignore))
			continue
		}
		problems = append(problems, redact.Errorf("%s: %q hides %s from Flux, whose sync would fail, or prune the "+
			"objects in it; remove the line, or narrow it",
			rule.where, rule.text, first(by[rule])))
	}
	return problems
}

// hides returns the rule that hides a path, or a folder that it is in; nil if none does. folders are those that were
// looked at.
func hides(rules []rule, folders map[string]*rule, name string, isFolder bool) *rule {
	if isFolder {
		if rule, ok := folders[name]; ok {
			return rule
		}
	}
	var found *rule
	if parent := path.Dir(name); parent != "." {
		found = hides(rules, folders, parent, true)
	}
	parts := strings.Split(name, "/")
	for i := len(rules) - 1; i >= 0 && (isFolder || i >= len(fluxLeavesOut)); i-- {
		match := rules[i].pattern.Match(parts, isFolder)
		if match == gitignore.NoMatch {
			continue
		}
		found = nil
		if match == gitignore.Exclude {
			found = &rules[i]
		}
		break
	}
	if isFolder {
		folders[name] = found
	}
	return found
}

// changes are the attributes by which git checks out other bytes than were committed. Whether a file has one by
// another line counts for nothing: each line is read by itself.
var changes = regexp.MustCompile(`^(ident|eol=crlf|filter=.*|working-tree-encoding(=.*)?)$`)

// rewrites returns the lines of a .gitattributes that have an attribute of changes and may be about a file of the
// tree.
func rewrites(tree []string, file File) (problems []error) {
	if file.NoFile {
		return []error{fmt.Errorf("%s: found a link, and git may read the path in it as a line; want a file, or none",
			file.Path)}
	}
	number := 0
	for line := range bytes.Lines(file.Text) {
		number++
		if number > mostLines {
			return []error{fmt.Errorf("%s: more than %d lines, want at most that", file.Path, mostLines)}
		}
		words := strings.FieldsFunc(string(line), func(r rune) bool { return strings.ContainsRune(" \t\r\n\x00", r) })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		at := slices.IndexFunc(words[1:], changes.MatchString)
		if at >= 0 && mayMatch(words[0], path.Dir(file.Path), tree) {
			problems = append(problems, redact.Errorf("%s: line %d: %q may have git check out files of the tree for Argo CD with other bytes than sipgen wrote; remove the line, or name other files in it",
				file.Path, number, words[1+at]))
		}
	}
	return problems
}

// plain is a pattern without special characters, or with * alone: those read the same everywhere.
var plain = regexp.MustCompile(`^[A-Za-z0-9._-]*(\*[A-Za-z0-9._-]+)*\*?$`)

// mayMatch reports whether a pattern of a .gitattributes in a folder may match one of the files. false is certain; a
// pattern that is hard to parse may match anything.
func mayMatch(pattern, folder string, tree []string) bool {
	if strings.HasPrefix(pattern, "[attr]") {
		return true // the use of a macro is not checked
	}
	parts := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	last := parts[len(parts)-1]
	var begin string // the literal start of the pattern
	for _, part := range parts[:len(parts)-1] {
		if !plain.MatchString(part) || strings.Contains(part, "*") {
			break
		}
		begin += part + "/"
	}
	return slices.ContainsFunc(tree, func(name string) bool {
		if folder != "." {
			below, ok := strings.CutPrefix(name, folder+"/")
			if !ok {
				return false
			}
			name = below
		}
		if !strings.HasPrefix(name, begin) {
			return false
		}
		if !plain.MatchString(last) {
			return true
		}
		is, err := path.Match(last, path.Base(name))
		return is || err != nil
	})
}

// includes finds entries by which a kustomization next to the tree's folders or above them includes a part of the
// tree. An engine that builds it applies that part a second time, with the kustomization's changes. The root, which
// bootstraps a tree, and components for Cluster API may be included.
func includes(prefix string, folders map[string]bool, file File) (problems []error) {
	if file.NoFile {
		return nil // the rest is not read
	}
	var kustomization struct {
		Resources, Components, Bases []string
	}
	if yaml.Unmarshal(file.Text, &kustomization) != nil {
		return nil // nothing is built from it
	}
	for _, entry := range slices.Concat(kustomization.Resources, kustomization.Components, kustomization.Bases) {
		name := path.Join(path.Dir(file.Path), entry)
		below, ok := strings.CutPrefix(name, prefix+"/")
		if prefix == "" {
			below, ok = name, true
		}
		top, _, _ := strings.Cut(below, "/")
		component, _ := path.Match("clusters/*/*/capi", below)
		if !ok || !folders[top] || component || slices.Contains([]string{"flux/root.yaml", "argocd/root.yaml"}, below) {
			continue
		}
		problems = append(problems, redact.Errorf("%s: %q includes a part of the tree, which an engine would apply a second time; remove the entry", file.Path, entry))
	}
	return problems
}

// first names the first of some files, and counts the others.
func first(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %s of the tree", names[0], text.Count(len(names)-1, "other file"))
}
