package show

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/objdiff"
)

// GitHub keeps ten annotations of a level: the tenth says how many folders follow, and those stand in the log, each with its lines and no
// command in them.
func TestMoreThanTenAnnotations(t *testing.T) {
	for _, folders := range []int{10, 11, 25} {
		after := map[string][]byte{}
		for i := range folders {
			after[fmt.Sprintf("clusters/t/c%02d/infra/x.yaml", i)] = fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'c%02d', namespace: t}\ndata: {a: '##[error]x'}\n", i)
		}
		diff, err := objdiff.Compare(nil, after)
		need.OK(t, err)
		var out bytes.Buffer
		need.OK(t, GitHub(&out, diff))
		commands := 0
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "::") {
				commands++
			}
		}
		need.Equal(t, folders, commands, 10)
		for i := range folders {
			if name := fmt.Sprintf("clusters/t/c%02d/infra", i); strings.Count(out.String(), name) != 1 {
				t.Errorf("%d folders: %s stands there %d times, want once", folders, name, strings.Count(out.String(), name))
			}
			if name := fmt.Sprintf("ConfigMap t/c%02d", i); !strings.Contains(out.String(), name) {
				t.Errorf("%d folders: no %s in\n%s", folders, name, &out)
			}
		}
		if more := fmt.Sprintf("%d more folders", folders-9); folders > 10 && !strings.Contains(out.String(), more) {
			t.Errorf("%d folders: no %q", folders, more)
		}
		if strings.Contains(out.String(), "##[") {
			t.Error("a command of the older form")
		}
	}
}
