package templates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func night() NightlyData {
	return NightlyData{
		Program: "/home/me/bin/hpcbench", Suite: "models", Dir: "/scratch/project/open-35-12/nightly",
		Path: "/usr/bin:/bin:/opt/slurm/bin", StartHour: 20, Hours: 12, EveryMinutes: 20,
		Log: "/home/me/nightly.log", Account: "open-35-12", Partition: "qcpu", Runner: "karolina",
		Reports: "reports/models", JUnit: "junit.xml",
	}
}

func TestNightlyGolden(t *testing.T) {
	for _, kind := range NightlyKinds {
		got, err := Nightly(kind, night())
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", "nightly."+kind)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

func TestNightlySchedule(t *testing.T) {
	for _, c := range []struct {
		start, hours, every int
		cron, calendar      string
	}{
		{20, 12, 20, "0,20,40 20-23,0-7", "20..23,00..07:00,20,40"},
		{1, 3, 60, "0 1-3", "01..03:00"},
		{23, 2, 45, "0,45 23,0", "23,00:00,45"},
		{5, 1, 7, "0,7,14,21,28,35,42,49,56 5", "05:00,07,14,21,28,35,42,49,56"},
		{0, 23, 30, "0,30 0-22", "00..22:00,30"},
		{22, 2, 30, "0,30 22-23", "22..23:00,30"},
	} {
		d := NightlyData{StartHour: c.start, Hours: c.hours, EveryMinutes: c.every}
		if got := d.CronMinutes() + " " + d.CronHours(); got != c.cron {
			t.Errorf("cron of %+v: %s, want %s", c, got, c.cron)
		}
		if got := d.CalendarHours() + ":" + d.CalendarMinutes(); got != c.calendar {
			t.Errorf("calendar of %+v: %s, want %s", c, got, c.calendar)
		}
	}
}

// What CI reads has to mean what was meant.
func TestNightlyYAML(t *testing.T) {
	for _, dir := range []string{night().Dir, ""} {
		d := night()
		d.Dir = dir
		var gitlab map[string]struct {
			Tags      []string `yaml:"tags"`
			Timeout   string   `yaml:"timeout"`
			Script    []string `yaml:"script"`
			Artifacts struct {
				Reports struct {
					JUnit string `yaml:"junit"`
				} `yaml:"reports"`
			} `yaml:"artifacts"`
		}
		parse(t, "gitlab-ci", d, &gitlab)
		job := gitlab["hpcbench-nightly-models"]
		command := "/home/me/bin/hpcbench nightly models --wait --out reports/models"
		if job.Script[len(job.Script)-1] != command || job.Tags[0] != "karolina" || job.Timeout != "720 minutes" || job.Artifacts.Reports.JUnit != "reports/models/junit.xml" {
			t.Errorf("gitlab: %+v", job)
		}
		var github struct {
			On struct {
				Schedule []struct {
					Cron string `yaml:"cron"`
				} `yaml:"schedule"`
			} `yaml:"on"`
			Jobs map[string]struct {
				RunsOn []string `yaml:"runs-on"`
				Steps  []struct {
					Run  string            `yaml:"run"`
					Dir  string            `yaml:"working-directory"`
					With map[string]string `yaml:"with"`
				} `yaml:"steps"`
			} `yaml:"jobs"`
		}
		parse(t, "github-actions", d, &github)
		steps := github.Jobs["nightly"].Steps
		kept := strings.TrimPrefix(dir+"/reports/models/", map[bool]string{true: "/"}[dir == ""])
		if github.On.Schedule[0].Cron != "0 20 * * *" || steps[0].Run != command || steps[0].Dir != dir || steps[1].With["path"] != kept {
			t.Errorf("github: %+v", github)
		}
	}
}

func parse(t *testing.T, kind string, d NightlyData, into any) {
	t.Helper()
	b, err := Nightly(kind, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v\n%s", kind, err, b)
	}
}

func TestNightlyRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   string
		change func(*NightlyData)
		says   string
	}{
		{"kind", "at", func(*NightlyData) {}, "want one of cron"},
		{"relative program", "cron", func(d *NightlyData) { d.Program = "hpcbench" }, "the program's path"},
		{"no program", "cron", func(d *NightlyData) { d.Program = "" }, "is missing"},
		{"percent ends a cron line", "cron", func(d *NightlyData) { d.Log = "/a%b" }, "the log file"},
		{"blank", "systemd", func(d *NightlyData) { d.Dir = "/a b" }, "the folder"},
		{"newline", "scrontab", func(d *NightlyData) { d.Account = "a\n* * * * * id" }, "the account"},
		{"newline at the end", "scrontab", func(d *NightlyData) { d.Partition = "a\n" }, "the partition"},
		{"command in the suite", "github-actions", func(d *NightlyData) { d.Suite = "a;id" }, "the suite's name"},
		{"option as suite", "cron", func(d *NightlyData) { d.Suite = "-x" }, "the suite's name"},
		{"expression", "github-actions", func(d *NightlyData) { d.Runner = "${{secrets.x}}" }, "the runner"},
		{"reports elsewhere", "gitlab-ci", func(d *NightlyData) { d.Reports = "a/../../b" }, "leaves the folder"},
		{"relative PATH", "cron", func(d *NightlyData) { d.Path = "/bin:bin" }, "PATH"},
		{"no PATH", "cron", func(d *NightlyData) { d.Path = "" }, "PATH is missing"},
		{"hour", "cron", func(d *NightlyData) { d.StartHour = 24 }, "begin at hour 24"},
		{"length", "cron", func(d *NightlyData) { d.Hours = 24 }, "24 hours long"},
		{"too often", "cron", func(d *NightlyData) { d.EveryMinutes = 1 }, "login node"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := night()
			c.change(&d)
			if text, err := Nightly(c.kind, d); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v should say %q\n%s", err, c.says, text)
			}
		})
	}
}
