package publish

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	gitfile "github.com/go-git/go-git/v5/plumbing/transport/file"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish/internal/credentials"
	"github.com/airshipit/sipgen/publish/internal/wire"
)

// Auth is how to log in. Secrets in it are never printed, logged or committed.
type Auth struct {
	// Username and Password are HTTP's basic credentials. Forges take a token as the password, with any user.
	Username, Password string
	// Token is an HTTP bearer token.
	Token string
	// NoHelper: do not ask git's credential helpers if an HTTP server requires credentials and none are given.
	NoHelper bool

	// SSHKeyFile is a private key, instead of the agent's keys and those in ~/.ssh.
	SSHKeyFile, SSHKeyPassphrase string
	// KnownHosts are known_hosts files, instead of $SSH_KNOWN_HOSTS, ~/.ssh/known_hosts and
	// /etc/ssh/ssh_known_hosts.
	KnownHosts []string

	// CAFile has certificates to trust besides the system's, in PEM.
	CAFile string
	// ClientCertFile and ClientKeyFile log in by TLS, in PEM.
	ClientCertFile, ClientKeyFile string
	// Proxy is an HTTP or SOCKS5 proxy's URL, instead of $HTTPS_PROXY, $HTTP_PROXY and $NO_PROXY.
	Proxy string
}

const connectTimeout = 30 * time.Second

// login returns the transport to an endpoint.
func (a Auth) login(endpoint *transport.Endpoint) (transport.Transport, transport.AuthMethod, *wire.Answers, error) {
	switch endpoint.Protocol {
	case "ssh":
		login, err := a.keys().Login(endpoint, connectTimeout)
		if errors.Is(err, credentials.ErrPassphrase) {
			err = &SettingError{"SSHKeyPassphrase", err}
		}
		if err == nil && a.Proxy != "" {
			var proxy *url.URL
			if proxy, err = parseProxy(a.Proxy); err == nil && proxy.Scheme != "socks5" {
				err = fmt.Errorf("proxy %s: ssh goes through a SOCKS5 proxy only; want socks5://HOST:PORT", redact.URL(a.Proxy))
			}
			endpoint.Proxy = transport.ProxyOptions{URL: a.Proxy}
		}
		return gitssh.NewClient(nil), login, nil, err
	case "https", "http":
		client, err := a.HTTPClient()
		if err != nil {
			return nil, nil, nil, err
		}
		answers := wire.Bound(client)
		return githttp.NewClient(client), a.httpLogin(), answers, nil
	}
	return gitfile.DefaultClient, nil, nil, nil
}

func (a Auth) keys() credentials.Keys {
	return credentials.Keys{File: a.SSHKeyFile, Passphrase: a.SSHKeyPassphrase, KnownHosts: a.KnownHosts}
}

func (a Auth) httpLogin() transport.AuthMethod {
	switch {
	case a.Token != "":
		return &githttp.TokenAuth{Token: a.Token}
	case a.Username != "" || a.Password != "":
		user := a.Username
		if user == "" {
			user = "git"
		}
		return &githttp.BasicAuth{Username: user, Password: a.Password}
	}
	return nil
}

// HTTPClient returns a client for other services of the same server, a forge's API: with the certificates, the proxy
// and the client certificate that a has, and without any credentials. No proxy is taken from the environment where a
// names one.
func (a Auth) HTTPClient() (*http.Client, error) {
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.CAFile != "" {
		pem, err := os.ReadFile(a.CAFile)
		if err != nil {
			return nil, err
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: found no certificate, want PEM", a.CAFile)
		}
		settings.RootCAs = pool
	}
	if (a.ClientCertFile == "") != (a.ClientKeyFile == "") {
		return nil, &SettingError{"ClientCertFile", errors.New("client certificate: found one of the certificate and its key, want both")}
	}
	if a.ClientCertFile != "" {
		pair, err := tls.LoadX509KeyPair(a.ClientCertFile, a.ClientKeyFile)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		settings.Certificates = []tls.Certificate{pair}
	}
	base := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: settings, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: connectTimeout, IdleConnTimeout: connectTimeout,
	}
	if a.Proxy != "" {
		proxy, err := parseProxy(a.Proxy)
		if err != nil {
			return nil, err
		}
		base.Proxy = http.ProxyURL(proxy)
	}
	return &http.Client{Transport: base}, nil
}

func parseProxy(address string) (*url.URL, error) {
	proxy, err := url.Parse(address)
	if err != nil || proxy.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme) {
		return nil, fmt.Errorf("proxy %s: want a URL: http://HOST:PORT, https or socks5", redact.URL(address))
	}
	return proxy, nil
}
