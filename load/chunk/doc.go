// Package chunk takes from one event of an OpenAI-like stream the few facts
// that a benchmark needs: whether it holds text, how the answer ended, what the
// server counted, and whether it is an error in the clothes of a 200.
//
// A load generator decodes as many events as the engine makes tokens, on the
// same node, so the usual shapes are read by a scanner that looks at every byte
// once and allocates nothing. Whatever it isn't sure of it leaves to
// encoding/json; a fuzz test holds both to the same answer.
package chunk
