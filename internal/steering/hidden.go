package steering

import (
	"bufio"
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/airshipit/sipgen/internal/redact"
)

// fluxDefaults are what Flux leaves out of a repository by itself: fluxcd/pkg/sourceignore v0.15. If there is any line in a .sourceignore anywhere, Flux uses only the
// first four, but a tree that needs a line about other files to be seen is not safe.
var fluxDefaults = strings.Split(".git/,.gitignore,.gitmodules,.gitattributes,"+
	"*.jpg,*.jpeg,*.gif,*.png,*.wmv,*.flv,*.tar.gz,*.zip,"+
	".github/,.circleci/,.travis.yml,.gitlab-ci.yml,appveyor.yml,.drone.yml,cloudbuild.yaml,codeship-services.yml,codeship-steps.yml,"+
	"**/.goreleaser.yml,**/.sops.yaml,**/.flux.yaml", ",")

// rule is a line of a .sourceignore, or one of Flux' defaults.
type rule struct {
	where, text string
	pattern     gitignore.Pattern
}

// hidden are the files of the tree that Flux leaves out of its artifact, by the rule that says so. kustomize-controller builds what is left: without its
// kustomization.yaml a folder is taken for a collection of manifests, and prunes what is in none of them; an empty one prunes everything.
// Of files that nothing in the tree applies there are warnings.
func hidden(contents map[string][]byte, tree []string, others []File) (problems []error, warnings []string) {
	rules, links := ignoreRules(tree, others)
	problems = links
	if len(rules) == 0 {
		return problems, nil
	}
	applied, notApplied := hiddenBy{}, hiddenBy{}
	seen := map[string]*rule{}
	isOffered := sync.OnceValue(func() func(string) bool { return offered(contents, tree) })
	for _, name := range tree {
		hides := hides(rules, seen, name, false)
		switch {
		case hides == nil:
		case isOffered()(name):
			notApplied.add(*hides, name)
		default:
			applied.add(*hides, name)
		}
	}
	for _, rule := range applied.order {
		if rule.where == "" {
			problems = append(problems, fmt.Errorf("%s: Flux ignores %q unless a %s says otherwise, and its sync would fail, or prune; choose another folder (the Site's spec.repository.path)",
				files(applied.names[rule]), rule.text, ignoreFile))
			continue
		}
		problems = append(problems, redact.Errorf("%s: %q hides %s from Flux, whose sync would fail, or prune what it no longer finds; remove the line, or narrow it",
			rule.where, rule.text, files(applied.names[rule])))
	}
	for _, rule := range notApplied.order {
		if rule.where == "" || applied.names[rule] != nil {
			continue // no name of a component is among Flux' defaults; or the line has to go anyway
		}
		warnings = append(warnings, redact.Errorf("%s: %q hides %s from Flux. Nothing in the tree applies them; but a kustomization of yours that includes the component no longer builds in Flux, or, "+
			"with ignoreMissingComponents, lets machines take any free host (docs/cluster-api.md)", rule.where, rule.text, files(notApplied.names[rule])).Error())
	}
	return problems, warnings
}

// hiddenBy are hidden files by the rule that hides them, the rules in the order of their first file.
type hiddenBy struct {
	order []rule
	names map[rule][]string
}

func (h *hiddenBy) add(by rule, name string) {
	if h.names == nil {
		h.names = map[rule][]string{}
	}
	if h.names[by] == nil {
		h.order = append(h.order, by)
	}
	h.names[by] = append(h.names[by], name)
}

// hides is the rule that hides a path, or a folder that it is in; nil if none does. seen are the folders that were looked at.
func hides(rules []rule, seen map[string]*rule, name string, isFolder bool) *rule {
	if isFolder {
		if rule, is := seen[name]; is {
			return rule
		}
	}
	var found *rule
	if parent := path.Dir(name); parent != "." {
		found = hides(rules, seen, parent, true)
	}
	parts := strings.Split(name, "/")
	for i := len(rules) - 1; i >= 0; i-- {
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
		seen[name] = found
	}
	return found
}

// partsOf are the names of all files and folders in the paths of a tree, which is sorted.
func partsOf(tree []string) map[string]bool {
	parts, last := map[string]bool{}, ""
	for _, name := range tree {
		folder, file := path.Split(name)
		parts[file] = true
		if folder != last {
			for part := range strings.SplitSeq(folder, "/") {
				parts[part] = true
			}
			last = folder
		}
	}
	return parts
}

// perhaps says whether one of Flux' defaults may match a path with these parts: they are names of a file or a folder, some with a * at the beginning. It
// takes much less than asking each of them for each file, and mostly none is left.
func perhaps(line string, parts map[string]bool) bool {
	name := strings.TrimSuffix(strings.TrimPrefix(line, "**/"), "/")
	end, any := strings.CutPrefix(name, "*")
	if !any {
		return parts[name]
	}
	for part := range parts {
		if strings.HasSuffix(part, end) {
			return true
		}
	}
	return false
}

// ignoreRules are those of Flux' defaults that may match a file of the tree, and the lines of the .sourceignore files that are in force for files of the tree, in the order in which Flux reads them.
func ignoreRules(tree []string, others []File) (rules []rule, problems []error) {
	parts := partsOf(tree)
	for _, line := range fluxDefaults {
		if perhaps(line, parts) {
			rules = append(rules, rule{text: line, pattern: gitignore.ParsePattern(line, nil)})
		}
	}
	others = slices.DeleteFunc(slices.Clone(others), func(f File) bool { return path.Base(f.Path) != ignoreFile })
	slices.SortFunc(others, outerFirst)
	for _, other := range others {
		if other.NoFile {
			problems = append(problems, fmt.Errorf("%s: found a link, and Flux hides what the file behind it lists; want a file, or none", other.Path))
			continue
		}
		var folder []string
		if dir := path.Dir(other.Path); dir != "." {
			folder = strings.Split(dir, "/")
		}
		number := 0
		for lines := bufio.NewScanner(bytes.NewReader(other.Text)); lines.Scan(); {
			number++
			if line := lines.Text(); !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
				rules = append(rules, rule{fmt.Sprintf("%s: line %d", other.Path, number), line, gitignore.ParsePattern(line, folder)})
			}
		}
	}
	return rules, problems
}
