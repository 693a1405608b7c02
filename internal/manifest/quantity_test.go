package manifest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestTypesThatDecodeThemselves: what they cannot read has its field, and the value is not repeated.
func TestTypesThatDecodeThemselves(t *testing.T) {
	type object struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Spec       struct {
			Limits   corev1.ResourceList `json:"limits"`
			Interval *metav1.Duration    `json:"interval"`
			Since    metav1.Time         `json:"since"`
			Name     string              `json:"name"`
		} `json:"spec"`
	}
	for _, row := range []struct{ why, spec, want string }{
		{"values that are fine", "{limits: {cpu: 1, memory: 2Gi}, interval: 10m, since: '2026-01-31T12:00:00Z'}", ""},
		{"no quantity", "{limits: {cpu: 1, memory: hunter2}}",
			`line 3: spec.limits.memory: found a string, want a quantity as in "500m" or "2Gi"`},
		{"a quantity in words, beside another mistake", "{limits: {cpu: two}, name: 7}",
			"spec.name: found a whole number, want a string"},
		{"no duration", "{interval: soon}", `spec.interval: found "soon", want a duration as in "10m"`},
		{"no time", "{since: yesterday}", "spec.since: found a string, want a time as in"},
	} {
		docs, err := Parse("x.yaml", []byte("apiVersion: v1\nkind: X\nspec: "+row.spec+"\n"))
		require.Truef(t, err == nil, "%s: %v", row.why, err)
		for _, decode := range []func(any) error{docs[0].Decode, docs[0].DecodeLoose} {
			switch err := decode(&object{}); {
			case row.want == "" && err != nil, row.want != "" && (err == nil ||
				!strings.Contains(err.Error(), row.want)):
				t.Errorf("%s: got %v, want %q", row.why, err, row.want)
			case err != nil && strings.Contains(err.Error(), "hunter2"):
				t.Errorf("%s: the value is repeated: %v", row.why, err)
			}
		}
	}
}

// TestHugeQuantities: Kubernetes' decoder never comes back from some of these, so what is not refused before hangs the
// test.
func TestHugeQuantities(t *testing.T) {
	type spec struct {
		Resources corev1.ResourceRequirements `json:"resources"`
		Labels    map[string]string           `json:"labels"`
		Sizes     []*resource.Quantity        `json:"sizes"`
	}
	type object struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Spec       spec   `json:"spec"`
	}
	for _, row := range []struct{ why, spec, bad string }{
		{"what people write", "{resources: {limits: {cpu: 1, memory: 2Gi, ephemeral-storage: 1.5e3}, requests: {cpu: 100m, memory: 1E}}}", ""},
		{"a label is no number", "{labels: {commit: 1e99999999, long: '1234567890123456789012345678901234567890'}}",
			""},
		{"an exponent without end", "{resources: {limits: {memory: 1E999999999999}}}", "spec.resources.limits.memory"},
		{"below zero", "{resources: {requests: {cpu: '1e-99999999'}}}", "spec.resources.requests.cpu"},
		{"behind zeros", "{resources: {requests: {cpu: '1e0000000099999999'}}}", "spec.resources.requests.cpu"},
		{"a field in another case", "{Resources: {Limits: {memory: 1E999999999999}}}", "spec.Resources.Limits.memory"},
		{"digits without end", "{resources: {limits: {memory: '" + strings.Repeat("9", 100_000) + "'}}}",
			"spec.resources.limits.memory"},
		{"in a list", "{sizes: [1Gi, 1E999999999999]}", "spec.sizes[1]"},
	} {
		docs, err := Parse("x.yaml", []byte("apiVersion: v1\nkind: X\nspec: "+row.spec+"\n"))
		require.Truef(t, err == nil, "%s: %v", row.why, err)
		for _, decode := range []func(any) error{docs[0].Decode, docs[0].DecodeLoose} {
			err := decode(&object{})
			switch {
			case row.bad == "" && err != nil, row.bad != "" && (err == nil ||
				!strings.Contains(err.Error(), row.bad+": out of range")):
				t.Fatalf("%s: got %v, want %q", row.why, err, row.bad) // the next one may have no end
			case err != nil && len(err.Error()) > 200:
				t.Errorf("%s: the error repeats the value: %.200s", row.why, err)
			}
		}
	}
}

var perhapsHugePattern = regexp.MustCompile(`[0-9.][eE][+-]?[0-9]{4}|[0-9.]{30}`)

// FuzzPerhapsHuge holds the search by hand against the expression that says what is looked for.
func FuzzPerhapsHuge(f *testing.F) {
	for _, text := range []string{
		"1e999", "1e9999", "1E+9999", ".e-0001", "x1e12.34", "1e1e1234", "1ee1234", "1e+-1234", "e1234", "1e123.1e1234",
		"7f3a9c1e-0000", "1e-000", "1e", "1e+", "e9999",
		strings.Repeat("1.", 14) + "1", strings.Repeat("1.", 15),
		strings.Repeat("1", 29) + "e1" + strings.Repeat("2", 29), "1e12" + strings.Repeat(".", 28),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		assert.Equal(t, perhapsHugePattern.MatchString(text), perhapsHuge([]byte(text)), text)
	})
}
