package history_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/history"
)

// shelf writes runs into one folder.
type shelf struct {
	testing.TB
	dir string
}

func (s shelf) TempDir() string { return s.dir }

func names(entries []history.Entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Run)
	}
	return strings.Join(all, " ")
}

func TestUpdateOpensWhatIsNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "history.jsonl")
	if got, problems, err := history.Update(path, filepath.Join(dir, "none")); err != nil || len(got) != 0 || len(problems) != 0 {
		t.Fatalf("nothing yet: %v %v %v", got, problems, err)
	}
	collecttest.Write(shelf{t, dir}, collecttest.Setup{Name: "a", Repeats: 1, DurationS: 10})
	cut := collecttest.Write(shelf{t, dir}, collecttest.Setup{Name: "b", Repeats: 2, DurationS: 10})
	second := cut.Repeat(2)
	if err := os.Rename(second, second+".away"); err != nil {
		t.Fatal(err)
	}
	got, problems, err := history.Update(path, dir)
	if err != nil || len(problems) != 0 || names(got) != "a b" || got[1].Good != 1 {
		t.Fatalf("%s %v %v", names(got), problems, err)
	}
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	if again, _, err := history.Update(path, dir); err != nil || !reflect.DeepEqual(again, got) || size() != before {
		t.Errorf("nothing changed, but %d bytes became %d: %v", before, size(), err)
	}
	// The missing repeat arrives; a run that is complete is not opened again, and stays when its folder goes.
	if err := os.Rename(second+".away", second); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	got, _, err = history.Update(path, dir)
	if err != nil || names(got) != "a b" || got[1].Good != 2 {
		t.Errorf("%s %+v %v", names(got), got, err)
	}
	loaded, _, err := history.Load(path)
	if err != nil || !reflect.DeepEqual(loaded, got) {
		t.Errorf("the file says %s, %v", names(loaded), err)
	}
}

func TestUpdateNamesWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "history.jsonl")
	collecttest.Write(shelf{t, dir}, collecttest.Setup{Name: "a", Repeats: 1, DurationS: 10})
	collecttest.WriteFile(t, path, []byte("{\"format\": \"hpcbench.hist\n"))
	got, problems, err := history.Update(path, dir)
	if err != nil || names(got) != "a" || len(problems) != 1 || problems[0].File != path {
		t.Errorf("%s %v %v", names(got), problems, err)
	}
}

func TestUpdateOfAHistoryThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	collecttest.Write(shelf{t, dir}, collecttest.Setup{Name: "a", Repeats: 1, DurationS: 10})
	path := filepath.Join(dir, "history.jsonl")
	if err := os.Symlink(filepath.Join(dir, "gone", "history.jsonl"), path); err != nil {
		t.Fatal(err)
	}
	got, problems, err := history.Update(path, dir)
	if err != nil || names(got) != "a" || len(problems) != 1 || problems[0].File != path {
		t.Errorf("%s %v %v", names(got), problems, err)
	}
}
