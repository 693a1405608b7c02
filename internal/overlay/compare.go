package overlay

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// maxComplaints bounds what is said of one object: a list of a thousand ports is one mistake.
const maxComplaints = 10

// Compare holds what is built with patches against what is built without, and reports every difference that is not a tenant's to make: an object that
// is another or gone, and every field that the table of changeable fields does not have, nor, with wide, the table of wide ones. No value is quoted.
func Compare(before, after []Object, wide bool) []error {
	var errs []error
	was := map[string]*Object{}
	for i := range before {
		was[before[i].id()] = &before[i]
	}
	for i := range after {
		o := &after[i]
		old, found := was[o.id()]
		if !found {
			errs = append(errs, fmt.Errorf("it makes a different object, %s: a patch may not change apiVersion, kind, namespace or name", o))
			continue
		}
		delete(was, o.id())
		c := comparison{object: o, rules: rulesFor(o.Kind, wide)}
		c.walk("", "", old.Fields, o.Fields)
		if more := len(c.errs) - maxComplaints; more > 0 {
			c.errs = append(c.errs[:maxComplaints], fmt.Errorf("%s: and %d more fields", o, more))
		}
		errs = append(errs, c.errs...)
	}
	for i := range before {
		if _, gone := was[before[i].id()]; gone {
			errs = append(errs, fmt.Errorf("the patch removes %s: a patch may change objects, but not remove them; spec.services decides which exist", &before[i]))
		}
	}
	return errs
}

// comparison walks two versions of an object at once. pattern is the path with "[]" for every item of a list, as the tables have it.
type comparison struct {
	object *Object
	rules  map[string]rule
	errs   []error
}

func (c *comparison) walk(path, pattern string, was, is any) {
	if reflect.DeepEqual(was, is) {
		return
	}
	if rule, found := c.rules[pattern]; found {
		if complaint := rule(was, is); complaint != "" {
			c.errs = append(c.errs, c.object.complaint(path, "%s", complaint))
		}
		return
	}
	oldFields, wasMap := was.(map[string]any)
	fields, isMap := is.(map[string]any)
	if wasMap && isMap || c.leadsOn(pattern) && (wasMap && is == nil || was == nil && isMap) {
		for _, key := range slices.Sorted(maps.Keys(union(oldFields, fields))) {
			c.walk(join(path, key), join(pattern, key), oldFields[key], fields[key])
		}
		return
	}
	oldItems, wasNamed := named(was)
	items, isNamed := named(is)
	if wasNamed && isNamed {
		for _, name := range slices.Sorted(maps.Keys(union(oldItems, items))) {
			at := fmt.Sprintf("%s[%s]", path, quoted(name))
			old, had := oldItems[name]
			item, has := items[name]
			if !had || !has {
				c.complain(at, pattern)
				continue
			}
			c.walk(at, pattern+"[]", old, item)
		}
		return
	}
	c.complain(path, pattern)
}

// leadsOn says whether a rule is below a pattern.
func (c *comparison) leadsOn(pattern string) bool {
	for at := range c.rules {
		if strings.HasPrefix(at, pattern+".") {
			return true
		}
	}
	return false
}

func (c *comparison) complain(path, pattern string) {
	c.errs = append(c.errs, c.object.complaint(path, "%s", whyNot(c.object.Kind, pattern)))
}

// named gives the items of a list by their names, where all of them have one and no two the same.
func named(value any) (map[string]any, bool) {
	list, isList := value.([]any)
	if !isList {
		return nil, false
	}
	items := map[string]any{}
	for _, item := range list {
		fields, isMap := item.(map[string]any)
		name, isText := fields["name"].(string)
		if _, twice := items[name]; !isMap || !isText || twice {
			return nil, false
		}
		items[name] = item
	}
	return items, true
}

func union(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, b)
	return all
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func join(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return path + "[" + quoted(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// quoted is a key or a name as an error has it: whole if it is plain, short and in quotes if it is not.
func quoted(name string) string {
	if plainKey.MatchString(name) && len(name) <= 63 {
		return name
	}
	return strconv.Quote(text.Truncate(name, 120))
}
