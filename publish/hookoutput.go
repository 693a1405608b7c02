package publish

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A git server reports on a push as soon as the branch has moved, and runs its post-receive hooks after that. What they
// say (where to open a pull request, that a build has begun) comes behind the report, where go-git does not read any
// more. hookOutput holds the report's end back until the server is done, and so go-git reads the words before it.
type hookOutput struct{ http.RoundTripper }

// hookTime is how long a server's words are waited for after its report: the push is done by then.
const hookTime = 10 * time.Second

func (l hookOutput) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(request)
	if err == nil && response.Header.Get("Content-Type") == "application/x-git-receive-pack-result" {
		response.Body = newReportAfterHooks(response.Body, hookTime)
	}
	return response, err
}

// reportAfterHooks is an answer to a push, in git's packets, with the one that ends the report after all progress.
type reportAfterHooks struct {
	body    io.ReadCloser
	packets chan pktLine
	done    chan struct{}
	close   sync.Once
	hooks   time.Duration

	ready, held []byte
	late        <-chan time.Time
	end         error
}

// pktLine is one of git's packets with its length in front, or how the answer ended.
type pktLine struct {
	raw []byte
	err error
}

func newReportAfterHooks(body io.ReadCloser, hooks time.Duration) *reportAfterHooks {
	r := &reportAfterHooks{body: body, packets: make(chan pktLine), done: make(chan struct{}), hooks: hooks}
	go func() {
		for {
			raw, err := readPacket(body)
			select {
			case r.packets <- pktLine{raw, err}:
			case <-r.done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return r
}

// readPacket reads a pktLine: four digits of its length with themselves, and so many bytes less four.
func readPacket(reader io.Reader) ([]byte, error) {
	head := make([]byte, 4)
	if n, err := io.ReadFull(reader, head); err != nil {
		return head[:n], err
	}
	length, err := strconv.ParseUint(string(head), 16, 16)
	if err != nil {
		return nil, fmt.Errorf("the server's answer: %q is no length of a pktLine", head)
	}
	if length <= 4 {
		return head, nil
	}
	raw := make([]byte, length)
	copy(raw, head)
	_, err = io.ReadFull(reader, raw[4:])
	return raw, err
}

func (r *reportAfterHooks) Read(into []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.end != nil {
			_ = r.Close() // whatever it says, the answer was read
			return 0, r.end
		}
		select {
		case next := <-r.packets:
			r.take(next)
		case <-r.late:
			r.ready, r.held, r.end = r.held, nil, io.EOF
		}
	}
	n := copy(into, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// take puts a pktLine where it belongs. Packets of the side band begin with 1 for the report, 2 for progress and 3 for
// an error; the report is packets itself, and ends in one without content.
func (r *reportAfterHooks) take(next pktLine) {
	switch {
	case next.err != nil:
		r.ready, r.held, r.end = append(r.held, next.raw...), nil, next.err
	case len(next.raw) <= 4:
		r.ready, r.held = append(r.held, next.raw...), nil
	case next.raw[4] == 1 && bytes.HasSuffix(next.raw, []byte("0000")):
		r.ready, r.held = r.held, next.raw
		r.late = time.After(r.hooks)
	case next.raw[4] == 1:
		r.ready, r.held = append(r.held, next.raw...), nil
	default:
		r.ready = next.raw
	}
}

func (r *reportAfterHooks) Close() (err error) {
	r.close.Do(func() {
		close(r.done)
		err = r.body.Close()
	})
	return err
}
