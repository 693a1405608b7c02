package publish

import (
	"context"
	"fmt"
	"io"
	"time"
)

// patience is how long a server may be silent where Target.Patience does not say: time for its hooks, and for
// packing a big repository.
const patience = 5 * time.Minute

// patiently runs an exchange with a server until it is done, ctx ends, or nothing has come or gone for so long;
// exchange calls moved whenever something does. Transports wait for some servers without looking at ctx, so the
// exchange runs beside, and may be left behind with what it holds.
func patiently[T any](ctx context.Context, silence time.Duration, exchange func(ctx context.Context, moved func()) (T, error)) (T, error) {
	if silence <= 0 {
		silence = patience
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watch := time.AfterFunc(silence, func() { stop(fmt.Errorf("the server has said nothing for %s", silence)) })
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

// moving is a reader or a writer that tells when something moves.
type moving struct {
	io.Reader
	io.Writer
	moved func()
}

func (m moving) Read(into []byte) (int, error) {
	m.moved()
	return m.Reader.Read(into)
}

func (m moving) Write(text []byte) (int, error) {
	m.moved()
	return m.Writer.Write(text)
}
