package redact

import (
	"net/url"
	"strings"
)

// URL returns an address of a server or a repository without user information, query and fragment: tokens hide in all
// of them. The user of an ssh URL without a password stays. Of git's short form user:password@host:path the login
// goes.
func URL(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme == "" || parsed.Host == "" {
		if at := strings.LastIndexByte(address, '@'); at >= 0 && strings.Contains(address[:at], ":") {
			return address[at+1:]
		}
		return Text(address)
	}
	if _, secret := parsed.User.Password(); secret || parsed.Scheme != "ssh" {
		parsed.User = nil
	}
	parsed.RawQuery, parsed.Fragment = "", ""
	return Text(parsed.String())
}

// Login returns what no message may hold of the address of a server or a proxy, whether it is a URL or not.
func Login(address string) []string { return []string{password(address), tokenUserOf(address)} }

// userToken is the shortest user name that counts as a token next to a placeholder password.
const userToken = 20

// TokenUser returns a user name that is a token: forges accept one there, with the word below or any other password.
func TokenUser(user, password string) string {
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

// tokenUserOf returns TokenUser of an address by http or https.
func tokenUserOf(address string) string {
	scheme, user, secret, _ := userOf(address)
	switch {
	case scheme != "http" && scheme != "https":
		return ""
	case secret == "":
		return user
	}
	return TokenUser(user, secret)
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
