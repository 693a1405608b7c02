package manifest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

var perhapsHugePattern = regexp.MustCompile(`[0-9.][eE][+-]?[0-9]{4}|[0-9.]{30}`)

// FuzzPerhapsHuge holds the search by hand against the expression that says what is looked for.
func FuzzPerhapsHuge(f *testing.F) {
	for _, text := range []string{
		"1e999", "1e9999", "1E+9999", ".e-0001", "x1e12.34", "1e1e1234", "1ee1234", "1e+-1234", "e1234", "1e123.1e1234", "7f3a9c1e-0000", "1e-000", "1e", "1e+", "e9999",
		strings.Repeat("1.", 14) + "1", strings.Repeat("1.", 15), strings.Repeat("1", 29) + "e1" + strings.Repeat("2", 29), "1e12" + strings.Repeat(".", 28),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		need.Equal(t, text, perhapsHuge([]byte(text)), perhapsHugePattern.MatchString(text))
	})
}
