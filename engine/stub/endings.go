package stub

// cancel ends a stream whose client went away. vLLM counts that nowhere.
func (e *engine) cancel(s *stream) {
	e.mu.Lock()
	e.end(s, finishCancelled, nil)
	e.mu.Unlock()
	e.sleeper.wake()
}

// endAll ends every stream; the queue goes first, so that no slot is given away.
func (e *engine) endAll(finish string, err *apiError) {
	for len(e.queue) > 0 {
		e.end(e.queue[len(e.queue)-1], finish, err)
	}
	for len(e.due) > 0 {
		e.end(e.due[0], finish, err)
	}
	for len(e.stepping) > 0 {
		e.end(e.stepping[0], finish, err)
	}
}

// die is the death of the engine under a server that still answers.
func (e *engine) die() {
	e.dead = true
	e.endAll(finishError, errDead)
	close(e.died)
}

func (e *engine) isDead() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.dead
}

// refuse ends every new request at once with finish_reason "abort", as a server does that is told to stop.
func (e *engine) refuse() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.draining = true
}

func (e *engine) inFlight() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running + len(e.queue)
}

// stop ends what is open.
func (e *engine) stop(finish string) {
	e.mu.Lock()
	e.draining = true
	e.endAll(finish, nil)
	e.mu.Unlock()
	e.sleeper.wake()
}

// close ends the scheduler; every stream must have ended before.
func (e *engine) close() error {
	e.mu.Lock()
	e.closing = true
	e.mu.Unlock()
	e.sleeper.wake()
	<-e.loopDone
	err := e.sleeper.close()
	if e.truth != nil {
		err = e.truth.close()
	}
	return err
}
