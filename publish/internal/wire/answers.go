package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/airshipit/sipgen/internal/text"
)

// mostKept is how many bytes an answer that go-git keeps in memory may have: everything but packs.
const mostKept = 64 << 20

// Answers are those of a git server by HTTP: bounded, and no page that is meant for people.
type Answers struct {
	http.RoundTripper
	pushed *heard // to the last push
}

// Bound has a client speak to one git server: it follows no redirect to another, and its answers are bounded, as the
// returned value says.
func Bound(client *http.Client) *Answers {
	answers := &Answers{RoundTripper: client.Transport}
	client.Transport, client.CheckRedirect = answers, checkRedirect
	return answers
}

// RoundTrip sends a request.
func (a *Answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	host := text.Line(request.URL.Host)
	switch {
	case kind == "text/html" && response.StatusCode < 300:
		_ = response.Body.Close() // the body is not needed
		return nil, &AnswerError{host + " answered with a web page instead of git data: " +
			"is this the URL of a repository, or does a proxy ask for a login?"}
	case kind == "text/html":
		// A page says nothing that fits a line. git prints plain text alone.
		_ = response.Body.Close()
		response.Body = http.NoBody
	case response.StatusCode == http.StatusOK && isDumb(request.URL, kind):
		_ = response.Body.Close()
		return nil, &AnswerError{host + " answered as a server of files does: " +
			"the repository is not served by git's smart protocol, for example by git http-backend"}
	}
	if !strings.HasSuffix(request.URL.Path, "/"+transport.UploadPackServiceName) {
		response.Body = &bounded{response.Body, host, mostKept}
	}
	if kind == "application/x-git-receive-pack-result" {
		a.pushed = &heard{ReadCloser: response.Body}
		response.Body = a.pushed
	}
	return response, nil
}

// isDumb reports whether the branches of a repository came as a file. gitprotocol-http has a media type for a server
// that speaks git, by which git tells them apart.
func isDumb(asked *url.URL, kind string) bool {
	return strings.HasSuffix(asked.Path, "/info/refs") &&
		(!strings.HasPrefix(kind, "application/x-git-") || !strings.HasSuffix(kind, "-advertisement"))
}

// bounded is an answer that fails when there is more to read.
type bounded struct {
	io.ReadCloser
	host string
	left int
}

func (b *bounded) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.left -= n; b.left < 0 {
		return 0, &AnswerError{fmt.Sprintf("%s: an answer of more than %d MiB, want at most that", b.host, mostKept>>20)}
	}
	return n, err
}

// heard is an answer that is kept as it is read.
type heard struct {
	io.ReadCloser
	kept bytes.Buffer
}

func (h *heard) Read(into []byte) (int, error) {
	n, err := h.ReadCloser.Read(into)
	h.kept.Write(into[:n])
	return n, err
}

// hookWait is how long a server's hooks are waited for after its report: the push is done by then.
const hookWait = time.Minute

// Words returns what the server has printed about the last push. Where to open a pull request is printed by hooks that
// run after the report, when go-git has stopped reading.
func (a *Answers) Words() string {
	if a.pushed == nil {
		return ""
	}
	late := time.AfterFunc(hookWait, func() { _ = a.pushed.Close() })
	_, _ = io.Copy(io.Discard, a.pushed) // what has come counts, however it ends
	late.Stop()
	var words bytes.Buffer
	demuxer := sideband.NewDemuxer(sideband.Sideband64k, &a.pushed.kept)
	demuxer.Progress = &words
	_, _ = io.Copy(io.Discard, demuxer)
	a.pushed = nil
	return words.String()
}

// AnswerError is what a server answered instead of git data: a web page, or the address of another server.
type AnswerError struct{ words string }

func (e *AnswerError) Error() string { return e.words }

// Exchange runs an exchange with a server until it is done, or ctx ends. Some transports ignore ctx, so the exchange
// runs in its own goroutine, and may be left behind with its resources.
func Exchange[T any](ctx context.Context, exchange func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := exchange()
		done <- answer{value, err}
	}()
	select {
	case got := <-done:
		if got.err != nil && ctx.Err() != nil {
			got.err = context.Cause(ctx)
		}
		return got.value, got.err
	case <-ctx.Done():
		var nothing T
		return nothing, context.Cause(ctx)
	}
}
