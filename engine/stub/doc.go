// Package stub is an OpenAI-compatible server of known behaviour: it answers in
// the shape of vLLM 0.32 (routes, headers, keys, event order, metric names,
// error bodies), but no model runs behind it. Time to first token, gaps, slots,
// queue, KV cache and prefix cache follow the numbers of its Config, so that a
// client's figures can be checked against the truth. Everything it says is
// marked as simulated: the header x-hpcbench-simulated, the owner of the model,
// and a version that starts with "stub-".
//
// One scheduler goroutine on a thread of its own owns the time: it sleeps with
// nanosecond time-outs, pops what is due and writes it to the sockets without
// blocking. One goroutine a connection reads requests. There is no timer and no
// goroutine a token, so that thousands of streams fit on one core. Bytes are
// written by the package itself and not by net/http's server, because the order
// and the case of header names, the moment of each write and the reuse of a
// connection after a stream are part of what clients are tested with.
package stub
