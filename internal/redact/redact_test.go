package redact

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

func TestValueShowsWhatLooksLikeAName(t *testing.T) {
	for _, shown := range []string{
		"", "edge-a", "../../edge-a", "fluxx", "sip.airshipit.org/cluster-namespace", "10.40.1.999", "2001:db8::/33",
		"fe80::1:2",
		"52:54:00:12:34:56", "registry.example.org:5000/team/haproxy:3.2.1-alpine", "localhost:5000/haproxy",
		"haproxy:3.2", "http://dex.example.org:30556/dex/",
		"git@git.example.org:team/fleet.git", "loadBalancerControlPlane", "r12n3cp", "r1n1c2s3b4x5y6z7", "Wörker",
		"a, b",
		"requiredDuringSchedulingIgnoredDuringExecution"[:40], "name with blanks", "--filename", "v1alpha1",
		"rack in (r1, r2),flavor=worker", "system:serviceaccounts",
	} {
		assert.Equal(t, fmt.Sprintf("%q", shown), Value(shown), shown)
	}
	for _, c := range []struct{ value, why string }{
		{"Tr0ub4dor&3", "a password has punctuation"},
		{"admin:hunter2", "a login"},
		{"admin:Hunter-2.x", "a login"},
		{"https://f00baa@git.example.org", "a token in an address"},
		{"//admin:hunter2@git.example.org", "a login in an address without a scheme"},
		{"4f5e6a7b8c9d0e1f2a3b4c5d6e7f8091", "hex"},
		{"aB3dE6gH9jK2mN5pQ8", "base62"},
		{"prefix-aB3dE6gH9jK2mN5pQ8.suffix", "base62 among other things"},
		{"4111111111111111", "many digits"},
		{"KxGTPmLqWzvRnJtYbHdFcSaQ", "letters at random"},
		{strings.Repeat("word ", 30), "long"},
		{"line\nline", "more than one line"},
		{"https://dex.example.org/?token=x", "a query"},
		{"cGFzc3dvcmQ=", "base64"},
	} {
		if found := Value(c.value); !strings.HasSuffix(found, "characters (not shown)") ||
			strings.Contains(found, c.value) {
			t.Errorf("%q: found %s: %s", c.value, found, c.why)
		}
	}
	assert.Equal(t, "a value of 1,679 characters (not shown)", Value(strings.Repeat("é", 1679)))
}

// privateKeys are real ones, as the libraries and the programs that people use write them.
func privateKeys(t *testing.T) map[string][]byte {
	t.Helper()
	keys := map[string][]byte{}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	rsaKey := oneRSAKey()
	for name, key := range map[string]any{"Ed25519": edKey, "ECDSA": ecKey, "RSA": rsaKey} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		keys["PKCS 8 "+name] = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
		block, err := ssh.MarshalPrivateKey(key, "")
		require.NoError(t, err)
		keys["OpenSSH "+name] = pem.EncodeToMemory(block)
	}
	der, err := x509.MarshalECPrivateKey(ecKey)
	require.NoError(t, err)
	keys["SEC 1"] = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	keys["PKCS 1"] = pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)})
	if keygen, err := exec.LookPath("ssh-keygen"); err == nil {
		for _, form := range []string{"RFC4716", "PKCS8", "PEM"} {
			file := filepath.Join(t.TempDir(), "key")
			need.Output(t, exec.Command(keygen, "-q", "-t", "ecdsa", "-m", form, "-N", "locked", "-f", file))
			keys["ssh-keygen, with a passphrase, "+form], err = os.ReadFile(file)
			require.NoError(t, err)
		}
	}
	return keys
}

// forms are ways in which one text stands in another.
func forms(text string) map[string]string {
	quoted, _ := json.Marshal(text)
	return map[string]string{
		"as it is":               text,
		"in JSON":                string(quoted),
		"quoted by Go":           fmt.Sprintf("%q", text),
		"base64":                 base64.StdEncoding.EncodeToString([]byte(text)),
		"base64 for URLs":        base64.RawURLEncoding.EncodeToString([]byte(text)),
		"base64 twice":           base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(text)))),
		"base64 of a line more":  base64.StdEncoding.EncodeToString([]byte("# key\n" + text)),
		"base64 folded to lines": regexp.MustCompile(`.{76}`).ReplaceAllString(base64.StdEncoding.EncodeToString([]byte(text)), "$0\n"),
	}
}

