package text

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzIndented holds what is indented by hand against the library.
func FuzzIndented(f *testing.F) {
	for _, object := range []string{
		`{}`, `[]`, `null`, `""`, `{"a":1}`, `{"a":{},"b":[]}`,
		`[[],[[1,-2.5e3],{}],{"a":{"b":["c,d:{[","\\","\"]",true,false,null]}}]`, `"é\u2028\n"`, "[1]\n", `{"":""}`,
	} {
		f.Add(object)
	}
	f.Fuzz(func(t *testing.T, object string) {
		var value any
		if json.Unmarshal([]byte(object), &value) != nil {
			return
		}
		compact := need.Value(json.Marshal(value))(t)
		var want bytes.Buffer
		require.NoError(t, json.Indent(&want, append(compact, '\n'), "", "  "))
		got := indented(append(compact, '\n'))
		assert.Truef(t, bytes.Equal(got, want.Bytes()), "%s: got\n%s\nwant\n%s", compact, got, want.Bytes())
	})
}
