package main

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.org
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: Thing is a thing.
        properties:
          spec:
            type: object
            description: Spec is what it is.
            required: [size]
            properties:
              size: {type: integer, minimum: 1, maximum: 9, description: Size is how big it is. Default 1 | 2.}
              parts: &parts
                type: array
                maxItems: 3
                description: Parts of it.
                items:
                  type: object
                  properties:
                    name: {type: string, enum: [a, b], description: Which one.}
              spares: *parts
              where: {type: object, description: Place., properties: {rack: {type: string, description: 'Rack. Default: none.'}}}
              old: {type: string, description: No longer used; accepted with a warning.}
`

func TestReference(t *testing.T) {
	page := need.Value(reference([]byte(crd), "thing.yaml", []byte("# A thing.\nkind: Thing\n")))(t)
	want := "## spec\n\n| field | type | |\n|---|---|---|\n" +
		"| `parts` | list of [object](#specparts), at most 3 | Parts of it. |\n" +
		"| `size` | integer, required, 1 to 9 | How big it is. Default 1 \\| 2. |\n" +
		"| `spares` | list of [object](#specparts), at most 3 | Parts of it. |\n" +
		"| `where` | object | Place. |\n" +
		"| `where.rack` | string | Rack. |\n" +
		"| `old` | string | No longer used; accepted with a warning. |\n" +
		"\n## spec.parts[]\n\n| field | type | |\n|---|---|---|\n" +
		"| `name` | string, `a`, `b` | Which one. |\n"
	assert.Truef(t,
		strings.HasSuffix(page, want) && strings.Contains(page,
			"An [example](../thing.yaml):\n\n```yaml\nkind: Thing\n```\n"),
		"found\n%s\nwant at its end\n%s", page, want)
}

func TestAFieldWithoutADescription(t *testing.T) {
	_, err := reference([]byte(strings.Replace(crd, ", description: Which one.", "", 1)), "", nil)
	assert.Truef(t, err != nil && err.Error() == "spec.parts[].name: no description", "found %v", err)
}