func TestFindKnowsPrivateKeys(t *testing.T) {
	for name, key := range privateKeys(t) {
		texts := forms(string(key))
		if block, _ := pem.Decode(key); !strings.Contains(name, "passphrase") {
			texts["its base64 without the lines around it"] = base64.StdEncoding.EncodeToString(block.Bytes)
		}
		for form, text := range texts {
			kind, found := Find("key: " + text)
			assert.Truef(t, found && kind == "a private key", "%s, %s: found %q", name, form, kind)
			shown := Value(text)
			assert.Truef(t, shown == "a private key (not shown)", "%s, %s: shown as %s", name, form, shown)
		}
	}
	for name, key := range map[string]string{
		"cut off":  "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU",
		"on a row": `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n`,
		"PGP":      "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----",
		"PuTTY":    "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\nAAAAIJ",
		"age":      "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ",
	} {
		kind, found := Find(key)
		assert.Truef(t, found, "%s: found %q", name, kind)
		if text := Text("before " + key); text != "before ***" && !strings.HasPrefix(text, "before ***") ||
			strings.Contains(text, "MII") || strings.Contains(text, "AAAAIJ") {
			t.Errorf("%s: left %q", name, text)
		}
	}
}

func TestFindKnowsLogins(t *testing.T) {
	for text, want := range map[string]bool{
		"clone https://robot:hunter2@git.example.org/fleet.git": true, "redis://:hunter2@cache:6379": true,
		"ssh://git@git.example.org/fleet.git": false,
		"https://git.example.org/fleet.git":   false, "https://git.example.org/a:b@c": false,
	} {
		if kind, found := Find(text); found != want || found && kind != "a URL with a password" {
			t.Errorf("%s: found %q", text, kind)
		}
	}
}

// The examples are put together here, so that no scanner takes this file for a leak.
func TestFindKnowsTokens(t *testing.T) {
	random := "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"
	for name, token := range map[string]string{
		"GitHub, classic": "gh" + "p_" + random, "GitHub, fine-grained": "github" + "_pat_11AAAAAAA0" + random,
		"GitLab": "gl" + "pat-" + random[:20], "GitLab, of a job": "gl" + "cbt-64_" + random[:20],
		"AWS": "AK" + "IA" + "IOSFODNN7EXAMPLE", "Slack": "xo" + "xb-17653672481-19874698323-" + random[:24],
		"Google": "AI" + "za" + random[:35], "Vault": "hv" + "s." + random[:24],
		"Docker": "dckr" + "_pat_" + random[:27],
		// RFC 7519, section 3.1, and as Kubernetes' service accounts have it.
		"JWT": "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9" +
			".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
		"a URL": "postgres" + "://dex:hunter2@db.example.org/dex",
	} {
		for form, text := range forms(token) {
			if len(text) < 40 && strings.HasPrefix(form, "base64") {
				continue // too short to be told from a name
			}
			kind, found := Find("x=" + text)
			assert.Truef(t, found, "%s, %s: not found, %q", name, form, kind)
			page := Text(`{"message":"bad ` + text + ` here"}`)
			for _, word := range []string{token, "hunter2"} {
				assert.NotContains(t, page, word, name+", "+form)
			}
		}
	}
}

