package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGivenTwice(t *testing.T) {
	var many []string
	for i := range 3 * fewKeys {
		many = append(many, fmt.Sprintf(`"k%d": {"a": 1}`, i))
	}
	wide := "{" + strings.Join(many, ", ")
	for _, row := range []struct {
		text   string
		levels int
		want   string
	}{
		{`{}`, 0, ""},
		{`{"a": 1, "b": {"a": 1}, "c": ["a", "a", {"a": 1}, {"a": 1}]}`, 0, ""},
		{`{"a": "a", "b": "a", "\"a": ":,{[\\\"", "c": "a"}`, 0, ""},
		{`{"a": 1, "a": 2}`, 0, "a"},
		{`{"a": 1, "\u0061": 2}`, 0, "a"},
		{`{"a": {"b": 1, "c": {}, "b": 2}}`, 0, "a.b"},
		{`{"a": [1, [], {"b": "x", "b": "x"}]}`, 0, "a[2].b"},
		{`{"a": {"b": 1, "b": 2}}`, 1, ""},
		{`{"a": {"b": 1}, "a": 2}`, 1, "a"},
		{wide + "}", 0, ""},
		{wide + `, "k3": 1}`, 0, "k3"},
		{wide + `, "z": 1, "z": 1}`, 0, "z"},
	} {
		assert.Equal(t, row.want, givenTwice([]byte(row.text), row.levels), row.text)
	}
}

// TestListTwice: the items that a list names first would be left out.
func TestListTwice(t *testing.T) {
	_, err := Parse("f", []byte(`{"kind": "List", "items": [{"kind": "A"}], "items": []}`))
	assert.ErrorContains(t, err, "items: given twice")
}
