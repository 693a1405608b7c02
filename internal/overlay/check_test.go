package overlay

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var replicas = operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`)

// TestJoinedPatchesAreNamedByThemselves: of patches that are joined into one the wrong one is named.
func TestJoinedPatchesAreNamedByThemselves(t *testing.T) {
	patches := []v1.Patch{replicas, operations(balancer, "- {op: add, path: /spec/minReadySeconds, value: 5}"),
		operations(balancer, `[{"op": "remove", "path": "/spec/nothing"}]`)}
	assert.Len(t, validation.JoinPatches(patches), 1, "joined")
	assert.ErrorContains(t, errors.Join(checked(t, bank(t), patches...)...), "spec.patches[2]: remove does not apply",
		"the third")
	assert.Len(t, checked(t, bank(t), patches[:2]...), 0, "the first two")
	f := bank(t).with(validation.JoinPatches(patches[:2])...)
	want, err := bank(t).with(patches[:2]...).Build()
	require.NoError(t, err)
	got, err := f.Build()
	require.NoError(t, err)
	assert.Truef(t, reflect.DeepEqual(got, want), "joined patches build other objects than each by itself")
	one, two := Work(f.Files, patches[:1]), Work(f.Files, patches[:2])
	assert.Truef(t, one > 0 && two < one+one/2, "two joined patches take %d, one takes %d", two, one)
}

// What is built is what is written: an overlay without the entry for an image, and one with fewer patches than the
// tenant has, are refused.
func TestCheckLooksAtWhatIsWritten(t *testing.T) {
	const mirror = "registry.example.org/mirror"
	f := bank(t)
	_, errs := Check(written(t, f), nil, mirror)
	assert.Len(t, errs, 0, "as it is")
	f.Kustomization.Images = f.Kustomization.Images[1:]
	_, errs = Check(written(t, f), nil, mirror)
	assert.ErrorContains(t, errors.Join(errs...), "registryMirror", "an image from elsewhere")
	_, errs = Check(written(t, bank(t)), []v1.Patch{replicas}, mirror)
	assert.ErrorContains(t, errors.Join(errs...), "0 patches, want the tenant's 1", "a patch that is not there")
}

// What Check gives is what is built of the files, with the images of the mirror and with their own names.
func TestCheckGivesWhatIsBuilt(t *testing.T) {
	const mirror = "registry.example.org/mirror"
	with := bank(t).with(replicas)
	for patches, asked := range [][]v1.Patch{nil, {replicas}} {
		got, errs := Check(written(t, with), asked, mirror)
		require.Truef(t, len(errs) <= 0, "%v", errs)
		want, err := with.Build()
		assert.Truef(t, err == nil && reflect.DeepEqual(got.Objects, want),
			"%d patches: the objects differ from what is built, %v", patches, err)
		own := with
		own.Kustomization.Images = nil
		if want, err = own.Build(); err != nil || patches > 0 && !reflect.DeepEqual(got.OwnImages, want) {
			t.Errorf("%d patches: the objects with their own images differ from what is built without the mirror, %v",
				patches, err)
		}
		if len(outsideMirror(got.OwnImages, mirror)) == 0 && patches > 0 {
			t.Error("no image has its own name")
		}
	}
}

// Who may log in by a Dex is said when it is new, and when its issuer, the servers that it asks or their rules change.
// Nothing else of it is repeated.
func TestLoginsByDex(t *testing.T) {
	const bank = "issuer: https://dex.bank.example:30556\nconnectors: [{type: ldap, id: staff, config: {host: 'ldap.example:636', bindPW: $PW}}]\n"
	for _, row := range []struct{ why, was, is, more, less string }{
		{"new", "", bank, "tokens of https://dex.bank.example:30556, users of ldap ldap.example:636", ""},
		{"gone", bank, "", "", "tokens of https://dex.bank.example:30556, users of ldap ldap.example:636"},
		{"the same", bank, bank + "expiry: {idTokens: 2h}\n", "", ""},
		{"another issuer", bank, strings.Replace(bank, "dex.bank", "login.bank", 1),
			"tokens of https://login.bank.example:30556", "tokens of https://dex.bank.example:30556"},
		{"another server", bank, strings.Replace(bank, "ldap.example", "ldap.evil.example", 1),
			"users of ldap ldap.evil.example:636", "users of ldap ldap.example:636"},
		{"another filter", bank, strings.Replace(bank, "bindPW: $PW", "bindPW: $PW, userSearch: {filter: '(x=s3cret)'}",
			1), "users of ldap ldap.example:636 (by other rules)", ""},
		{"the other kinds", "", `{issuer: https://a.example, connectors: [
  {type: oidc, config: {issuer: "https://me:s3cret@accounts.example/x?s3cret"}}, {type: saml, config: {ssoURL: "https://sso.example/s3cret"}},
  {type: github, config: {}}, {type: github, config: {hostName: git.example}}, {type: s3cret, config: {}}, {type: ldap, config: {host: "s3cret s3cret"}}, {type: oidc, config: {issuer: $S3}}]}`,
			"tokens of https://a.example, users of a connector of another type, users of github git.example, users of github github.com, users of ldap at an address that cannot be read, " +
				"users of oidc accounts.example, users of oidc at an address that cannot be read, users of saml sso.example", ""},
		{"an issuer with a password", "", "issuer: https://me:s3cret@a.example\n",
			"tokens of an issuer that is no plain URL", ""},
		{"no YAML", "", "{s3cret", "whom a configuration names that cannot be read", ""},
		{"a bomb", "", "a: &a [s3cret]\nb: [*a, *a]\n", "whom a configuration names that cannot be read", ""},
	} {
		with := func(config string) *Object {
			return &Object{Kind: "ConfigMap", Fields: map[string]any{"data": map[string]any{"config.yaml": config}}}
		}
		more, less := logins(with(row.was), with(row.is))
		assert.Equal(t, row.more, strings.Join(more, ", "), row.why)
		assert.Equal(t, row.less, strings.Join(less, ", "), row.why)
	}
}
