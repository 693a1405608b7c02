package text

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzIndented holds what is indented by hand against the library.
func FuzzIndented(f *testing.F) {
	for _, object := range []string{
		`{}`, `[]`, `null`, `""`, `{"a":1}`, `{"a":{},"b":[]}`, `[[],[[1,-2.5e3],{}],{"a":{"b":["c,d:{[","\\","\"]",true,false,null]}}]`, `"é\u2028\n"`, "[1]\n", `{"":""}`,
	} {
		f.Add(object)
	}
	f.Fuzz(func(t *testing.T, object string) {
		var value any
		if json.Unmarshal([]byte(object), &value) != nil {
			return
		}
		compact, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := json.Indent(&want, append(compact, '\n'), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := indented(append(compact, '\n')); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: got\n%s\nwant\n%s", compact, got, want.Bytes())
		}
	})
}
