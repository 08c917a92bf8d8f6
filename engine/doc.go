// Package engine has the words that all kinds of inference server share: where
// a server is, who it says it is, why it failed and how much it can hold. What
// changes with an engine's release is in the packages below: vllm (command
// line, readiness, metrics, log lines), openai (any server with an OpenAI API)
// and stub (a server of known behaviour).
package engine
