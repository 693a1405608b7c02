package publish

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestAuthFromEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("s3cret\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		why         string
		environment map[string]string
		want        Auth
		says        string
	}{
		{"nothing", nil, Auth{}, ""},
		{"basic", map[string]string{"SIPGEN_GIT_USERNAME": "a", "SIPGEN_GIT_PASSWORD": "b"}, Auth{Username: "a", Password: "b"}, ""},
		{"a mounted file, without its line end", map[string]string{"SIPGEN_GIT_TOKEN_FILE": file}, Auth{Token: "s3cret"}, ""},
		{"two places for one secret", map[string]string{"SIPGEN_GIT_TOKEN_FILE": file, "SIPGEN_GIT_TOKEN": "other"}, Auth{}, "want one of them"},
		{"a file that is not there", map[string]string{"SIPGEN_GIT_PASSWORD_FILE": file + "x"}, Auth{}, "SIPGEN_GIT_PASSWORD_FILE"},
		{"files", map[string]string{"SIPGEN_SSH_KEY_FILE": "k", "SIPGEN_SSH_KNOWN_HOSTS": "a:b", "SIPGEN_GIT_CA_FILE": "ca", "SIPGEN_GIT_PROXY": "p"},
			Auth{SSHKeyFile: "k", KnownHosts: []string{"a", "b"}, CAFile: "ca", Proxy: "p"}, ""},
	}
	for _, row := range rows {
		got, err := AuthFromEnvironment(func(name string) string { return row.environment[name] })
		if !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: found %+v, want %+v", row.why, got, row.want)
		}
		if (err == nil) != (row.says == "") || err != nil && (!strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "other")) {
			t.Errorf("%s: found %v, want %q", row.why, err, row.says)
		}
	}
}

func TestNoCredentialsInWhatIsPrinted(t *testing.T) {
	for url, want := range map[string]string{
		"https://me:s3cret@host/x.git":       "https://host/x.git",
		"https://s3cret@host/x.git":          "https://host/x.git",
		"https://host/x.git?token=s3cret":    "https://host/x.git",
		"ssh://git@host:22/x.git":            "ssh://git@host:22/x.git",
		"ssh://git:s3cret@host/x.git":        "ssh://host/x.git",
		"git@host:x.git":                     "git@host:x.git",
		"git:s3cret@host:x.git":              "host:x.git",
		"https://me:s3cret%zz@host/x.git":    "host/x.git",
		"/srv/fleet.git":                     "/srv/fleet.git",
		"http://me:s3cret@proxy:3128":        "http://proxy:3128",
		"socks5://me:s3cret@proxy:1080/#abc": "socks5://proxy:1080/",
	} {
		if got := (Target{URL: url}).String(); got != want {
			t.Errorf("%s: found %s, want %s", url, got, want)
		}
	}
}
