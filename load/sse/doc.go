// Package sse reads server-sent events from bytes as they arrive, without
// waiting for more of them and without allocating for an event. It follows the
// WHATWG rules (lines end with LF, CR or CRLF; one space behind the colon is
// dropped; several data lines are joined by LF; comments and unknown fields are
// ignored; a byte order mark may stand first), so that also servers that write
// "data:" without a space or CRLF are read as they mean it.
//
// Every event carries the stamp of the read that completed it. Where more bytes
// of the same read follow an event, the kernel may have merged them, and the
// event is marked: then it is only known to have arrived within the stamp's
// interval.
package sse
