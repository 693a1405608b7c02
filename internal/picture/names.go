package picture

import (
	"strings"
)

// shorten returns the names of a rack's hosts in at most n letters each. It chooses the cut that keeps most of them
// apart: by their ends (host-123), or by their middle (dc1-rack01-srv04-control-plane), where the start is the rack's
// and the end is the role's.
func shorten(names []string, n int) func(name string, n int) string {
	long := false
	for _, name := range names {
		long = long || len([]rune(name)) > n
	}
	if !long {
		return truncateFront
	}
	shared := sharedFront(names)
	best, most := truncateFront, 0
	for _, cut := range []func(string, int) string{truncateFront,
		func(name string, n int) string { return truncateMiddle(name, shared, n) }} {
		different := map[string]bool{}
		for _, name := range names {
			different[cut(name, n)] = true
		}
		if len(different) > most {
			best, most = cut, len(different)
		}
	}
	return best
}

// sharedFront returns the length of the start that all names share, up to the last separator.
func sharedFront(names []string) int {
	shared := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	return strings.LastIndexAny(shared, "-._") + 1
}

// truncateMiddle leaves out the shared start of a name, and cuts its middle to fit.
func truncateMiddle(s string, shared, n int) string {
	letters, front := []rune(s), ""
	if len(letters) <= n {
		return s
	}
	if shared > 0 {
		letters, front = []rune(s[shared:]), "…"
		n--
	}
	if len(letters) <= n {
		return front + string(letters)
	}
	begin := (n - 1) * 2 / 3
	return front + string(letters[:begin]) + "…" + string(letters[len(letters)-(n-1-begin):])
}
