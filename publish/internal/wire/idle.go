package wire

import (
	"context"
	"fmt"
	"io"
	"time"
)

// defaultIdleTimeout is how long a server may be silent by default: time for its hooks, and for packing a big
// repository.
const defaultIdleTimeout = 5 * time.Minute

// WithIdleTimeout runs an exchange with a server until it is done, ctx ends, or the server was silent for too long;
// exchange calls active on each activity. Some transports ignore ctx, so the exchange runs in its own goroutine, and
// may be left behind with its resources.
func WithIdleTimeout[T any](ctx context.Context, silence time.Duration,
	exchange func(ctx context.Context, active func()) (T, error)) (T, error) {
	if silence <= 0 {
		silence = defaultIdleTimeout
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watch := time.AfterFunc(silence, func() { stop(fmt.Errorf("the server has sent nothing for %s", silence)) })
	defer watch.Stop()
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := exchange(ctx, func() { watch.Reset(silence) })
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

// Watched is a reader or a writer that tells when something moves.
type Watched struct {
	io.Reader
	io.Writer
	Active func()
}

func (m Watched) Read(into []byte) (int, error) {
	m.Active()
	return m.Reader.Read(into)
}

func (m Watched) Write(text []byte) (int, error) {
	m.Active()
	return m.Writer.Write(text)
}
