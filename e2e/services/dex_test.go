package services

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	certutil "k8s.io/client-go/util/cert"
	"sigs.k8s.io/yaml"
)

const dexName = "dex-" + cluster

// dexProgram builds e2e/engines/dex.
var dexProgram = engine.Shared(func(t testing.TB) string {
	path, err := engine.Keep(t, "dex", filepath.Join("..", "engines", "dex"), ".")
	if err != nil && strings.Contains(err.Error(), "dial tcp") {
		need.Missing(t, "the real Dex: %v", err)
	}
	require.NoError(t, err)
	return path
})

// dexServer is an issuer with a certificate of its own.
type dexServer struct {
	issuer    string
	listen    string
	cert, key []byte
}

func newDexServer(t *testing.T) dexServer {
	t.Helper()
	cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	require.NoError(t, err)
	listen := need.Address(t)
	return dexServer{"https://" + listen, listen, cert, key}
}

func (d dexServer) client(t *testing.T, others ...dexServer) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	for _, server := range append(others, d) {
		pool.AppendCertsFromPEM(server.cert)
	}
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

// run starts Dex with a configuration file and waits for its discovery document.
func (d dexServer) run(t *testing.T, config []byte, kubeconfig string, env ...string) *running {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string][]byte{"config.yaml": config, "tls.crt": d.cert, "tls.key": d.key} {
		write(t, filepath.Join(dir, name), content, 0o600)
	}
	cmd := exec.Command(dexProgram(t), "-config", filepath.Join(dir, "config.yaml"), "-listen", d.listen,
		"-tls-cert", filepath.Join(dir, "tls.crt"), "-tls-key", filepath.Join(dir, "tls.key"), "-kubeconfig",
		kubeconfig)
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"), "HOME="+dir)
	dex := start(t, cmd)
	eventually(t, "discovery at "+d.issuer, func() error {
		text, err := get(d.client(t), d.issuer+"/.well-known/openid-configuration")
		if err != nil {
			return err
		}
		var document struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			return engine.Final(err)
		}
		if document.Issuer != d.issuer {
			return engine.Final(fmt.Errorf("issuer %s, want %s", document.Issuer, d.issuer))
		}
		keys, err := get(d.client(t), document.Keys)
		if err == nil && !strings.Contains(keys, `"kty"`) {
			err = errNotYet
		}
		return err
	})
	return dex
}

// upstream is the company's identity provider: Dex again, whose users all are one.
func upstream(t *testing.T, downstream dexServer, secret string) dexServer {
	t.Helper()
	d := newDexServer(t)
	config, err := yaml.Marshal(map[string]any{
		"issuer": d.issuer, "storage": map[string]any{"type": "memory"}, "expiry": map[string]any{"idTokens": "1h"},
		"oauth2": map[string]any{"skipApprovalScreen": true},
		"staticClients": []any{map[string]any{"id": "dex", "name": "Dex", "secretEnv": "CLIENT_SECRET",
			"redirectURIs": []any{downstream.issuer + "/callback"}}},
		"connectors": []any{map[string]any{"type": "mockCallback", "id": "mock", "name": "Mock",
			"config": map[string]any{}}},
	})
	require.NoError(t, err)
	d.run(t, config, "", "CLIENT_SECRET="+secret)
	return d
}

func dexServices(d, up dexServer) v1.Services {
	connector, _ := json.Marshal(map[string]any{"type": "oidc", "id": "company", "name": "Company",
		"config": map[string]any{
			"issuer": up.issuer, "clientID": "dex", "clientSecret": "$UPSTREAM_SECRET",
			"redirectURI": d.issuer + "/callback",
			"scopes":      []any{"profile", "email", "groups"}, "insecureEnableGroups": true,
			"rootCAs": []any{base64.StdEncoding.EncodeToString(up.cert)},
		}})
	return v1.Services{Dex: []v1.Dex{{
		Issuer: d.issuer, TLS: v1.DexTLS{SecretName: "dex-tls", CA: string(d.cert)},
		Connectors: []apiextensionsv1.JSON{{Raw: connector}},
		StaticClients: []v1.DexClient{{ID: "kubernetes", Public: true,
			RedirectURIs: []string{"http://localhost:8000"}}},
		Env: []v1.SecretEnv{{Name: "UPSTREAM_SECRET",
			SecretRef: v1.SecretKeyRef{Name: "company", Key: "secret"}}},
	}}}
}

