package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/publish"
)

// TestHintsStandWithTheirErrors: each hint follows the errors that it helps with, once, and an error that nothing helps with has none.
func TestHintsStandWithTheirErrors(t *testing.T) {
	beyond := func(words string, grantable bool) error {
		return &admit.BeyondError{Err: errors.New(words), Grantable: grantable}
	}
	err := unpushed(errors.Join(
		errors.New("a.yaml: spec.nods: unknown field"),
		beyond("b.yaml: found node port 30000, which is not granted to tenant b", true),
		beyond("c.yaml: found 9, but tenant c may have at most 5", true),
		beyond("d.yaml: spec.services.jumpHost[0].image: missing here and in the Site's spec.images.jumpHost", false),
		beyond("e.yaml: found node port 1, want one within 30000 to 32767, the site's range", false),
		&app.AskedError{Err: apierrors.NewUnauthorized("get hosts"), Context: "lab", Server: "api.example.org"},
		&app.AskedError{Err: errors.New("get secrets: no answer"), Context: "lab", Server: "api.example.org"},
		beyond("f.yaml: found node port 30001, which is not granted to tenant f", true),
		syscall.ENOSPC,
	))
	const want = `sipgen: a.yaml: spec.nods: unknown field
sipgen: b.yaml: found node port 30000, which is not granted to tenant b
sipgen: c.yaml: found 9, but tenant c may have at most 5
sipgen: hint: sipgen tenants --suggest prints the grants that the specs need
sipgen: d.yaml: spec.services.jumpHost[0].image: missing here and in the Site's spec.images.jumpHost
sipgen: e.yaml: found node port 1, want one within 30000 to 32767, the site's range
sipgen: get hosts
sipgen: hint: the API server is api.example.org (context "lab"): the credentials are wrong or have expired (--context selects another cluster)
sipgen: get secrets: no answer
sipgen: f.yaml: found node port 30001, which is not granted to tenant f
sipgen: no space left on device
sipgen: hint: the disk is full: free some space, then run it again
sipgen: nothing is pushed
`
	var out bytes.Buffer
	ui := &terminal.UI{Err: &out}
	fail(ui, newPublish(ui), err)
	if out.String() != want {
		t.Errorf("found\n%s\nwant\n%s", &out, want)
	}
}

// Where a login lacks something, the hint names the variables; every field that publish may name has some.
func TestLoginHints(t *testing.T) {
	text, err := os.ReadFile("../../publish/errors.go")
	more, moreErr := os.ReadFile("../../publish/auth.go")
	if err := errors.Join(err, moreErr); err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, part := range strings.Split(string(text)+string(more), "&SettingError{\"")[1:] {
		field, _, _ := strings.Cut(part, "\"")
		named++
		hint := hintFor(newPublish(&terminal.UI{}), fmt.Errorf("fleet.git: %w", &publish.SettingError{Field: field, Err: publish.ErrAuth}))
		if !strings.Contains(hint, "SIPGEN_") {
			t.Errorf("%s: found %q", field, hint)
		}
		if _, found := reflect.TypeFor[publish.Auth]().FieldByName(field); !found {
			t.Errorf("%s is no field of publish.Auth", field)
		}
	}
	if named < 6 {
		t.Errorf("found %d settings in the code", named)
	}
	if hint := hintFor(newPublish(&terminal.UI{}), fmt.Errorf("x: %w", forge.ErrCertificate)); !strings.Contains(hint, "SIPGEN_GIT_CA_FILE") {
		t.Errorf("a forge's certificate: found %q", hint)
	}
}
