package manifest

import (
	"fmt"

	"sigs.k8s.io/json"

	"github.com/airshipit/sipgen/internal/redact"
)

// OpenSecrets returns the paths of the values, and of the mappings with keys, that are certainly secrets (see
// redact.Find), with the kind of each. A spec is rendered into git and repeated in messages, so it must have none.
func (d *Document) OpenSecrets() map[string]string {
	found := map[string]string{}
	var value any
	if json.UnmarshalCaseSensitivePreserveInts(d.JSON, &value) != nil {
		return found // not decoded either
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case string:
			if kind, ok := redact.Find(value); ok {
				found[path] = kind
			}
		case []any:
			for i, item := range value {
				walk(fmt.Sprintf("%s[%d]", path, i), item)
			}
		case map[string]any:
			for key, item := range value {
				if kind, ok := redact.Find(key); ok {
					found[path] = kind
					continue // its path would repeat the key
				}
				walk(joinPath(path, key), item)
			}
		}
	}
	walk("", value)
	return found
}
