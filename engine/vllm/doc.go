// Package vllm knows what changes with a vLLM release: the serve command's
// flags, how a server is found ready and ours, the names of its metrics, and
// what the lines of its log mean. All of it is pure except Ready, Identify and
// Scrape, which ask a running server.
package vllm