func TestFindLeavesWhatIsPublic(t *testing.T) {
	der, err := x509.MarshalPKIXPublicKey(&oneRSAKey().PublicKey)
	require.NoError(t, err)
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	line, err := ssh.NewPublicKey(&oneRSAKey().PublicKey)
	require.NoError(t, err)
	for _, text := range []string{
		string(public), base64.StdEncoding.EncodeToString(public), string(ssh.MarshalAuthorizedKey(line)),
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"550e8400-e29b-41d4-a716-446655440000",
		"ssh://git@git.example.org/fleet.git", "redfish+https://10.0.0.1/redfish/v1/Systems/1",
		"/very/long/path/of/a/file/that/lies/in/many/folders/and/has/a/name", strings.Repeat("A", 5000),
	} {
		kind, found := Find(text)
		assert.Truef(t, !found, "%.60q: found %s", text, kind)
		assert.Equal(t, text, Text(text))
	}
}

// oneRSAKey is made once: that takes a while.
var oneRSAKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func TestTextTakesLoginsOut(t *testing.T) {
	for text, want := range map[string]string{
		`Get "https://bot:s3cr/et@git.example.org/x": EOF`: `Get "https://***@git.example.org/x": EOF`,
		"fatal: https://abcdef@git.example.org/x":          "fatal: https://***@git.example.org/x",
		"Authorization: Basic Z2l0OnNlY3JldA==, denied":    "Authorization: Basic ***, denied",
		`{"authorization":"Bearer s3cret-value","x":1}`:    `{"authorization":"Bearer ***","x":1}`,
		"map[Authorization:[token s3cret]]":                "map[Authorization:[token ***]]",
		"sent Bearer s3cret-value-of-some-length":          "sent Bearer ***",
		"GET /api?private_token=s3cret&x=1":                "GET /api?private_token=***&x=1",
		"basic authentication is needed, bearer tokens":    "basic authentication is needed, bearer tokens",
		"token rejected: the token in SIPGEN_FORGE_TOKEN":  "token rejected: the token in SIPGEN_FORGE_TOKEN",
	} {
		assert.Equal(t, want, Text(text), text)
	}
}

// TestFreeTextMasksWhatSecretsAreCalled: drivers, ipmitool and people write a password behind its name.
func TestFreeTextMasksWhatSecretsAreCalled(t *testing.T) {
	for text, want := range map[string]string{
		"401: password: hunter2":                        "401: password: ***",
		"401: password=hunter2, user=root":              "401: password=*** user=root",
		"Password = hun,ter2;x) again":                  "Password = *** again",
		"passwd:hunter2":                                "passwd:***",
		"login root, pass=hunter2":                      "login root, pass=***",
		"PWD=hunter2":                                   "PWD=***",
		"IPMI_PASSWORD=hunter2 ipmitool":                "IPMI_PASSWORD=*** ipmitool",
		"client_secret: hunter2":                        "client_secret: ***",
		"secrets=hunter2":                               "secrets=***",
		"token: hunter2":                                "token: ***",
		"X-Auth-Token: hunter2":                         "X-Auth-Token: ***",
		"apikey=hunter2":                                "apikey=***",
		"api_key=hunter2":                               "api_key=***",
		"API key: hunter2":                              "API key: ***",
		"secret_access_key=hunter2":                     "secret_access_key=***",
		"credential: hunter2":                           "credential: ***",
		"credentials=root/hunter2":                      "credentials=***",
		"passphrase: hunter2":                           "passphrase: ***",
		`{"password":"hunter2 \"x","user":"root"}`:      `{"password":"***","user":"root"}`,
		`{\"password\": \"hunter2 x\", \"a\": 1}`:       `{\"password\": \"***\", \"a\": 1}`,
		`{'ipmi_password': 'hunter2 x', 'port': 623}`:   `{'ipmi_password': '***', 'port': 623}`,
		`{"password"=>"hunter2"}`:                       `{"password"=>"***"}`,
		`cut off: "password": "hunter2 and`:             `cut off: "password": "***`,
		"GET /login?user=root&pwd%3Dhunter2":            "GET /login?user=root&pwd%3D***",
		"password: https://root:hunter2@198.51.100.1/x": "password: ***",
		"the password is wrong; no token; secret":       "the password is wrong; no token; secret",
		"passed: 3 of 4, bypass=on, tokenizer: x":       "passed: 3 of 4, bypass=on, tokenizer: x",
	} {
		found := FreeText(text)
		assert.Equal(t, want, found, text)
		assert.Equal(t, found, FreeText(found))
		if strings.Contains(text, "hunter2") && strings.Contains(Value(text), "hunter2") {
			t.Errorf("%s: shown as %s", text, Value(text))
		}
	}
	assert.Equal(t, "spec.x.clientSecret: found a list", Text("spec.x.clientSecret: found a list"))
}