// A person logs in at the company's provider, and the tenant's API server knows who it is: Dex from the rendered
// configuration with its state in a real API server under the rendered rights, and a second API server with the
// rendered AuthenticationConfiguration.
func TestLoginThroughDexReachesTheTenant(t *testing.T) {
	t.Parallel()
	management := server(t)
	d := newDexServer(t)
	up := upstream(t, d, "upstream")
	in := input(dexServices(d, up), v1.RoleWorker)
	in.Cluster.Namespace = "login"
	files := overlay(t, in)

	kubeconfig := inCluster(t, management, in, files)
	d.run(t, files[dexName+"/config.yaml"], kubeconfig, "UPSTREAM_SECRET=upstream")

	idToken := login(t, d.client(t, up), d.issuer, "kubernetes", "http://localhost:8000")

	// Both issuers in one configuration: a server takes many.
	unprefixed := newIssuer(t)
	_, more, _ := strings.Cut(string(emptyPrefixes(t, unprefixed)), "\njwt:\n")
	more, _, _ = strings.Cut(more, "kind: ")
	authentication, ca := filepath.Join(t.TempDir(), "authentication.yaml"), filepath.Join(t.TempDir(), "issuer-ca.crt")
	write(t, ca, files[dexName+"/tenant/issuer-ca.crt"], 0o600)
	flags := replaceOnce(t, string(files[dexName+"/tenant/kube-apiserver-flags.txt"]),
		"/etc/kubernetes/oidc/issuer-ca.crt", ca)
	both := replaceOnce(t, string(files[dexName+"/tenant/authentication.yaml"]), "\njwt:\n", "\njwt:\n"+more)
	write(t, authentication, []byte(both), 0o600)
	for _, row := range []struct {
		why     string
		options engine.Options
	}{
		{"by the AuthenticationConfiguration", engine.Options{AuthenticationConfig: authentication}},
		{"by the flags", engine.Options{Flags: strings.Fields(flags)}},
	} {
		t.Run(row.why, func(t *testing.T) {
			tenant := engine.StartAPIServer(t, row.options)
			// kube-apiserver reads the issuer's keys in the background.
			eventually(t, "the tenant's API server knows the token", func() error {
				user, groups, err := whoAmI(tenant.WithToken(idToken))
				if err != nil {
					return err
				}
				if user != "oidc:kilgore@kilgore.trout" || !slices.Contains(groups, "oidc:authors") {
					return engine.Final(fmt.Errorf("the API server takes the token for %s of %v", user, groups))
				}
				return nil
			})
			_, _, err := whoAmI(tenant.WithToken(idToken + "x"))
			assert.Truef(t, err != nil, "a token with another signature is accepted")
			if row.options.AuthenticationConfig != "" {
				wantNoneOfKubernetesOwn(t, tenant, unprefixed)
			}
		})
	}
}

// inCluster makes what the rendered Dex finds in its cluster, and returns the kubeconfig of its account.
func inCluster(t *testing.T, management *engine.APIServer, in infra.Input,
	files map[string][]byte) (kubeconfig string) {
	t.Helper()
	management.Namespaces(t, in.Cluster.Namespace)
	site, err := infra.SiteObjects(in.Site, []v1.SIPCluster{*in.Cluster})
	require.NoError(t, err)
	definitions := filepath.Join(t.TempDir(), "dex-crds.yaml")
	write(t, definitions, site["dex-crds.yaml"], 0o600)
	management.InstallCRDs(t, definitions)
	for _, o := range append(objects(t, files[dexName+".yaml"], "ServiceAccount"), rights(t, in, dexName)...) {
		require.NoError(t, management.TryApply(o, "e2e", false))
	}
	account := management.ServiceAccount(t, in.Cluster.Namespace, dexName)
	kubeconfig = engine.Kubeconfig(t, account) // which names no namespace
	text := strings.Replace(string(need.Read(t, kubeconfig)), "    user:",
		"    namespace: "+in.Cluster.Namespace+"\n    user:", 1)
	write(t, kubeconfig, []byte(text), 0o600)
	return kubeconfig
}

