// Package wire carries requests to a server and brings the bytes of its answers
// with the instants at which they arrived. It knows HTTP/1.1, and nothing of
// events or tokens.
//
// Connecting is apart from sending: a Pool opens connections, in a paced way
// and before a window, and a request goes out as one write on a ready one. The
// instant of the send is taken just before that write; arrival is stamped by
// the kernel where that is known to work (package clock), before anything is
// parsed. Redirects aren't followed, nothing is sent twice unasked, and memory
// is bounded whatever the server sends.
//
// There are two wires. The raw one, for plain HTTP on Linux, reads all its
// connections from a few level-triggered epoll loops, each with one buffer: one
// recvmsg for what a connection has, no goroutine woken for an event and no
// buffer held by a stream. The standard library's wire (net/http's reader and
// crypto/tls on connections of our own) is for TLS and proxies; it takes the
// kernel's stamps below TLS. Both are held to the same answers by one table of
// hostile servers in package wiretest.
//
// The loops were chosen by measurement (package wirebench, 1,000 streams of 50
// events a second, client on one core): they cost 1.0 to 1.2 times a bare drain
// that only reads, with parsing and decoding, in 22 MB. A goroutine a stream,
// which is the standard library's wire, cost 1.0 to 1.8 times the drain and 50
// MB with two Ps; with one P it was woken so late that half of the events had
// been merged by the kernel before they were read, where the loops had 0 to 3 %.
// A loop holds a P while it waits, so a process that is kept on one core should
// have a GOMAXPROCS of at least 2.
package wire
