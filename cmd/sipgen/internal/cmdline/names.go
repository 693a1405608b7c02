package cmdline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// maxMeant is how many possible names are listed for one.
const maxMeant = 5

// OneOf returns the one of the names, each "namespace/name", that is meant: the whole of it, or what comes behind the
// namespace if no other has it.
func OneOf(name, what string, names []string) (string, error) {
	if slices.Contains(names, name) {
		return name, nil
	}
	var meant []string
	for _, known := range names {
		if strings.HasSuffix(known, "/"+name) {
			meant = append(meant, known)
		}
	}
	if len(meant) == 1 {
		return meant[0], nil
	}
	shown := redact.Plain(name)
	if many := len(meant); many > 0 {
		slices.Sort(meant)
		more := ""
		if many > maxMeant {
			meant, more = meant[:maxMeant], fmt.Sprintf(" or one of %d others", many-maxMeant)
		}
		return "", redact.Errorf("%s: there are %d of that name, want NAMESPACE/NAME: %s%s", shown, many,
			strings.Join(meant, ", "), more)
	}
	if near := NearestName(name, names); near != "" {
		return "", redact.Errorf("%s: no such %s, did you mean %q?", shown, what, near)
	}
	return "", redact.Errorf("%s: no such %s; the site has %d", shown, what, len(names))
}

// NearestName returns the name that looks like the one found, which may be without a namespace.
func NearestName(name string, names []string) string {
	if strings.Contains(name, "/") {
		return manifest.Nearest(name, names)
	}
	var short []string
	for _, known := range names {
		short = append(short, known[strings.LastIndex(known, "/")+1:])
	}
	if near := manifest.Nearest(name, short); near != "" {
		return names[slices.Index(short, near)]
	}
	return ""
}

// DidYouMean returns the question whether one of the known words was meant, empty if none looks like it.
func DidYouMean(word string, known []string) string {
	if near := manifest.Nearest(word, known); near != "" {
		return redact.Sprintf(", did you mean %q?", near)
	}
	return ""
}
