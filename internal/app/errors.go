package app

import (
	"errors"
	"fmt"
	"net"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// AskedError is an error of a request to an API server, with its address.
type AskedError struct {
	Err error
	// Context is the kubeconfig's, empty for the pod's own account. Server is a host and a port, without credentials
	// or a path.
	Context, Server string
}

func (e *AskedError) Error() string { return e.Err.Error() }
func (e *AskedError) Unwrap() error { return e.Err }

// asked adds the address of the API server to an error.
func (in *Inputs) asked(cfg *rest.Config, err error) error {
	if err == nil {
		return nil
	}
	context, server := in.Context, ""
	// As the client takes it: a kubeconfig may name a host and a port without a scheme
	if at, _, err := rest.DefaultServerUrlFor(cfg); err == nil {
		server = at.Host
	}
	if config, err := in.LoadingRules().Load(); err == nil && context == "" {
		context = config.CurrentContext
	}
	var problems manifest.Problems
	for _, single := range manifest.Split(err) {
		problems.Add(&AskedError{single, context, server})
	}
	return problems.Err()
}

// Hint names the API server, and what to check.
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

// RefusedError is why publish and render end and write nothing. Other errors of a check are faults of the inputs.
type RefusedError struct{ err error }

func (e *RefusedError) Error() string { return "refused: " + e.err.Error() }
func (e *RefusedError) Unwrap() error { return e.err }

func refusef(format string, args ...any) error { return &RefusedError{fmt.Errorf(format, args...)} }

// Flatten splits joined errors, in order, and drops repetitions.
func Flatten(err error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(manifest.Split(err), func(single error) bool {
		again := seen[single.Error()]
		seen[single.Error()] = true
		return again
	})
}

// NoSiteError is a missing file of a Site.
type NoSiteError struct {
	err error
	// Built is the folder in which the file would be, if it has a kustomization.
	Built string
}

func (e *NoSiteError) Error() string { return e.err.Error() }
func (e *NoSiteError) Unwrap() error { return e.err }
