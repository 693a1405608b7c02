package finding

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xeipuuv/gojsonschema"
)

// evil is what somebody could put into a spec to make a reviewer's tools say something else.
const evil = "x%0A::error::owned\n::error file=a::second\r##[error]third \x1b[31m \u202e,y:z"

func hostile(n int) []Finding {
	var out []Finding
	for i := range n {
		f := Finding{Code: "SIP006", Severity: Error,
			Place:  Place{File: "specs,a:b%\n::error::c.yaml", Document: 1, Line: i + 1},
			Object: To("SIPCluster", "", evil), Field: evil, Message: evil, Fix: evil}
		out = append(out, f.OnOneLine())
	}
	return out
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out))
	return out.String()
}

func TestNothingBreaksOutOfAnAnnotation(t *testing.T) {
	head := regexp.MustCompile(`^::error file=specs%2Ca%3Ab%25 %3A%3Aerror%3A%3Ac.yaml,line=\d+,title=sipgen lint SIP006::`)
	for _, line := range strings.Split(strings.TrimSpace(written(t,
		func(w io.Writer) error { return GitHub(w, hostile(3)) })), "\n") {
		assert.Truef(t,
			head.MatchString(line) && !strings.Contains(line, "##[") && !strings.ContainsAny(line, "\r\x1b"),
			"found %q", line)
		assert.NotContains(t, regexp.MustCompile(`%(25|0A|0D|3A|2C)`).ReplaceAllString(line, ""), "%", line)
	}
}

// GitHub keeps ten annotations of a level; the others stand in the log, where no line is a command.
func TestAnnotationsBeyondTenAreInTheLog(t *testing.T) {
	for n, want := range map[int]int{10: 10, 40: 10} {
		out := written(t, func(w io.Writer) error { return GitHub(w, hostile(n)) })
		commands, plain := 0, 0
		for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
			switch {
			case strings.HasPrefix(line, "::"):
				commands++
			case strings.HasPrefix(line, "- ") && !strings.Contains(line, "##["):
				plain++
			default:
				t.Errorf("found %q", line)
			}
		}
		if left := n - 10; commands != want ||
			left > 0 && (plain != left+1 || !strings.Contains(out, strconv.Itoa(left+1)+" more are in the log")) {
			t.Errorf("%d findings: %d commands, %d lines", n, commands, plain)
		}
	}
}

func TestNothingReachesTheTerminal(t *testing.T) {
	out := written(t, func(w io.Writer) error { return Human(w, hostile(1), false) })
	assert.Truef(t, strings.Count(out, "\n") == 2 && !strings.ContainsAny(out, "\r\x1b\u202e"), "found %q", out)
}

// The schema is that of OASIS: docs.oasis-open.org/sarif/sarif/v2.1.0/errata01.
func TestSARIFIsValid(t *testing.T) {
	text := need.Read(t, "testdata/sarif-schema-2.1.0.json")
	schema := need.Value(gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text)))(t)
	elsewhere := Finding{Code: "SIP005", Severity: Warning, Place: Place{Source: "cluster"},
		Object: To("SIPCluster", "a", "a"), Message: "m", Fix: "n"}
	for name, findings := range map[string][]Finding{"none": nil, "some": append(hostile(2), elsewhere)} {
		text := written(t, func(w io.Writer) error { return SARIF(w, findings, "v1.2.3") })
		result := need.Value(schema.Validate(gojsonschema.NewStringLoader(text)))(t)
		for _, problem := range result.Errors() {
			t.Errorf("%s: %s", name, problem)
		}
		var back struct {
			Runs []struct{ Results []json.RawMessage }
		}
		if err := json.Unmarshal([]byte(text), &back); err != nil || len(back.Runs) != 1 ||
			len(back.Runs[0].Results) != len(findings) {
			t.Errorf("%s: want one run with %d results: %v", name, len(findings), err)
		}
	}
}

func TestJSONIsAList(t *testing.T) {
	if got := written(t, func(w io.Writer) error {
		return JSON(w,
			nil)
	}); got != "{\n  \"apiVersion\": \"sipgen.airshipit.org/v1alpha1\",\n  \"kind\": \"Findings\",\n  \"findings\": []\n}\n" {
		t.Errorf("found %q", got)
	}
	var back struct {
		APIVersion, Kind string
		Findings         []struct {
			Code, Object, Field, Message, Fix string
			Severity                          Severity
			Place                             Place
		}
	}
	decoder := json.NewDecoder(strings.NewReader(written(t, func(w io.Writer) error { return JSON(w, hostile(1)) })))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&back))
	require.Truef(t, len(back.Findings) == 1, "found %d findings, want 1", len(back.Findings))
	got, want := back.Findings[0], hostile(1)[0]
	assert.Equal(t, []string{want.Code, want.Object.String(), want.Field, want.Message, want.Fix},
		[]string{got.Code, got.Object, got.Field, got.Message, got.Fix}, "the texts")
	assert.Equal(t, want.Severity, got.Severity, "the severity")
	assert.Equal(t, want.Place, got.Place, "the place")
}

// TestTable: each code has its words, and none stands twice.
func TestTable(t *testing.T) {
	var all []string
	for _, c := range Codes() {
		all = append(all, c.Code)
		for _, words := range []string{c.Title, c.Meaning, c.Remedy, Remedy(c.Code), string(c.Severities)} {
			assert.NotEmpty(t, words, c.Code)
		}
		assert.Truef(t, strings.HasSuffix(c.Meaning, ".") && strings.HasSuffix(c.Remedy, "."),
			"%s: want sentences, found %q and %q", c.Code, c.Meaning, c.Remedy)
	}
	assert.Truef(t,
		slices.IsSorted(all) && len(slices.Compact(slices.Clone(all))) == len(all) && Find("SIP001") != nil &&
			Find("SIP041") == nil,
		"codes %q", all)
	for _, code := range []string{NodePort, Blind} {
		assert.Truef(t, Find(code) != nil, "%s has no row", code)
	}
}

// TestFold: a list that is folded says how much is missing, and one that fits is whole.
func TestFold(t *testing.T) {
	all := []Finding{{Code: Object, Object: Ref{Name: "a"}}, {Code: Object, Object: Ref{Name: "b"}},
		{Code: Object, Object: Ref{Name: "c"}}}
	got := Fold(all, 1, "see lint")
	assert.Truef(t, len(got) == 2 && got[0] == all[0] && got[1].String() == "SIP026: 2 more: see lint", "found %v", got)
	assert.Equal(t, all, Fold(all, 3, "see lint"))
}
