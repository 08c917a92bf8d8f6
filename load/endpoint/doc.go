// Package endpoint is where a server is and how to talk to it beside the
// measured requests: the URL as users write it, the key, a Unix socket, the
// proxy rules, and the questions about models. What is asked here uses
// connections of its own and is never measured.
package endpoint
