package wire

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// checkRedirect refuses a redirect to another server, before anything is sent there: Go's client sends what it logs in
// with to every port of a host, by http too, and go-git looks at where it was led only when the answer is there. What
// the next exchange asks, with credentials, is the server that the last one led to.
func checkRedirect(next *http.Request, via []*http.Request) error {
	if sameServer(via[len(via)-1].URL, next.URL) {
		return nil
	}
	to := url.URL{Scheme: next.URL.Scheme, Host: next.URL.Host, Path: strings.TrimSuffix(next.URL.Path, "/info/refs")}
	return &AnswerError{"the server redirects to " + text.Line(redact.URL(to.String())) +
		", which has another scheme, host or port, so no credentials are sent there: if the repository has moved, use that URL"}
}

// sameServer reports whether what is for one address may go to another one: it has its scheme, host and port, or is
// https where the first one is http, at the ports that both have by default.
func sameServer(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	safer := from.Scheme == "http" && to.Scheme == "https" && effectivePort(from) == "80" && effectivePort(to) == "443"
	return safer || from.Scheme == to.Scheme && effectivePort(from) == effectivePort(to)
}

func effectivePort(address *url.URL) string {
	switch port := address.Port(); {
	case port != "":
		return port
	case address.Scheme == "https":
		return "443"
	}
	return "80"
}
