package forge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/airshipit/sipgen/internal/redact"
)

// The errors that callers distinguish.
var (
	// ErrToken: the forge does not take the token, or the token may not do that.
	ErrToken = errors.New("token rejected")
	// ErrNoRepository: there is none at that path, or none that the token may see.
	ErrNoRepository = errors.New("no repository")
	// ErrNoAPI: the server answers otherwise than the API of a forge.
	ErrNoAPI = errors.New("no API of the forge")
	// ErrCertificate: the server's TLS certificate does not verify.
	ErrCertificate = errors.New("certificate not trusted")
)

// apiError is a forge's answer that is no success.
type apiError struct {
	status  int
	after   time.Duration // when to try again, if the forge sent it
	message string
}

func (e *apiError) Error() string {
	words := strings.TrimSpace(fmt.Sprintf("%d %s", e.status, http.StatusText(e.status)))
	if e.message != "" && e.message != words {
		words += ": " + e.message
	}
	return words
}

// responseError makes an apiError of an unsuccessful response. err is the client library's error.
func responseError(response *http.Response, message string, err error) error {
	var request *url.Error
	if response == nil || response.StatusCode < 300 || errors.As(err, &request) {
		return err
	}
	refused := &apiError{status: response.StatusCode, message: oneLine(message)}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		refused.after = time.Duration(seconds) * time.Second
	} else if when, err := http.ParseTime(response.Header.Get("Retry-After")); err == nil {
		refused.after = max(0, time.Until(when))
	} else if reset, err := strconv.ParseInt(response.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil &&
		response.Header.Get("X-RateLimit-Remaining") == "0" {
		refused.after = max(0, time.Until(time.Unix(reset, 0)))
	}
	return refused
}

// retry reports whether to try again, and after how long at least.
func retry(err error) (time.Duration, bool) {
	var (
		refused     *apiError
		certificate *tls.CertificateVerificationError
		moved       *movedError
		answer      *answerError
		request     *url.Error
	)
	switch {
	case errors.As(err, &moved), errors.As(err, &answer), errors.As(err, &certificate), errors.Is(err, context.Canceled):
		return 0, false
	case errors.As(err, &refused):
		switch {
		case refused.status == http.StatusTooManyRequests, refused.status >= 500 &&
			refused.status != http.StatusNotImplemented:
			return refused.after, true
		case refused.status == http.StatusForbidden &&
			(refused.after > 0 || strings.Contains(strings.ToLower(refused.message), "rate limit")):
			return refused.after, true // GitHub's limits
		case refused.status == http.StatusConflict, refused.status == http.StatusUnprocessableEntity &&
			strings.Contains(refused.message, "already exists"):
			return 0, true // another run was faster: it will be found
		}
		return 0, false
	case errors.As(err, &request), errors.Is(err, context.DeadlineExceeded):
		return 0, true
	}
	return 0, false
}

// tokenScopes are the scopes that a token needs, as each forge calls them.
var tokenScopes = map[Provider]string{
	GitHub: `a fine-grained token with "Pull requests: read and write" on that repository, or a classic one with the scope repo`,
	GitLab: "an access token with the scope api, and the role Developer in that project; a job's own CI_JOB_TOKEN cannot do it",
	Gitea:  "a token with the scopes write:repository and write:issue",
}

// explain adds what to do about an error, and holds no token.
func (c *Client) explain(repository Repository, err error) error {
	var (
		refused     *apiError
		answer      *answerError
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		request     *url.Error
	)
	if errors.As(err, &request) {
		err = request.Err // without the request's address, which has a query
	}
	words := c.mask(oneLine(err.Error()))
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: the forge did not answer in time", repository)
	case errors.As(err, &refused) && refused.status == http.StatusUnauthorized:
		return fmt.Errorf("%s: %w: %s is wrong or expired; it needs %s: %s", repository.Web, ErrToken, c.TokenName,
			tokenScopes[repository.Kind], words)
	case errors.As(err, &refused) && refused.status == http.StatusForbidden && refused.after == 0:
		return fmt.Errorf("%s: %w: the token in %s does not allow that; it needs %s: %s", repository, ErrToken, c.TokenName,
			tokenScopes[repository.Kind], words)
	case errors.As(err, &refused) && refused.status == http.StatusNotFound:
		return fmt.Errorf("%s: %w there, or the token in %s cannot read it; it needs %s: %s", repository, ErrNoRepository,
			c.TokenName, tokenScopes[repository.Kind], words)
	case errors.As(err, &answer):
		return fmt.Errorf("%s: %w there: %s", repository, ErrNoAPI, words)
	case errors.As(err, &certificate), errors.As(err, &authority):
		return fmt.Errorf("%s: %w: %s", repository.Web, ErrCertificate, words)
	case errors.As(err, &refused) && refused.after > 0:
		return fmt.Errorf("%s: the forge asks to wait %s: %s", repository.Web, refused.after.Round(time.Second), words)
	}
	return fmt.Errorf("%s: %s", repository, words)
}

// mask removes the token, in each spelling and in part, and other secrets from a text.
func (c *Client) mask(words string) string {
	return redact.Text(redact.Known(words, c.Token))
}
