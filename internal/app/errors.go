package app

import (
	"errors"
	"net"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/internal/redact"
)

// AskedError is what came of asking an API server, and which one that was.
type AskedError struct {
	Err error
	// Context is the kubeconfig's, empty for the pod's own account. Server is a host and a port, without credentials
	// or a path.
	Context, Server string
}

func (e *AskedError) Error() string   { return e.Err.Error() }
func (e *AskedError) Unwrap() []error { return []error{e.Err} }

// asked notes with an error which API server was asked.
func (in *Inputs) asked(cfg *rest.Config, err error) error {
	if err == nil {
		return nil
	}
	out := &AskedError{Err: err, Context: in.Context}
	// As the client takes it: a kubeconfig may name a host and a port without a scheme
	if at, _, err := rest.DefaultServerUrlFor(cfg); err == nil {
		//guard: a password in a kubeconfig's server is in the hint
		out.Server = at.Host
	}
	if config, err := in.LoadingRules().Load(); err == nil && out.Context == "" {
		out.Context = config.CurrentContext
	}
	return out
}

// Hint says which API server was asked, and what to look at.
func (e *AskedError) Hint() string {
	whose, other := "the pod's own account", ""
	if e.Context != "" {
		whose, other = redact.Sprintf("context %q", e.Context), " (--context selects another cluster)"
	}
	what := ""
	var refused *net.OpError
	switch {
	case apierrors.IsUnauthorized(e.Err):
		what = "the credentials are wrong or have expired" + other
	case apierrors.IsForbidden(e.Err):
		what = "kubectl auth can-i --list, run with the same credentials, shows what they allow" + other
	case errors.As(e.Err, &refused) || utilnet.IsConnectionRefused(e.Err) || utilnet.IsTimeout(e.Err):
		what = "it cannot be reached from here: is it the right cluster" + other + ", and does it need a VPN or a proxy?"
	default:
		return ""
	}
	return redact.Sprintf("the API server is %s (%s): %s", e.Server, whose, what)
}

// Flatten takes joined errors apart, in order, and drops repetitions.
func Flatten(err error) []error {
	var (
		out  []error
		seen = map[string]bool{}
		walk func(error)
	)
	walk = func(err error) {
		if err == nil {
			return
		}
		if asked, ok := err.(*AskedError); ok {
			// A hint names the API server.
			for _, single := range Flatten(asked.Err) {
				if !seen[single.Error()] {
					seen[single.Error()] = true
					out = append(out, &AskedError{single, asked.Context, asked.Server})
				}
			}
			return
		}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, single := range joined.Unwrap() {
				walk(single)
			}
			return
		}
		if !seen[err.Error()] {
			seen[err.Error()] = true
			out = append(out, err)
		}
	}
	walk(err)
	return out
}

// NoSiteError is a Site's file that is not there.
type NoSiteError struct{ err error }

func (e *NoSiteError) Error() string { return e.err.Error() }
func (e *NoSiteError) Unwrap() error { return e.err }
