package live

import (
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/internal/redact"
)

// login is the credentials that were sent to the API server, to be removed from messages: an API server, or a proxy
// before it, may repeat a request in its answer. Tokens of a plugin or a file are known only when they are sent.
type login struct {
	mutex sync.Mutex
	sent  map[string]bool
}

// watchLogin returns a copy of a configuration that records its logins.
func watchLogin(cfg *rest.Config) (*rest.Config, *login) {
	l := &login{sent: map[string]bool{cfg.BearerToken: true, cfg.Password: true}}
	l.noteProxy(cfg)
	cfg = rest.CopyConfig(cfg)
	// The first wrapper is the innermost: it sees the request as it is sent.
	others := cfg.WrapTransport
	cfg.WrapTransport = func(inner http.RoundTripper) http.RoundTripper {
		var transport http.RoundTripper = noting{inner, l}
		if others != nil {
			transport = others(transport)
		}
		return transport
	}
	return cfg, l
}

type noting struct {
	http.RoundTripper
	login *login
}

func (n noting) RoundTrip(request *http.Request) (*http.Response, error) {
	n.login.note(request.Header.Get("Authorization"))
	return n.RoundTripper.RoundTrip(request)
}

// noteProxy notes the login of the proxy that a kubeconfig (proxy-url) or the environment names.
func (l *login) noteProxy(cfg *rest.Config) {
	find := cfg.Proxy
	if find == nil {
		find = http.ProxyFromEnvironment
	}
	server, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return // the first request has the error
	}
	proxy, err := find(&http.Request{URL: server})
	if err != nil || proxy == nil || proxy.User == nil {
		return
	}
	secret, _ := proxy.User.Password()
	sent := base64.StdEncoding.EncodeToString([]byte(proxy.User.Username() + ":" + secret))
	for _, one := range append(redact.Login(proxy.String()), secret, sent) {
		l.sent[one] = true
	}
}

func (l *login) note(header string) {
	scheme, value, found := strings.Cut(header, " ")
	if !found {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.sent[value] = true
	if raw, err := base64.StdEncoding.DecodeString(value); err == nil && strings.EqualFold(scheme, "basic") {
		_, password, _ := strings.Cut(string(raw), ":")
		l.sent[password] = true
	}
}

// safe returns an error without the login in its words. The chain for errors.Is stays.
func (l *login) safe(err error) error {
	if err == nil {
		return nil
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return &safeError{redact.Text(redact.Known(err.Error(), slices.Sorted(maps.Keys(l.sent))...)), err}
}

type safeError struct {
	text string
	err  error
}

func (s *safeError) Error() string { return s.text }
func (s *safeError) Unwrap() error { return s.err }
