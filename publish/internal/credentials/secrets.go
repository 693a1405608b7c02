package credentials

import (
	"encoding/base64"
	"os"
	"strings"

	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// Basic returns a login as HTTP sends it.
func Basic(login *githttp.BasicAuth) string {
	return base64.StdEncoding.EncodeToString([]byte(login.Username + ":" + login.Password))
}

// Secrets lists what no message may hold of a repository's URL, a proxy's, those in the environment, and a login.
func Secrets(address, proxy, user, secret string) []string {
	known := []string{secret, password(address), password(proxy), tokenUser(user, secret), tokenUserOf(address)}
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"} {
		known = append(known, password(os.Getenv(name)))
	}
	return known
}

// userToken is the shortest user name that counts as a token next to a placeholder password.
const userToken = 20

// tokenUser returns a user name that is a token: forges accept one there, with the word below or any other password.
func tokenUser(user, password string) string {
	if password == "x-oauth-basic" || len(user) >= userToken {
		return user
	}
	return ""
}

// password returns the text between the colon and the last @ of an address, whether it is a URL or not; without a
// colon, the whole user information of anything but ssh, where forges accept tokens.
func password(address string) string {
	scheme, user, secret, colon := userOf(address)
	if !colon && scheme != "ssh" && scheme != "" {
		return user
	}
	return secret
}

// tokenUserOf returns tokenUser of an address by http or https.
func tokenUserOf(address string) string {
	scheme, user, secret, _ := userOf(address)
	switch {
	case scheme != "http" && scheme != "https":
		return ""
	case secret == "":
		return user
	}
	return tokenUser(user, secret)
}

// userOf returns the parts of an address before its last @.
func userOf(address string) (scheme, user, secret string, colon bool) {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		scheme, rest = "", address
	}
	authority := rest
	if found {
		authority, _, _ = strings.Cut(rest, "/")
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return scheme, "", "", true
	}
	user, secret, colon = strings.Cut(authority[:at], ":")
	return scheme, user, secret, colon
}
