package local

import "testing"

func TestOutputPath(t *testing.T) {
	j := job{ID: 12, Name: "hb", Host: "here", User: "me", Array: true}
	e := element{Task: 3, Raw: 14}
	for in, want := range map[string]string{
		"logs/%A_%a-%j.log": "logs/12_3-14.log", "%x-%N-%u": "hb-here-me", "%4a/%06j": "0003/000014", "100%": "100%", "%%j": "%j", "%q": "%q", "plain": "plain",
	} {
		if got := outputPath(in, j, e); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
	if got := outputPath("%a", job{ID: 1}, element{Raw: 1}); got != "4294967294" {
		t.Errorf("no array: %q", got)
	}
}

func FuzzOutputPath(f *testing.F) {
	f.Add("logs/%A_%4a.log")
	f.Add("%")
	f.Add("%999999999j")
	f.Fuzz(func(t *testing.T, s string) {
		if got := outputPath(s, job{ID: 1, Name: "n", Host: "h", User: "u"}, element{Raw: 1}); len(got) > 1000*(len(s)+1) {
			t.Errorf("%q grows to %d bytes", s, len(got))
		}
	})
}
