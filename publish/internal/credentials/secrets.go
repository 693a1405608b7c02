package credentials

import (
	"encoding/base64"
	"os"

	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/airshipit/sipgen/internal/redact"
)

// Basic returns a login as HTTP sends it.
func Basic(login *githttp.BasicAuth) string {
	return base64.StdEncoding.EncodeToString([]byte(login.Username + ":" + login.Password))
}

// Secrets lists what no message may hold of a repository's URL, a proxy's, those in the environment, and a login.
func Secrets(address, proxy, user, secret string) []string {
	known := append(redact.Login(address), redact.Login(proxy)...)
	known = append(known, secret, redact.TokenUser(user, secret))
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"} {
		known = append(known, redact.Login(os.Getenv(name))...)
	}
	return known
}
