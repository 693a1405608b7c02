package manifest

import (
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/airshipit/sipgen/internal/redact"
)

// NearestKey returns the label key that a mistyped one most likely meant, "" for none: one with the same name after
// another domain, else one with a similar name. A common long domain does not make two names similar.
func NearestKey(key string, candidates []string) string {
	name := keyName(key)
	var same, alike []string
	for _, candidate := range candidates {
		switch other := keyName(candidate); {
		case other == name:
			same = append(same, candidate)
		case levenshtein.ComputeDistance(name, other) <= max(1, min(len(name), len(other))/3):
			alike = append(alike, candidate)
		}
	}
	for _, those := range [][]string{same, alike} {
		if near := Nearest(key, those); near != "" {
			return near
		}
		if len(those) == 1 {
			return those[0]
		}
	}
	return ""
}

// keyName returns the part of a label key after its domain, in lower case.
func keyName(key string) string {
	return strings.ToLower(key[strings.LastIndexByte(key, '/')+1:])
}

// Nearest returns the candidate that a mistyped name most likely meant, "" for none. Among candidates with equally
// many mistakes, one with swapped letters is nearer. Example: Nearest("lnit", ...) is "lint".
func Nearest(name string, candidates []string) string {
	typed := strings.ToLower(name)
	best, bestDistance := "", 2*min(len(name), 1+max(2, len(name)/3))
	for _, candidate := range candidates {
		other := strings.ToLower(candidate)
		distance := 2 * levenshtein.ComputeDistance(typed, other)
		if swapped(typed, other) {
			distance = 1
		}
		if distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

// Hint returns ", did you mean ...?" for a candidate that is like a name, else nothing.
func Hint(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return redact.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// swapped reports whether two words differ by two swapped neighbors: lnit and lint.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
