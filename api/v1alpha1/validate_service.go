package v1alpha1

import (
	"fmt"
	"strings"
)

// serviceCheck checks one service of the site.
type serviceCheck struct {
	site *Site
	// at is where it stands, as "spec.services.ironic[0]".
	at  string
	add problem
}

// say complains about a field of the service's spec.
func (c *serviceCheck) say(field, format string, args ...any) {
	c.add(c.at+".spec."+field, format, args...)
}

// object is what a service of the site is about.
type object interface {
	// Key is its "namespace/name".
	Key() string
}

// eachService checks every service in a list, unless there are too many. Two that are one object are a problem.
func eachService[T any, P interface {
	*T
	object
}](s *Site, field string, list []T, add problem, check func(c serviceCheck, service P)) {
	if len(list) > maxServices {
		add(field, "found %d, want at most %d", len(list), maxServices)
		return
	}
	first := map[string]int{}
	for n := range list {
		service, at := P(&list[n]), fmt.Sprintf("%s[%d]", field, n)
		onlyOne(first, service.Key(), n, field, add)
		check(serviceCheck{s, at, add}, service)
	}
}

// onlyOne complains about the n-th in a list if an earlier one has the same key, which ends in "namespace/name". first has where each was first.
func onlyOne(first map[string]int, key string, n int, field string, add problem) {
	//guard: two services of the site are one object: one file overwrites the other
	if other, twice := first[key]; twice {
		_, name, _ := strings.Cut(key, "/")
		add(fmt.Sprintf("%s[%d].name", field, n), "found %q, which %s[%d] is in that namespace", name, field, other)
		return
	}
	first[key] = n
}
