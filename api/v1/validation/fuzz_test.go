package validation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"golang.org/x/crypto/ssh"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	kyaml "sigs.k8s.io/yaml"
)

// fuzzKey is a public key that nobody has the private one of.
const fuzzKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"

// FuzzPublicKey: a key that is taken is one line of authorized_keys, by the field's own parser, that lets in who has
// the private key and nobody else: no certificate, no authority for certificates, no second key behind it.
func FuzzPublicKey(f *testing.F) {
	for _, line := range []string{fuzzKey, fuzzKey + " a comment", `command="id" ` + fuzzKey,
		`from="*",no-pty ` + fuzzKey, fuzzKey + "\n" + fuzzKey, "@cert-authority * " + fuzzKey,
		"no-pty,Cert-Authority " + fuzzKey,
		"ssh-ed25519-cert-v01@openssh.com AAAA", "# " + fuzzKey, "ssh-rsa AAAA", "\t" + fuzzKey, fuzzKey + "\u2028x",
		"ssh-dss AAAAB3NzaC1kc3M="} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var found []FieldError
		checkPublicKey(complaints{"key", &found}, line)
		for _, complaint := range found {
			if len(line) > 40 && strings.Contains(complaint.Message, line[:40]) {
				t.Errorf("the key is repeated: %s", complaint)
			}
		}
		if len(found) > 0 {
			return
		}
		key, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(strings.TrimSpace(line)))
		switch {
		case err != nil || len(rest) > 0:
			t.Fatalf("%q is taken: rest %q, %v", line, rest, err)
		case len(options) > 0:
			t.Errorf("%q is taken with the options %q", line, options)
		case strings.Contains(key.Type(), "cert"), key.Type() == "ssh-dss":
			t.Errorf("%q is taken, a key of type %s", line, key.Type())
		case strings.ContainsFunc(strings.TrimSpace(line), unicode.IsControl):
			t.Errorf("%q is taken, with a control character", line)
		}
		// What sshd reads first is the type, in the clear.
		assert.Equal(t, key.Type(), strings.Fields(line)[0], line)
	})
}

// FuzzPatch: a patch that is taken is read alike by the libraries that apply it, has no operation that copies or moves
// and no directive but $patch; and one that is refused is refused without its values.
func FuzzPatch(f *testing.F) {
	for _, text := range []string{
		"- {op: add, path: /spec/replicas, value: 3}", "- {op: copy, from: /a, path: /b}",
		`[{"op":"test","path":"/a","value":{"$patch":"delete"}}]`,
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {$patch: replace}", "a: &a [x]\nb: *a",
		"a: 1\n---\nb: 2", "$setElementOrder/x: []",
		"metadata: {annotations: {config.kubernetes.io/function: x}}",
		"- op: replace\n  path: /a~1b~0c\n  value: !!binary aGk=", "? [a]\n: b", "<<: {a: b}", "- OP: move", "",
		"- {op: move, OP: add, from: /a, path: /b}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if CheckPatch(text) != nil {
			return
		}
		require.Truef(t, len(text) <= MaxPatchBytes, "%d bytes are taken", len(text))
		raw, err := kyaml.YAMLToJSON([]byte(text))
		if err != nil {
			return // kustomize refuses it as well
		}
		var value any
		require.NoError(t, json.Unmarshal(raw, &value))
		assert.Empty(t, directives(value), text)
		if _, isList := value.([]any); !isList {
			return
		}
		operations, err := jsonpatch.DecodePatch(raw)
		if err != nil {
			return
		}
		for _, operation := range operations {
			assert.Truef(t, slices.Contains([]string{"add", "remove", "replace", "test"}, operation.Kind()),
				"%q is taken: it has the operation %q", text, operation.Kind())
			path, err := operation.Path()
			assert.Truef(t, err == nil && strings.HasPrefix(path, "/"), "%q is taken: path %q, %v", text, path, err)
		}
	})
}

func directives(value any) string {
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			if strings.HasPrefix(key, "$") && key != "$patch" || strings.Contains(key, "config.kubernetes.io/") {
				return fmt.Sprintf("it has the key %q", key)
			}
			if problem := directives(field); problem != "" {
				return problem
			}
		}
	case []any:
		for _, item := range value {
			if problem := directives(item); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// FuzzConnector: whatever a connector's config is, no complaint repeats a secret, and what is taken has its secrets as
// variables of env, in every field that Dex would read one from: it reads names without regard to case.
func FuzzConnector(f *testing.F) {
	for _, config := range []string{
		`{"clientID":"a","clientSecret":"%s","issuer":"https://x","redirectURI":"https://dex.example/callback"}`,
		`{"clientSecret":"$CLIENT_SECRET"}`, `{"ClientSecret":"%s"}`,
		`{"bindPW":["%s"]}`, `{"userSearch":{"bindPW":"%s"}}`, `{"bindPW":"$CLIENT_SECRET%s"}`, `{"host":"%s$"}`,
		`{"rootCAData":"%s"}`, `{"orgs":[{"name":"%s","secret":"%s"}]}`, `[]`,
		`{"clientID":"a","clientSecret":"${CLIENT_SECRET}","issuer":"https://x","redirectURI":"https://dex.example/callback","clientſecret":"%s"}`,
	} {
		for _, kind := range []string{"oidc", "ldap", "github", "saml"} {
			f.Add(kind, config)
		}
	}
	f.Fuzz(func(t *testing.T, kind, config string) {
		const secret = "Tr0ub4dor&3xyz"
		var value any
		if yaml.Unmarshal([]byte(strings.ReplaceAll(config, "%s", secret)), &value) != nil {
			return
		}
		raw, err := json.Marshal(map[string]any{"type": kind, "id": "a", "name": "A", "config": value})
		if err != nil {
			return
		}
		var found []FieldError
		dex := &v1.Dex{Issuer: "https://dex.example"}
		validateConnector(dex, complaints{"connectors[0]", &found}, raw, 0, map[string]int{},
			map[string]bool{"CLIENT_SECRET": true})
		for _, complaint := range found {
			assert.NotContains(t, complaint.Error(), secret, "the secret is repeated")
		}
		if len(found) > 0 {
			return
		}
		var taken struct {
			Config struct{ ClientSecret, BindPW any }
		}
		if err := json.Unmarshal(raw, &taken); err != nil { // by the rules of encoding/json, as Dex does
			t.Fatal(err)
		}
		for _, field := range []any{taken.Config.ClientSecret, taken.Config.BindPW} {
			if text, isText := field.(string); field != nil && (!isText ||
				text != "$CLIENT_SECRET" && text != "${CLIENT_SECRET}") {
				t.Errorf("%s %s is taken, with the secret %q", kind, raw, field)
			}
		}
	})
}