func TestKnownIsTakenOutInEverySpelling(t *testing.T) {
	const secret = `p/ss w&rd-<Ünïque>"0123456789`
	spelled := map[string]string{
		"as it is": secret, "escaped as a query": url.QueryEscape(secret), "escaped as a path": url.PathEscape(secret),
		"in an address": url.UserPassword("u", secret).String(), "HTML": html.EscapeString(secret),
		"hex":            hex.EncodeToString([]byte(secret)),
		"quoted by JSON": inJSON(secret),
	}
	for _, encoding := range []struct {
		name string
		*base64.Encoding
	}{{"std", base64.StdEncoding}, {"raw", base64.RawStdEncoding}, {"url", base64.URLEncoding}} {
		for _, around := range []string{"", "u:", "user:", "git:"} {
			spelled["base64 "+encoding.name+" "+around] = encoding.EncodeToString([]byte(around + secret + "\n"))
		}
	}
	for name, text := range spelled {
		found := Known("the server said: "+text+"; good bye", secret)
		for i := range len(text) - 16 {
			if strings.Contains(found, text[i:i+16]) {
				t.Errorf("%s: %q is left in %q", name, text[i:i+16], found)
				break
			}
		}
		assert.Truef(t, strings.HasPrefix(found, "the server said: ") && strings.HasSuffix(found, "; good bye"),
			"%s: found %q", name, found)
	}
	for i := range len(secret) - 16 {
		part := secret[i : i+16]
		assert.Truef(t, !strings.Contains(Known("cut off: "+part, secret), part), "the part %q is left", part)
	}
	assert.Equal(t, "a short one: ***, and words", Known("a short one: abc, and words", "abc", "", "s", "xy"))
}

func TestSprintfIsFmtForPlainValues(t *testing.T) {
	type name string
	cause := errors.New(`say "x"`)
	args := []any{"edge-a", name("edge-b"), 3, 2.5, []string{"a"}, cause, true, 'x'}
	const format = "%q %s %d %.1f %v %v %t %c %%"
	assert.Equal(t, fmt.Sprintf(format, args...), Sprintf(format, args...))
	assert.Equal(t, fmt.Sprintf("%-8s|%8s|%v", "a", "b", "c"), Sprintf("%-8s|%8s|%v", "a", "b", "c"))
	err := Errorf("x %q: %w", "Tr0ub4dor&3", cause)
	assert.Truef(t, errors.Is(err, cause) && err.Error() == `x a value of 11 characters (not shown): say "x"`,
		"found %v", err)
	assert.Equal(t, `strconv.ParseInt: parsing a value of 11 characters (not shown): want "3" or 'x'`,
		Quotes(`strconv.ParseInt: parsing "Tr0ub4dor&3": want "3" or 'x'`))
}

func FuzzKnown(f *testing.F) {
	f.Add("user:", "a secret of some length", "tail")
	f.Fuzz(func(t *testing.T, before, secret, after string) {
		if len(secret) < 12 || strings.Contains(mask+before+after+mask, secret[:8]) {
			return
		}
		for _, text := range []string{
			before + secret + after,
			base64.StdEncoding.EncodeToString([]byte(before + secret + after)),
		} {
			found := Known(text, secret)
			assert.NotContains(t, found, secret)
			if raw, err := base64.StdEncoding.DecodeString(found); err == nil && text != before+secret+after &&
				strings.Contains(string(raw), secret) {
				t.Errorf("%q is left in %q", secret, found)
			}
		}
	})
}

func TestMain(m *testing.M) { os.Exit(orphans.Tests{M: m}.Run()) }
