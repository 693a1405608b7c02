package wire

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/airshipit/sipgen/internal/redact"
)

// hookOutput is an HTTP transport that passes the output of a server's post-receive hooks to go-git: where to open a
// pull request on a forge of unknown kind, or that a build has begun. A server reports on a push as soon as the
// branch has moved, and then runs those hooks, when go-git has stopped reading. So the report's end is held back
// until the server is done.
type hookOutput struct{ http.RoundTripper }

// hookWait is how long a server's hooks are waited for after its report: the push is done by then.
const hookWait = time.Minute

func (h hookOutput) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := h.RoundTripper.RoundTrip(request)
	if err == nil && response.Header.Get("Content-Type") == "application/x-git-receive-pack-result" {
		response.Body = &reportLast{ReadCloser: response.Body, wait: hookWait}
	}
	return response, err
}

// reportLast is an answer to a push, in git's packets, with the one that ends the report after all progress.
type reportLast struct {
	io.ReadCloser // the answer as it comes
	wait          time.Duration

	ready, held []byte
	end         error
	late        atomic.Bool // the hooks had their time
}

func (r *reportLast) Read(into []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.end != nil {
			return 0, r.end
		}
		packet, err := readPacket(r.ReadCloser)
		switch {
		case err != nil && r.late.Load():
			r.ready, r.end = r.held, io.EOF
		case err != nil:
			r.ready, r.end = append(r.held, packet...), err
		default:
			r.take(packet)
		}
	}
	n := copy(into, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// take puts a packet where it belongs. Packets of the side band begin with 1 for the report, 2 for progress and 3 for
// an error; the report is packets itself, and ends in one without content.
func (r *reportLast) take(packet []byte) {
	sideband := byte(0)
	if len(packet) > 4 {
		sideband = packet[4]
	}
	switch {
	case sideband == 1 && bytes.HasSuffix(packet, []byte("0000")):
		r.ready, r.held = r.held, packet
		time.AfterFunc(r.wait, func() {
			r.late.Store(true)
			_ = r.Close() // ends the read that is under way
		})
	case sideband <= 1:
		r.ready, r.held = append(r.held, packet...), nil
	default:
		r.ready = packet
	}
}

// readPacket reads a packet: four digits of its length with themselves, and so many bytes less four.
func readPacket(reader io.Reader) ([]byte, error) {
	head := make([]byte, 4)
	if n, err := io.ReadFull(reader, head); err != nil {
		return head[:n], err
	}
	length, err := strconv.ParseUint(string(head), 16, 16)
	if err != nil {
		return nil, redact.Errorf("the server's answer: %q is no length of a packet", head)
	}
	if length <= 4 {
		return head, nil
	}
	packet := append(head, make([]byte, length-4)...)
	_, err = io.ReadFull(reader, packet[4:])
	return packet, err
}
