package sse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hpcbench/load/clock"
)

// collect feeds the parts, the i-th with the stamp i+1, and answers each event as
// "type|data@stamp", with a ~ where it was marked as merged.
func collect(p *Parser, parts ...string) (events []string, err error) {
	emit := func(e *Event) error {
		mark := ""
		if e.Merged {
			mark = "~"
		}
		if e.Index != len(events) {
			return fmt.Errorf("event %d has the index %d", len(events), e.Index)
		}
		events = append(events, fmt.Sprintf("%s|%s@%s%d", e.Type, e.Data, mark, e.Stamp.Ns))
		return nil
	}
	for i, part := range parts {
		b := []byte(part)
		if err := p.Feed(b, clock.Stamp{Ns: int64(i + 1)}, emit); err != nil {
			return events, err
		}
		for j := range b { // a read buffer is used again
			b[j] = '#'
		}
	}
	return events, p.Close(clock.Stamp{Ns: int64(len(parts) + 1)}, emit)
}

func TestParser(t *testing.T) {
	tests := []struct {
		name  string
		parts []string
		want  []string
		err   error
	}{
		{"plain", []string{"data: a\n\n", "data: b\n\n"}, []string{"|a@1", "|b@2"}, nil},
		{"no space", []string{"data:a\n\n"}, []string{"|a@1"}, nil},
		{"only one space is dropped", []string{"data:  a\n\n"}, []string{"| a@1"}, nil},
		{"crlf", []string{"data: a\r\n\r\n", "data: b\r\n\r\n"}, []string{"|a@1", "|b@2"}, nil},
		{"cr", []string{"data: a\r\rdata: b\r\r"}, []string{"|a@~1", "|b@1"}, nil},
		{"mixed ends", []string{"data: a\r\n\ndata: b\n\r\ndata: c\r\n\r"}, []string{"|a@~1", "|b@~1", "|c@1"}, nil},
		{"crlf split between reads", []string{"data: a\r", "\n\r", "\ndata: b\r\n\r\n"}, []string{"|a@2", "|b@3"}, nil},
		{"many in a read", []string{"data: a\n\ndata: b\n\ndata: c\n\n"}, []string{"|a@~1", "|b@~1", "|c@1"}, nil},
		{"a whole one and a half", []string{"data: a\n\ndata: b", "\n\n"}, []string{"|a@~1", "|b@2"}, nil},
		{"split in the field name", []string{"da", "ta", ": a\n", "\n"}, []string{"|a@4"}, nil},
		{"split before the blank line", []string{"data: a\n", "\n"}, []string{"|a@2"}, nil},
		{"byte by byte", strings.Split("data: ab\r\n\r\n", ""), []string{"|ab@11"}, nil},
		{"multi-line", []string{"data: a\ndata: b\ndata\ndata:c\n\n"}, []string{"|a\nb\n\nc@1"}, nil},
		{"multi-line split", []string{"data: a\n", "data: b\n", "\n"}, []string{"|a\nb@3"}, nil},
		{"comments", []string{": ping\n\n", ":\ndata: a\n: in between\n\n"}, []string{"|a@2"}, nil},
		{"a long comment", []string{":" + strings.Repeat("x", 100), strings.Repeat("y", 100) + "\ndata: a\n\n"}, []string{"|a@2"}, nil},
		{"event, id, retry", []string{"event: error\nid: 7\nretry: 10\ndata: a\n\n", "data: b\n\n"}, []string{"error|a@1", "|b@2"}, nil},
		{"event without data", []string{"event: ping\n\ndata: a\n\n"}, []string{"|a@1"}, nil},
		{"empty event name", []string{"event: x\nevent\ndata: a\n\n"}, []string{"|a@1"}, nil},
		{"no colon", []string{"data\n\ndata\ndata\n\n"}, []string{"|@~1", "|\n@1"}, nil},
		{"other fields", []string{"dataset: x\nfoo\nData: y\ndata: a\n\n"}, []string{"|a@1"}, nil},
		{"byte order mark", []string{"\xef\xbb\xbfdata: a\n\n"}, []string{"|a@1"}, nil},
		{"byte order mark split", []string{"\xef", "\xbb", "\xbfdata: a\n\n"}, []string{"|a@3"}, nil},
		{"a mark that is none", []string{"\xef", "\xbbdata: a\n", "data: b\n\n"}, []string{"|b@3"}, nil},
		{"done", []string{"data: a\n\n", "data: [DONE]\n\n"}, []string{"|a@1", "|[DONE]@2"}, nil},
		{"done without a blank line", []string{"data: a\n\n", "data: [DONE]\n"}, []string{"|a@1", "|[DONE]@3"}, nil},
		{"done without a line end", []string{"data:[DONE]"}, []string{"|[DONE]@2"}, nil},
		{"cut in an event", []string{"data: a\n\ndata: {\"x\""}, []string{"|a@~1"}, ErrTorn},
		{"cut before the blank line", []string{"data: a\n"}, nil, ErrTorn},
		{"cut in a field name", []string{"data: a\n\n", "dat"}, []string{"|a@1"}, ErrTorn},
		{"cut in a comment", []string{"data: a\n\n", ": pi"}, []string{"|a@1"}, nil},
		{"nothing", nil, nil, nil},
		{"blank lines behind an event belong to it", []string{"data: a\n\n\n\r\n"}, []string{"|a@1"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := collect(new(Parser), tt.parts...)
			if !slices.Equal(got, tt.want) || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v\nwant %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestMoreMarksTheLastEventToo(t *testing.T) {
	var p Parser
	var merged []bool
	emit := func(e *Event) error { merged = append(merged, e.Merged); return nil }
	for _, more := range []bool{true, false} {
		if err := p.Feed([]byte("data: a\n\n"), clock.Stamp{More: more}, emit); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(merged, []bool{true, false}) {
		t.Errorf("merged: %v", merged)
	}
}

func TestSizeIsBounded(t *testing.T) {
	const limit = 1 << 20
	whole := "data: " + strings.Repeat("x", limit) + "\n\n"
	parts := func(s string, n int) (out []string) {
		for chunk := range slices.Chunk([]byte(s), n) {
			out = append(out, string(chunk))
		}
		return out
	}
	long := strings.Repeat("x", limit/2) + "\n"
	tests := []struct {
		name  string
		parts []string
		ok    bool
	}{
		{"just within, one read", []string{whole}, true},
		{"just within, many reads", parts(whole, 1000), true},
		{"above, one read", []string{"data: x" + whole[6:]}, false},
		{"above, many reads", parts("data: "+strings.Repeat("x", limit+20), 1000), false},
		{"above, many lines", []string{"data: " + long, "data: " + long, "data: " + long}, false},
		{"never a line end", parts("event: "+strings.Repeat("x", 2*limit), 5000), false},
		{"a comment may be of any size", parts(":"+strings.Repeat("x", 2*limit)+"\n", 5000), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p Parser
			p.Reset(limit)
			_, err := collect(&p, tt.parts...)
			if tt.ok && err != nil || !tt.ok && !errors.Is(err, ErrTooLarge) {
				t.Errorf("got %v", err)
			}
			if held := cap(p.data) + cap(p.line); held > 5*limit {
				t.Errorf("%d bytes held", held)
			}
		})
	}
}

func TestResetForgets(t *testing.T) {
	var p Parser
	if _, err := collect(&p, "event: x\ndata: a\r"); !errors.Is(err, ErrTorn) {
		t.Fatal(err)
	}
	p.Reset(0)
	if got, err := collect(&p, "\xef\xbb\xbfdata: b\n\n"); err != nil || !slices.Equal(got, []string{"|b@1"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestErrorOfTheCallback(t *testing.T) {
	mine := errors.New("stop")
	var p Parser
	n := 0
	err := p.Feed([]byte("data: a\n\ndata: b\n\n"), clock.Stamp{}, func(*Event) error { n++; return mine })
	if err != mine || n != 1 {
		t.Errorf("%d calls, %v", n, err)
	}
}

func TestAllocatesNothing(t *testing.T) {
	var p Parser
	n := 0
	emit := func(e *Event) error { n += len(e.Data); return nil }
	read := []byte("data: {\"a\":1}\n\ndata: {\"a\":2}\n\nda")
	rest := []byte("ta: {\"a\":3}\r\ndata: x\r\n\r\n")
	feed := func() {
		if p.Feed(read, clock.Stamp{}, emit) != nil || p.Feed(rest, clock.Stamp{}, emit) != nil {
			t.Fatal("no error was expected")
		}
	}
	feed()
	if allocs := testing.AllocsPerRun(100, feed); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// plainEvents is the WHATWG algorithm on a whole text, as simple as it can be.
func plainEvents(s string) (events []string) {
	s = strings.TrimPrefix(s, "\xef\xbb\xbf")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	lines := strings.Split(s, "\n")
	var data []string
	typ := ""
	for _, line := range lines[:len(lines)-1] {
		if line == "" {
			if data != nil {
				events = append(events, typ+"|"+strings.Join(data, "\n"))
			}
			data, typ = nil, ""
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data = append(data, value)
		case "event":
			typ = value[:min(len(value), maxType)]
		}
	}
	return events
}

func FuzzSplitAnywhere(f *testing.F) {
	f.Add("data: a\r\n\r\ndata:b\n\n: c\n\nevent: x\ndata: d\ndata: e\r\r", []byte{3, 1, 9})
	f.Add("\xef\xbb\xbfdata\n\ndata: [DONE]", []byte{1})
	f.Add("event: "+strings.Repeat("e", 80)+"\ndata: {\"choices\":[]}\n\n"+strings.Repeat("q", 70)+"\ndata:x\n\n", []byte{64, 2})
	f.Fuzz(func(t *testing.T, s string, cuts []byte) {
		var parts []string
		rest := s
		for i := 0; rest != ""; i++ {
			n := len(rest)
			if i < len(cuts) {
				n = min(n, int(cuts[i]))
			}
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		strip := func(events []string) (out []string) {
			for _, e := range events {
				out = append(out, e[:strings.LastIndexByte(e, '@')])
			}
			return out
		}
		split, splitErr := collect(new(Parser), parts...)
		whole, wholeErr := collect(new(Parser), s)
		if !slices.Equal(strip(split), strip(whole)) || splitErr != wholeErr {
			t.Errorf("%q\nsplit %q, %v\nwhole %q, %v", parts, split, splitErr, whole, wholeErr)
		}
		got := strip(whole)
		want := plainEvents(s)
		if len(got) == len(want)+1 && strings.HasSuffix(strings.TrimSpace(got[len(want)]), "[DONE]") {
			got = got[:len(want)] // the one thing we read that the rules drop
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q\ngot  %q\nwant %q", s, got, want)
		}
	})
}

func BenchmarkFeed(b *testing.B) {
	one := "data: {\"id\":\"cmpl-8f821dabad043275\",\"object\":\"text_completion\",\"created\":1796131774,\"model\":\"tiny\",\"choices\":[{\"index\":0,\"text\":\" attach\",\"logprobs\":null,\"finish_reason\":null}]}\n\n"
	for _, perRead := range []int{1, 32} {
		b.Run(fmt.Sprintf("%d_a_read", perRead), func(b *testing.B) {
			read := []byte(strings.Repeat(one, perRead))
			var p Parser
			n := 0
			emit := func(e *Event) error { n++; return nil }
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Feed(read, clock.Stamp{}, emit); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
