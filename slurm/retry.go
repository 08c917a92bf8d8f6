package slurm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sethvargo/go-retry"
)

// retryTransient calls f again while Slurm cannot be reached, with growing,
// jittered pauses (1 s to 10 s), for as long as limit says.
func retryTransient(ctx context.Context, limit time.Duration, f func(context.Context) (Result, error)) (Result, error) {
	if limit < 0 {
		res, err := f(ctx)
		return res, settle(err)
	}
	pause := retry.WithMaxDuration(limit,
		retry.WithJitterPercent(20, retry.WithCappedDuration(10*time.Second, retry.NewExponential(time.Second))))
	var res Result
	err := retry.Do(ctx, pause, func(ctx context.Context) error {
		var err error
		res, err = f(ctx)
		if transient(err) && ctx.Err() == nil {
			return retry.RetryableError(err)
		}
		return err
	})
	return res, settle(err)
}

func transient(err error) bool {
	return errors.Is(err, ErrUnreachable) || errors.Is(err, errAmbiguous) || errors.Is(err, context.DeadlineExceeded)
}

// settle gives a broken exchange its public name: for a question, it does not
// matter whether it arrived.
func settle(err error) error {
	if err != nil && !errors.Is(err, ErrUnreachable) && transient(err) {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return err
}
