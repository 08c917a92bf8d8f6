package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hpcbench/engine"
)

func TestWaitReady(t *testing.T) {
	refused := errors.New("connection refused")
	t.Run("after a while", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			id, err := engine.WaitReady(context.Background(), nil, func(context.Context) (engine.Identity, error) {
				if time.Since(start) < time.Hour {
					return engine.Identity{}, refused
				}
				return engine.Identity{Version: "1"}, nil
			})
			if err != nil || id.Version != "1" || time.Since(start) > time.Hour+time.Second {
				t.Errorf("%+v %v after %v", id, err, time.Since(start))
			}
		})
	})
	t.Run("a dead server is noticed at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			dead := make(chan struct{})
			start := time.Now()
			time.AfterFunc(10*time.Second, func() { close(dead) })
			_, err := engine.WaitReady(context.Background(), dead, func(ctx context.Context) (engine.Identity, error) {
				<-ctx.Done() // a server that takes the connection and says nothing
				return engine.Identity{}, ctx.Err()
			})
			if !errors.Is(err, engine.ErrEnded) || time.Since(start) > 10*time.Second+100*time.Millisecond {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("deadline", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			_, err := engine.WaitReady(ctx, nil, func(context.Context) (engine.Identity, error) { return engine.Identity{}, refused })
			var late *engine.NotReadyError
			if !errors.As(err, &late) || !errors.Is(err, refused) || !strings.Contains(err.Error(), "after 1m0s") {
				t.Errorf("got %v", err)
			}
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := engine.WaitReady(ctx, nil, func(context.Context) (engine.Identity, error) { return engine.Identity{}, refused })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("somebody else's", func(t *testing.T) {
		asked := 0
		_, err := engine.WaitReady(context.Background(), nil, func(context.Context) (engine.Identity, error) {
			asked++
			return engine.Identity{}, &engine.ForeignError{Want: "m", RefusedKey: true}
		})
		var foreign *engine.ForeignError
		if !errors.As(err, &foreign) || asked != 1 {
			t.Errorf("%v after %d questions", err, asked)
		}
	})
}
