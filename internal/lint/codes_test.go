package lint

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestEveryCodeHasARow(t *testing.T) {
	var text []byte
	for _, file := range []string{"lint_test.go", "fleet_test.go", "grants_test.go"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, content...)
	}
	for _, code := range Codes() {
		if !strings.Contains(string(text), `"`+code.Code+` error `) && !strings.Contains(string(text), `"`+code.Code+` warning `) && !strings.Contains(string(text), "`"+code.Code+" error ") {
			t.Errorf("%s has no row", code.Code)
		}
	}
}

// docs/lint.md has a section for every code, with its title, and none for another.
func TestCodesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, code := range Codes() {
		want = append(want, code.Code)
		if !strings.Contains(string(text), "## "+code.Code+"\n\n**"+code.Title+".**") {
			t.Errorf("%s has no section that begins with its title, %q", code.Code, code.Title)
		}
	}
	var got []string
	for _, match := range regexp.MustCompile(`(?m)^## (SIP.*)$`).FindAllStringSubmatch(string(text), -1) {
		got = append(got, match[1])
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("sections %q\nwant %q", got, want)
	}
}
