package publish

import (
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

const (
	// maxRefs is how many bytes a server may take to list its branches and tags, of which go-git keeps all: some 800,000 of them.
	maxRefs = 64 << 20
	// maxErrorPage is how much is read of an answer that is no success.
	maxErrorPage = 64 << 10
)

// boundedRefs is an HTTP transport that gives go-git no more than it can keep, and no page that is meant for people.
type boundedRefs struct{ http.RoundTripper }

func (b boundedRefs) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body := response.Body
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	//guard: an error page without an end takes all memory
	case response.StatusCode >= 300:
		response.Body = limitedBody{io.LimitReader(body, maxErrorPage), body}
	//guard: a proxy's login page is reported as a length of a packet
	case kind == "text/html":
		_ = body.Close() // nobody reads it
		return nil, &pageError{text.Line(request.URL.Host)}
	case strings.HasSuffix(request.URL.Path, "/info/refs"):
		//guard: a server that names branches without an end takes half an hour, or all memory
		response.Body = limitedBody{&limitedRefs{from: body, left: maxRefs}, body}
	}
	return response, nil
}

type limitedBody struct {
	io.Reader
	io.Closer
}

// limitedRefs is a list of branches and tags that ends with an error where it is too long.
type limitedRefs struct {
	from io.Reader
	left int
}

func (l *limitedRefs) Read(into []byte) (int, error) {
	if l.left == 0 {
		return 0, fmt.Errorf("the server's list of branches and tags has more than %d MiB, want at most that", maxRefs>>20)
	}
	n, err := l.from.Read(into[:min(len(into), l.left)])
	l.left -= n
	return n, err
}

// boundSSH bounds the list of branches and tags that a session of go-git's ssh is about to read. done lifts the bound, after all of the list was read: packs are bounded elsewhere. go-git takes
// neither a connection nor a reader for ssh, but its session has the reader in a field that is exported.
func boundSSH(session any) (done func()) {
	value := reflect.Indirect(reflect.ValueOf(session))
	if value.Kind() != reflect.Struct {
		return func() {}
	}
	output := value.FieldByName("Stdout")
	if !output.IsValid() || !output.CanSet() {
		return func() {}
	}
	from, is := output.Interface().(io.Reader)
	if !is {
		return func() {}
	}
	bounded := &limitedRefs{from: from, left: maxRefs}
	output.Set(reflect.ValueOf(bounded))
	//guard: a pack of more than 64 MiB cannot be fetched over ssh
	return func() { bounded.left = math.MaxInt }
}

// pageError is a web page where git's answer should be.
type pageError struct{ host string }

func (e *pageError) Error() string {
	return e.host + " answered with a web page instead of git data: is this the URL of a repository, or does a proxy ask for a login?"
}
