package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBinds(t *testing.T) {
	for text, want := range map[string][]bind{
		"":                     nil,
		"/a":                   {{"/a", "/a"}},
		"/a:/b":                {{"/a", "/b"}},
		"/a:/b:ro":             {{"/a", "/b"}},
		"/a,/b:/c,/d":          {{"/a", "/a"}, {"/b", "/c"}, {"/d", "/d"}},
		"/a:/b:ro,/c":          {{"/a", "/b"}, {"/c", "/c"}},
		"/a:/b:image-src=/,rw": {{"/a", "/b"}},
	} {
		got, err := parseBinds(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(bind{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseMount(t *testing.T) {
	got, err := parseMount(`type=bind,"source=/a,b",dst=/c,ro`)
	if err != nil || got != (bind{"/a,b", "/c"}) {
		t.Errorf("%v, %v", got, err)
	}
	for text, says := range map[string]string{
		"type=tmpfs,dst=/x": "unsupported mount type",
		"type=bind,src=/a":  "must specify",
		"type=bind,x=/a":    "invalid key",
		`type="`:            "bare",
	} {
		if _, err := parseMount(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v should say %q", text, err, says)
		}
	}
}

func FuzzParseBinds(f *testing.F) {
	for _, s := range []string{"/a:/b:ro,/c", ":", ",", "a::b", "/a:/b:ro,rw,/c:/d:image-src=/", " /a , /b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseBinds(text)
		if err != nil {
			return
		}
		for _, b := range got {
			if strings.ContainsAny(b.source+b.target, ",:") {
				t.Errorf("%q gave %+v", text, b)
			}
		}
	})
}
