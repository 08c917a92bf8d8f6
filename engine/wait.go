package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sethvargo/go-retry"
)

// ErrEnded says that the server's process ended before it was ready.
var ErrEnded = errors.New("the server ended before it was ready")

// NotReadyError says that time ran out; Last is what the last question met.
type NotReadyError struct {
	After time.Duration
	Last  error
}

func (e *NotReadyError) Error() string {
	return fmt.Sprintf("the server wasn't ready after %s; the last question: %v", e.After.Round(100*time.Millisecond), e.Last)
}

func (e *NotReadyError) Unwrap() error { return e.Last }

// pollEvery is the time between two questions to a server that starts.
const pollEvery = 250 * time.Millisecond

// questionLimit bounds one question: a server that takes the connection and says nothing isn't ready.
const questionLimit = 5 * time.Second

// WaitReady asks until probe succeeds. It gives up at once when dead is closed
// (ErrEnded) or the server is somebody else's (*ForeignError), and when ctx
// ends (*NotReadyError at its deadline, else ctx's error).
func WaitReady(ctx context.Context, dead <-chan struct{}, probe func(context.Context) (Identity, error)) (Identity, error) {
	start := time.Now()
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-dead:
			cancel()
		case <-stop:
		}
	}()
	var id Identity
	last := errors.New("none was asked")
	err := retry.Do(asking, retry.NewConstant(pollEvery), func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, questionLimit)
		defer cancel()
		var err error
		if id, err = probe(ctx); err == nil {
			return nil
		}
		var foreign *ForeignError
		if errors.As(err, &foreign) {
			return err
		}
		if asking.Err() == nil {
			last = err
		}
		return retry.RetryableError(err)
	})
	select {
	case <-dead:
		return Identity{}, ErrEnded
	default:
	}
	switch {
	case err == nil:
		return id, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Identity{}, &NotReadyError{After: time.Since(start), Last: last}
	case ctx.Err() != nil:
		return Identity{}, fmt.Errorf("wait for the server: %w", ctx.Err())
	}
	return Identity{}, err
}
