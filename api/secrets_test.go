package api

import (
	"encoding/pem"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
)

// TestSecretsInTheOpen: a spec is committed. Whatever the field, a value or a key that is a secret beyond doubt is
// refused, with the field and without the secret.
func TestSecretsInTheOpen(t *testing.T) {
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: make([]byte, 48)}))
	indented := strings.ReplaceAll(strings.TrimSpace(key), "\n", "\n      ")
	for _, row := range []struct{ why, annotations, want string }{
		{"none", "{example.org/owner: facilities}", ""},
		{"as a value", "\n    example.org/note: |\n      " + indented, "metadata.annotations[\"example.org/note\"]: a private key in plain text"},
		{"as a key", "{'https://robot:hunter2@git.example.org': x}", "metadata.annotations: a URL with a password in plain text"},
	} {
		docs, err := manifest.Parse("a.yaml", []byte("apiVersion: "+v1.APIVersion+"\nkind: "+v1.Kind+"\nmetadata:\n  namespace: t\n  name: a\n  annotations: "+row.annotations+"\nspec: {nodes: {}}\n"))
		need.OK(t, err)
		_, err = ClustersFromDocuments(docs)
		need.Error(t, row.why, err, row.want)
		if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "BEGIN")) {
			t.Errorf("%s: the secret is repeated: %v", row.why, err)
		}
	}
}

// TestShownPath: the path of a field is printed, and a secret that was pasted as a key of it is not.
func TestShownPath(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	need.Equal(t, "", shownPath("spec.networks[0].subnet"), "spec.networks[0].subnet")
	if got := shownPath("spec.nodeLabels." + secret + "[1]"); strings.Contains(got, secret) {
		t.Errorf("found %s", got)
	}
}
