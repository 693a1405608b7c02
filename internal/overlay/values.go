package overlay

import (
	"maps"
	"regexp"
	"strconv"

	"github.com/airshipit/sipgen/internal/text"
)

func asMap(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}

func union[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return all
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// quoted returns a key or a name as an error has it: whole if it is plain, short and in quotes if it is not.
func quoted(name string) string {
	if plainKey.MatchString(name) && len(name) <= 63 {
		return name
	}
	return strconv.Quote(text.Truncate(name, 120))
}
