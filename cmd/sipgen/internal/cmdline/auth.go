package cmdline

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/airshipit/sipgen/publish"
)

// authFromEnvironment reads credentials from environment variables:
//
//	SIPGEN_GIT_USERNAME, SIPGEN_GIT_PASSWORD, SIPGEN_GIT_TOKEN   HTTP basic, or a bearer token
//	SIPGEN_SSH_KEY_FILE, SIPGEN_SSH_KEY_PASSPHRASE, SIPGEN_SSH_KNOWN_HOSTS
//	SIPGEN_GIT_CA_FILE, SIPGEN_GIT_CERT_FILE, SIPGEN_GIT_KEY_FILE, SIPGEN_GIT_PROXY
//
// For each secret NAME, NAME_FILE names a file that holds it.
func authFromEnvironment(getenv func(string) string) (publish.Auth, error) {
	var problems []error
	secret := func(name string) string {
		value, err := Secret(name, getenv)
		problems = append(problems, err)
		return value
	}
	auth := publish.Auth{
		Username:         getenv("SIPGEN_GIT_USERNAME"),
		Password:         secret("SIPGEN_GIT_PASSWORD"),
		Token:            secret("SIPGEN_GIT_TOKEN"),
		SSHKeyFile:       getenv("SIPGEN_SSH_KEY_FILE"),
		SSHKeyPassphrase: secret("SIPGEN_SSH_KEY_PASSPHRASE"),
		CAFile:           getenv("SIPGEN_GIT_CA_FILE"),
		ClientCertFile:   getenv("SIPGEN_GIT_CERT_FILE"),
		ClientKeyFile:    getenv("SIPGEN_GIT_KEY_FILE"),
		Proxy:            getenv("SIPGEN_GIT_PROXY"),
	}
	if known := getenv("SIPGEN_SSH_KNOWN_HOSTS"); known != "" {
		auth.KnownHosts = strings.Split(known, string(os.PathListSeparator))
	}
	return auth, errors.Join(problems...)
}

// Secret returns the secret NAME: the variable's value, or what is in the file that NAME_FILE names, as Kubernetes
// and CI systems mount it, without the line end at its end.
func Secret(name string, getenv func(string) string) (string, error) {
	value, file := getenv(name), getenv(name+"_FILE")
	switch {
	case file == "":
		return value, nil
	case value != "":
		return "", fmt.Errorf("%s and %s_FILE: use only one of them", name, name)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// Unencrypted warns if a run will send git's token or password unencrypted: by http, to another machine. It is not
// refused, because some git servers inside of clusters have nothing else. The login of git's credential helper is not
// known here.
func Unencrypted(target publish.Target) (warnings []string) {
	if address, err := url.Parse(target.URL); err == nil && InTheClear(address) &&
		(target.Auth.Token != "" || target.Auth.Password != "" || address.User != nil) {
		warnings = append(warnings,
			"the git credentials go to http://"+address.Host+" unencrypted, and can be read on the way: use https")
	}
	return warnings
}

// InTheClear reports whether what is sent to an address can be read on the way.
func InTheClear(address *url.URL) bool {
	host := address.Hostname()
	return address.Scheme == "http" && host != "localhost" && !net.ParseIP(host).IsLoopback()
}

// SetBy returns where a field of publish.Auth that an error may name is set.
func SetBy(field string) string { return authVariables[field] }

var authVariables = map[string]string{
	"Password":         "set SIPGEN_GIT_USERNAME and SIPGEN_GIT_PASSWORD, or SIPGEN_GIT_TOKEN",
	"SSHKeyPassphrase": "set SIPGEN_SSH_KEY_PASSPHRASE, or SIPGEN_SSH_KEY_PASSPHRASE_FILE",
	"CAFile":           "if the server uses a private certificate authority, set SIPGEN_GIT_CA_FILE",
	"ClientCertFile":   "set SIPGEN_GIT_CERT_FILE and SIPGEN_GIT_KEY_FILE",
	"Proxy":            "check SIPGEN_GIT_PROXY=http://USER:PASSWORD@HOST:PORT, or HTTPS_PROXY and NO_PROXY",
}
