package bmh

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/hack/need"
)

// FuzzSimpleName: what is a simple name is one to Kubernetes, wherever it is asked for less.
func FuzzSimpleName(f *testing.F) {
	for _, text := range []string{"", "a", "rack-1", "1", "-", "-a", "a-", "a--b", "A", "a.b", "a_b", "a/b", "é", "a\n", "a b", strings.Repeat("a", 63), strings.Repeat("a", 64)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		simple := simpleName(text)
		need.Equal(t, text, simple, (len(validation.IsDNS1123Label(text)) == 0))
		for _, problems := range [][]string{validation.IsDNS1123Subdomain(text), validation.IsQualifiedName(text), validation.IsValidLabelValue(text)} {
			if simple && len(problems) > 0 {
				t.Errorf("%q: %s", text, problems)
			}
		}
	})
}
