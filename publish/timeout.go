package publish

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"
)

// defaultIdleTimeout is how long a server may be silent where Target.IdleTimeout does not say: time for its hooks, and for
// packing a big repository.
const defaultIdleTimeout = 5 * time.Minute

// defaultTimeout is how long everything may take where Target.Timeout does not say. A server that sends a byte now and
// then is never idle.
const defaultTimeout = 30 * time.Minute

// withTimeout is a context that ends when the target's time is up.
func (t *Target) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := cmp.Or(t.Timeout, defaultTimeout)
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w after %s", ErrTimeout, limit))
}

// withIdleTimeout runs an exchange with a server until it is done, ctx ends, or nothing has come or gone for so long;
// exchange calls active whenever something does. Transports wait for some servers without looking at ctx, so the
// exchange runs beside, and may be left behind with what it holds.
func withIdleTimeout[T any](ctx context.Context, silence time.Duration, exchange func(ctx context.Context, active func()) (T, error)) (T, error) {
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

// watched is a reader or a writer that tells when something moves.
type watched struct {
	io.Reader
	io.Writer
	active func()
}

func (m watched) Read(into []byte) (int, error) {
	m.active()
	return m.Reader.Read(into)
}

func (m watched) Write(text []byte) (int, error) {
	m.active()
	return m.Writer.Write(text)
}
