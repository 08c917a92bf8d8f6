// Package openai finds any server with an OpenAI API ready: one that a user
// starts with a script of their own, or a remote service. It asks /v1/models
// and nothing else, so nothing is known of the engine's version or inside.
package openai
