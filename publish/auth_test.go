package publish

import (
	"testing"
)

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
