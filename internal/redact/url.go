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
