package main

import (
	"errors"
	"net"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/internal/redact"
)

// askedError is what came of asking an API server, and which one that was.
type askedError struct {
	err error
	// context is the kubeconfig's, empty for the pod's own account. server is a host and a port, without credentials or a path.
	context, server string
}

func (e *askedError) Error() string   { return e.err.Error() }
func (e *askedError) Unwrap() []error { return []error{e.err} }

// asked notes with an error which API server was asked.
func (in *inputs) asked(cfg *rest.Config, err error) error {
	if err == nil {
		return nil
	}
	out := &askedError{err: err, context: in.context}
	if at, _, err := rest.DefaultServerUrlFor(cfg); err == nil { // as the client takes it: a kubeconfig may name a host and a port without a scheme
		//guard: a password in a kubeconfig's server is in the hint
		out.server = at.Host
	}
	if config, err := in.loadingRules().Load(); err == nil && out.context == "" {
		out.context = config.CurrentContext
	}
	return out
}

// hint says which API server was asked, and what to look at.
func (e *askedError) hint() string {
	whose, other := "the pod's own account", ""
	if e.context != "" {
		whose, other = redact.Sprintf("context %q", e.context), " (--context selects another cluster)"
	}
	what := ""
	var refused *net.OpError
	switch {
	case apierrors.IsUnauthorized(e.err):
		what = "the credentials are wrong or have expired" + other
	case apierrors.IsForbidden(e.err):
		what = "kubectl auth can-i --list, run with the same credentials, shows what they allow" + other
	case errors.As(e.err, &refused) || utilnet.IsConnectionRefused(e.err) || utilnet.IsTimeout(e.err):
		what = "it cannot be reached from here: is it the right cluster" + other + ", and does it need a VPN or a proxy?"
	default:
		return ""
	}
	return redact.Sprintf("the API server is %s (%s): %s", e.server, whose, what)
}
