package manifest

import (
	"slices"
	"strings"
)

// StrayAnnotation says whether an annotation was meant for the reader of known ones, and is none of them: it has their
// domain, or one that looks like it before one of their names, or no domain before one of them. near is the one that
// was most likely meant, or empty. A known one that ends in a dot stands for all that go on behind it.
func StrayAnnotation(key string, known []string) (near string, stray bool) {
	domain, name, found := strings.Cut(key, "/")
	if !found {
		domain, name = "", key
	}
	for _, one := range known {
		if one == key && !strings.HasSuffix(one, ".") || strings.HasSuffix(one, ".") && strings.HasPrefix(key, one) &&
			key != one {
			return "", false
		}
	}
	for _, one := range known {
		own, called, _ := strings.Cut(one, "/")
		rest := ""
		if strings.HasSuffix(called, ".") {
			first, behind, dotted := strings.Cut(name, ".")
			if !dotted || Nearest(first, []string{strings.TrimSuffix(called, ".")}) == "" {
				continue
			}
			rest = behind
			called = first
		}
		alike := NearestKey(own+"/"+name, []string{one}) != "" || rest != ""
		switch {
		case domain != "" && alike && Nearest(domain, []string{own}) != "", domain == "" && called == name && rest == "":
			return one + rest, true
		}
	}
	return "", slices.ContainsFunc(known, func(one string) bool {
		own, _,
			_ := strings.Cut(one, "/")
		return domain == own
	})
}
