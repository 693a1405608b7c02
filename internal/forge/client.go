package forge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
)

// maxResponse bounds an answer, in bytes: a list of pull requests is a small part of it.
const maxResponse = 32 << 20

// httpClient returns an HTTP client with the transport asked for that sends the token to one server only.
func (c *Client) httpClient(repository Repository) *http.Client {
	transport := http.DefaultTransport
	if c.HTTP != nil && c.HTTP.Transport != nil {
		transport = c.HTTP.Transport
	}
	return &http.Client{Transport: &limitedTransport{transport}, CheckRedirect: checkRedirect}
}

// limitedTransport bounds the size of an answer, and refuses one without data.
type limitedTransport struct{ http.RoundTripper }

func (l *limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	host := oneLine(request.URL.Host)
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "text/html" &&
		response.StatusCode < 300 {
		_ = response.Body.Close() // the body is not needed
		return nil, &answerError{host + " answered with a web page instead of API data: " +
			"is the forge at that address, or does a proxy ask for a login?"}
	}
	response.Body = http.MaxBytesReader(nil, response.Body, maxResponse)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return response, nil
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if found := noData(text); found != "" {
		return nil, &answerError{fmt.Sprintf("%s answered with %s instead of API data", host, found)}
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
	return response, nil
}

// noData returns what an answer is that every client takes for data, although it holds none.
func noData(text []byte) string {
	isNull := func(text []byte) bool { return string(bytes.TrimSpace(text)) == "null" }
	var list []json.RawMessage
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return "nothing"
	case isNull(text):
		return "null"
	case json.Unmarshal(text, &list) == nil && slices.ContainsFunc(list, func(one json.RawMessage) bool { return isNull(one) }):
		return "a list with null"
	}
	return ""
}

// answerError is what a server answered instead of the API's data.
type answerError struct{ words string }

func (e *answerError) Error() string { return e.words }

// movedError is a redirect that is not followed.
type movedError struct{ to string }

func (e *movedError) Error() string {
	return "the repository has moved to " + e.to + ": use that address"
}

// checkRedirect follows a redirect on the same server that keeps the method. A redirect to another server would
// receive the token, and another method would have another effect.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host || next.Method != first.Method {
		shown := url.URL{Scheme: next.URL.Scheme, Host: next.URL.Host, Path: next.URL.Path}
		return &movedError{oneLine(shown.String())}
	}
	if len(via) > 5 {
		return errors.New("redirected more than 5 times")
	}
	return nil
}

// apiBase returns where a forge's API begins, with a slash at its end.
func (r Repository) apiBase() (*url.URL, error) {
	web, err := url.Parse(r.Web)
	if err != nil {
		return nil, fmt.Errorf("%s: not an address", oneLine(r.Web))
	}
	switch r.Kind {
	case GitHub:
		switch {
		case web.Host == "github.com":
			return &url.URL{Scheme: "https", Host: "api.github.com", Path: "/"}, nil
		case isCloud(web.Hostname()):
			return &url.URL{Scheme: "https", Host: "api." + web.Host, Path: "/"}, nil
		}
		return web.JoinPath("api", "v3", "/"), nil
	case GitLab:
		return web.JoinPath("api", "v4", "/"), nil
	}
	return web, nil // Gitea's client adds the rest
}
