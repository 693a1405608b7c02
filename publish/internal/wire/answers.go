package wire

import (
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/airshipit/sipgen/internal/text"
)

const (
	// maxRefs is how many bytes a server may take to list its branches and tags, of which go-git keeps all: some 800,000
	// of them.
	maxRefs = 64 << 20
	// maxReport is how many bytes a server may answer to a push, of which go-git keeps the report, and with it what hooks
	// print.
	maxReport = 8 << 20
	// maxErrorPage is how much is read of an answer that is no success.
	maxErrorPage = 64 << 10
)

// boundedAnswers is an HTTP transport that gives go-git no more than it can keep, and no page that is meant for
// people.
type boundedAnswers struct {
	http.RoundTripper
	over *Overlong
}

func (b boundedAnswers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body := response.Body
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case response.StatusCode >= 300:
		response.Body = limitedBody{io.LimitReader(body, maxErrorPage), body}
	case kind == "text/html":
		_ = body.Close() // the body is not needed
		return nil, notGit(request.URL.Host)
	case strings.HasSuffix(request.URL.Path, "/info/refs"):
		response.Body = limitedBody{&Limited{body, maxRefs, maxRefs, refsList, b.over}, body}
	case strings.HasSuffix(request.URL.Path, "/"+transport.ReceivePackServiceName):
		response.Body = limitedBody{&Limited{body, maxReport, maxReport, pushAnswer, b.over}, body}
	}
	return response, nil
}

type limitedBody struct {
	io.Reader
	io.Closer
}

// What a server sends and go-git keeps.
const (
	refsList   = "list of branches and tags"
	pushAnswer = "answer to the push"
)

// Bound makes a client one for git: it reads no more of an answer than git may keep, hears what hooks print after a
// push, and follows no redirect to another server. over gets the error of an answer that was too long.
func Bound(client *http.Client, over *Overlong) {
	client.Transport, client.CheckRedirect = boundedAnswers{hookOutput{client.Transport}, over}, checkRedirect
}

// Overlong is the last answer that was too long: go-git has words of its own for one that ends early.
type Overlong struct{ atomic.Pointer[error] }

// Limited is an answer that ends with an error where it is too long.
type Limited struct {
	from       io.Reader
	left, most int
	what       string
	over       *Overlong
}

func (l *Limited) Read(into []byte) (int, error) {
	if l.left == 0 {
		if closer, ok := l.from.(io.Closer); ok {
			_ = closer.Close() // go-git does not, and the server would wait forever
		}
		err := fmt.Errorf("the server's %s has more than %d MiB, want at most that", l.what, l.most>>20)
		l.over.Store(&err)
		return 0, err
	}
	n, err := l.from.Read(into[:min(len(into), l.left)])
	l.left -= n
	return n, err
}

// AllowPack begins the next answer, a pack: it is bounded where it is kept.
func (l *Limited) AllowPack() { l.allow("pack", math.MaxInt) }

// AllowReport begins the next answer, the report on a push.
func (l *Limited) AllowReport() { l.allow(pushAnswer, maxReport) }

func (l *Limited) allow(what string, most int) { l.what, l.most, l.left = what, most, most }

// BoundSession bounds what go-git reads in a session by ssh or of a program of this machine: the list of branches and
// tags, until another bound is set. go-git takes no reader there, but its session has the reader in a field that is
// exported.
func BoundSession(session any, over *Overlong) *Limited {
	bounded := &Limited{over: over}
	bounded.allow(refsList, maxRefs)
	value := reflect.Indirect(reflect.ValueOf(session))
	if value.Kind() != reflect.Struct {
		return bounded
	}
	output := value.FieldByName("Stdout")
	if !output.IsValid() || !output.CanSet() {
		return bounded
	}
	if from, ok := output.Interface().(io.Reader); ok {
		bounded.from = from
		output.Set(reflect.ValueOf(bounded))
	}
	return bounded
}

// AnswerError is what a server answered instead of git data: a web page, or the address of another server.
type AnswerError struct{ words string }

func (e *AnswerError) Error() string { return e.words }

func notGit(host string) error {
	return &AnswerError{text.Line(host) + " answered with a web page instead of git data: is this the URL of a repository, or does a proxy ask for a login?"}
}
