package sites

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var ada = Who{User: "ada", Home: "/users/ada", Dir: "/project/here"}

func TestExpand(t *testing.T) {
	p := Profile{
		Name: "here",
		Settings: Settings{
			Account: "FTA-26-15", Image: "~/images/a.sif", RunsDir: "runs",
			CacheDir: "/scratch/{account_lower}/{user}",
		},
		Caches:      map[string]Cache{"C": {Path: "{cache_dir}/{job}/{node}"}},
		Environment: map[string]Variable{"E": {Value: `{"level": 1, "who": "{user}"}`}},
		Binds:       map[string]Bind{"{home}/data": {Target: "/data/{site}"}},
	}
	got, err := p.Expand(ada)
	if err != nil {
		t.Fatal(err)
	}
	want := p
	want.Image, want.RunsDir, want.CacheDir = "/users/ada/images/a.sif", "/project/here/runs", "/scratch/fta-26-15/ada"
	want.Caches = map[string]Cache{"C": {Path: "/scratch/fta-26-15/ada/{job}/{node}"}}
	want.Environment = map[string]Variable{"E": {Value: `{"level": 1, "who": "ada"}`}}
	want.Binds = map[string]Bind{"/users/ada/data": {Target: "/data/here"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	if p.Caches["C"].Path != "{cache_dir}/{job}/{node}" {
		t.Error("the profile itself was changed")
	}
}

func TestExpandNamesWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		runs, want string
		who        Who
	}{
		{"/scratch/{account}/runs", `runs_dir: "/scratch/{account}/runs" needs account, which is not set`, ada},
		{"{home}/runs", "needs home", Who{User: "ada"}},
		{"~/runs", "is not an absolute path", Who{User: "ada", Dir: "/work"}},
		{"~bob/runs", "is not an absolute path", ada},
		{"runs", "is not an absolute path", Who{User: "ada", Home: "/h"}},
	} {
		_, err := Profile{Settings: Settings{RunsDir: c.runs}}.Expand(c.who)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.runs, err, c.want)
		}
	}
}

// FuzzFill: a template that passes the check has none but job placeholders
// left when it is filled in, and nothing in a value is taken for a placeholder again.
func FuzzFill(f *testing.F) {
	f.Add("/scratch/{account}/{user}/{job}", "project_465000001")
	f.Add("{account}{account}", "{user}")
	f.Add("{", "}")
	f.Fuzz(func(t *testing.T, text, account string) {
		if checkPathTemplate(text) != nil || account == "" {
			return
		}
		values := map[string]string{"account": account, "account_lower": "l", "user": "u", "home": "/h", "site": "s", "cache_dir": "/c"}
		got, err := fill(text, values)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		pieces := strings.NewReplacer("{account}", account, "{account_lower}", "l", "{user}", "u", "{home}", "/h", "{site}", "s", "{cache_dir}", "/c").Replace(text)
		if got != pieces {
			t.Errorf("fill(%q) = %q, want %q", text, got, pieces)
		}
	})
}
