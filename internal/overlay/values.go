package overlay

import (
	"maps"
	"regexp"
	"strconv"

	"github.com/airshipit/sipgen/internal/text"
)

// maxComplaints bounds what is said of one object: a list of a thousand ports is one mistake.
const maxComplaints = 10

func asMap(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
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

// join appends a key to a path, in brackets and quotes where it is more than a plain word.
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
