package publish

import (
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestPlainOwnership: what is written and read without the library is what the library writes and reads.
func TestPlainOwnership(t *testing.T) {
	sum := digest([]byte("x"))
	number := strings.Repeat("1", 64)
	for _, row := range []struct {
		path, sum string
		plain     bool
	}{
		{"clusters/lab/a-1/infra/haproxy_x.yaml", sum, true}, {"PLAN.md", sum, true}, {"policy/reader.yaml", sum, true}, {"a", sum, false}, {"falsey", sum, true},
		{"false", sum, false}, {"Null", sum, false}, {"0x1234", sum, false}, {"123456", sum, false}, {".github/x", sum, false}, {"-a/b/c", sum, false},
		{"with a blank", sum, false}, {"colon: no", sum, false}, {"a/b/c #d", sum, false}, {"a/b/ü.yaml", sum, false}, {"1e1000", sum, false}, {"a/b/c\u2028", sum, false},
		{"a/b/c.yaml", number, false}, {"a/b/c.yaml", "1e" + number[2:], false}, {"a/b/c.yaml", "0b" + number[2:], false}, {"a/b/c.yaml", "a", false},
		{"a/b/c.yaml", strings.ToUpper(sum), false}, {strings.Repeat("long/", 300) + "x", sum, true},
	} {
		list := &ownership{APIVersion: ownershipVersion, Kind: ownershipKind, Files: []ownedFile{{"first/a.yaml", sum}, {row.path, row.sum}}}
		list.Digest = list.digest()
		want := list.encode()
		text, is := list.plain()
		if is != row.plain {
			t.Errorf("%s %s: plain %t", row.path, row.sum, is)
		}
		if is && string(text) != string(want) {
			t.Errorf("%s:\n%s\nthe library:\n%s", row.path, text, want)
		}
		var library ownership
		if err := yaml.Unmarshal(want, &library); err != nil {
			t.Fatal(err)
		}
		if read, is := plainOwnership(want); is != row.plain || is && !reflect.DeepEqual(*read, library) {
			t.Errorf("%s: read %t, %+v, the library %+v", row.path, is, read, library)
		}
	}
	good := string(formatOwnership(tree("first/a.yaml", "1", "second/b.yaml", "2")))
	if _, is := plainOwnership([]byte(good)); !is {
		t.Errorf("not plain:\n%s", good)
	}
	for i := range len(good) {
		for _, changed := range []string{good[:i], good[:i] + " " + good[i:], good[:i] + "x" + good[i:], good[:i] + "\n" + good[i:], good[:i] + good[i+1:]} {
			var library ownership
			err := yaml.Unmarshal([]byte(changed), &library)
			if read, is := plainOwnership([]byte(changed)); is && (err != nil || !reflect.DeepEqual(*read, library)) {
				t.Fatalf("read as %+v, by the library as %+v, %v:\n%s", read, library, err, changed)
			}
		}
	}
}