// verifier is that of PKCE.
const verifier = "a-verifier-that-is-long-enough-for-the-rfc-and-then-some"

// loginQuery is with what a login begins.
func loginQuery(clientID, redirect string) string {
	sum := sha256.Sum256([]byte(verifier))
	return url.Values{
		"client_id": {clientID}, "redirect_uri": {redirect}, "response_type": {"code"},
		"scope": {"openid email profile groups"}, "state": {"s"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode()
}

// login is the authorization code flow with PKCE, as kubelogin does it, up to the ID token.
func login(t *testing.T, client *http.Client, issuer, clientID, redirect string) string {
	t.Helper()
	var code string
	client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), redirect) {
			code = r.URL.Query().Get("code")
			return http.ErrUseLastResponse
		}
		return nil
	}
	response, err := client.Get(issuer + "/auth?" + loginQuery(clientID, redirect))
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	require.Truef(t, code == "", "nobody was asked whether the client may have what it asks for")
	// The person says yes. The form goes to where it came from.
	response, err = client.PostForm(response.Request.URL.String(),
		url.Values{"req": {response.Request.URL.Query().Get("req")}, "approval": {"approve"}})
	require.NoError(t, err)
	body, _ := io.ReadAll(response.Body)
	response.Body.Close()
	require.Truef(t, code != "", "no code: %s at %s\n%s", response.Status, response.Request.URL, body)
	response, err = client.PostForm(issuer+"/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect}, "client_id": {clientID},
		"code_verifier": {verifier},
	})
	require.NoError(t, err)
	defer response.Body.Close()
	var tokens struct {
		IDToken string `json:"id_token"`
	}
	err = json.NewDecoder(response.Body).Decode(&tokens)
	require.Truef(t, err == nil && tokens.IDToken != "", "no ID token: %s, %v", response.Status, err)
	return tokens.IDToken
}

// whoAmI asks the API server for whom it takes the caller.
func whoAmI(config *rest.Config) (string, []string, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return "", nil, err
	}
	reviews := authenticationv1.SchemeGroupVersion.WithResource("selfsubjectreviews")
	review := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": reviews.GroupVersion().String(), "kind": "SelfSubjectReview"}}
	answer, err := client.Resource(reviews).Create(context.Background(), review, metav1.CreateOptions{})
	if err != nil {
		return "", nil, err
	}
	var reviewed authenticationv1.SelfSubjectReview
	err = runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object, &reviewed)
	return reviewed.Status.UserInfo.Username, reviewed.Status.UserInfo.Groups, err
}

// What is rendered beside connectors and clients, which Dex's own types decode strictly, is known to Dex's command,
// whose types cannot be imported.
func TestDexKnowsTheFields(t *testing.T) {
	d, up := dexServer{issuer: "https://dex.example"}, dexServer{issuer: "https://company.example"}
	services := dexServices(d, up)
	services.Dex[0].TLS.CA = ""
	files := overlay(t, input(services, v1.RoleWorker))
	var config map[string]any
	require.NoError(t, yaml.Unmarshal(files[dexName+"/config.yaml"], &config))
	source := string(need.Read(t, filepath.Join(engine.ModuleDir(t, "dex", "github.com/dexidp/dex"), "cmd", "dex",
		"config.go")))
	known := func(kind, field string) {
		_, fields, found := strings.Cut(source, "\ntype "+kind+" struct {\n")
		fields, _, _ = strings.Cut(fields, "\n}\n")
		assert.Truef(t, found && regexp.MustCompile("`json:\""+field+"[\",]").MatchString(fields),
			"Dex's type %s has no %s", kind, field)
	}
	kinds := map[string]string{"web": "Web", "telemetry": "Telemetry", "expiry": "Expiry", "oauth2": "OAuth2",
		"storage": "Storage"}
	for key, value := range config {
		known("Config", key)
		section, _ := value.(map[string]any)
		for field := range section {
			known(kinds[key], field)
		}
	}
}
