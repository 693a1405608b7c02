package services

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// issuer is an identity provider that signs whatever it is asked to.
type issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := key.PublicKey.Bytes() // 4, X and Y
	require.NoError(t, err)
	i := &issuer{key: key}
	answer := func(w http.ResponseWriter, value any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []any{map[string]any{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig",
			"kid": "k", "x": unpadded(point[1:33]), "y": unpadded(point[33:])}}})
	})
	i.Server = httptest.NewTLSServer(mux)
	t.Cleanup(i.Close)
	return i
}

func unpadded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// token is an ID token with these claims beside the usual ones.
func (i *issuer) token(t *testing.T, claims map[string]any) string {
	t.Helper()
	all := map[string]any{"iss": i.URL, "aud": "kubernetes", "sub": "x", "exp": time.Now().Add(time.Hour).Unix(),
		"iat": time.Now().Unix()}
	for name, value := range claims {
		all[name] = value
	}
	header, _ := json.Marshal(map[string]any{"alg": "ES256", "kid": "k"})
	body, err := json.Marshal(all)
	require.NoError(t, err)
	text := unpadded(header) + "." + unpadded(body)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, i.key, sum[:])
	require.NoError(t, err)
	return text + "." + unpadded(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

// emptyPrefixes is the rendered AuthenticationConfiguration for an issuer whose users and groups have no prefixes.
func emptyPrefixes(t *testing.T, i *issuer) []byte {
	t.Helper()
	empty := ""
	services := dexServices(dexServer{issuer: i.URL,
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.Certificate().Raw})},
		dexServer{issuer: "https://company.example"})
	services.Dex[0].Kubernetes = &v1.DexKubernetes{UsernameClaim: "name", UsernamePrefix: &empty, GroupsPrefix: &empty}
	return overlay(t, input(services, v1.RoleWorker))[dexName+"/tenant/authentication.yaml"]
}

// wantNoneOfKubernetesOwn: with empty prefixes whoever names people and groups at the identity provider would name
// members of system:masters and the API server's own components: a real API server refuses such tokens by the rendered
// rules, and takes all others.
func wantNoneOfKubernetesOwn(t *testing.T, tenant *engine.APIServer, i *issuer) {
	t.Helper()
	for _, row := range []struct {
		why    string
		claims map[string]any
		user   string // empty: it is refused
		groups []string
	}{
		{"a user of a group", map[string]any{"name": "kilgore", "groups": []string{"authors"}}, "kilgore",
			[]string{"authors"}},
		{"a user of no group", map[string]any{"name": "kilgore"}, "kilgore", nil},
		{"a user of an empty list of groups", map[string]any{"name": "kilgore", "groups": []string{}}, "kilgore", nil},
		{"words that are like it", map[string]any{"name": "the system:admin",
			"groups": []string{"System:masters", "systems"}}, "the system:admin",
			[]string{"System:masters", "systems"}},
		{"a group that may do everything", map[string]any{"name": "kilgore", "groups": []string{"system:masters"}}, "",
			nil},
		{"such a group among others", map[string]any{"name": "kilgore",
			"groups": []string{"authors", "system:masters"}}, "", nil},
		{"such a group alone, as a text", map[string]any{"name": "kilgore", "groups": "system:masters"}, "", nil},
		{"a user who is a component of Kubernetes",
			map[string]any{"name": "system:kube-scheduler", "groups": []string{"authors"}}, "", nil},
	} {
		token := i.token(t, row.claims)
		check := func() error {
			user, groups, err := whoAmI(tenant.WithToken(token))
			switch {
			case row.user == "" && err == nil:
				return engine.Final(fmt.Errorf("%s: the API server takes it for %s of %v", row.why, user, groups))
			case row.user == "" && apierrors.IsUnauthorized(err):
				return nil
			case err != nil:
				return err
			}
			if user != row.user || !slices.Equal(groups, append(row.groups, "system:authenticated")) {
				return engine.Final(fmt.Errorf("%s: got user %s of %v", row.why, user, groups))
			}
			return nil
		}
		// kube-apiserver reads the issuer's keys in the background; the first row waits for that.
		eventually(t, row.why, check)
	}
}
