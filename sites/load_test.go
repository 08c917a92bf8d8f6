package sites

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hpcbench/sites/conf"
)

func TestLayersBeatEachOther(t *testing.T) {
	b := newBench(t)
	check := func(step, wantAccount, wantOrigin string) {
		t.Helper()
		p, origins, err := LoadSite("lumi", b.Options)
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if p.Account != wantAccount || origins.Of("account").String() != wantOrigin {
			t.Errorf("%s: account %q from %s, want %q from %s", step, p.Account, origins.Of("account"), wantAccount, wantOrigin)
		}
	}
	check("embedded", "", "unset")
	site := b.write("sites/lumi.yaml", "# mine\naccount: project_465000001\n")
	check("site file", "project_465000001", site+":2")
	b.Environ = append(b.Environ, "SBATCH_ACCOUNT=project_465000002")
	check("sbatch's variable", "project_465000002", "SBATCH_ACCOUNT")
	config := b.write("config.yaml", "account: project_465000003\n")
	check("configuration, general", "project_465000003", config+":1")
	b.write("config.yaml", "account: project_465000003\nsites:\n  lumi: {account: project_465000004}\n  karolina: {account: open-30-15}\n")
	check("configuration, for the site", "project_465000004", config+":3")
	project := b.project("account: project_465000005\n")
	check("project file", "project_465000005", project+":1")
	b.Environ = append(b.Environ, "HPCBENCH_ACCOUNT=project_465000006")
	check("variable", "project_465000006", "HPCBENCH_ACCOUNT")
	b.Flags = []conf.Value{{Path: []string{"account"}, Text: "project_465000007", Source: "--account"}}
	check("flag", "project_465000007", "--account")
}

func TestOneKeyOfOursChanges(t *testing.T) {
	b := newBench(t)
	path := b.write("sites/lumi.yaml", `partitions:
  small-g: {max_walltime: 24h}
environment:
  TORCH_COMPILE_DISABLE: {skip: true}
  NCCL_DEBUG: {value: INFO, where: container, reason: I look for a hang}
binds:
  /pfs: {read_only: true}
`)
	p, origins, err := LoadSite("lumi", b.Options)
	if err != nil {
		t.Fatal(err)
	}
	q := p.Partitions["small-g"]
	if q.MaxWalltime != 24*time.Hour || q.MaxJobs != 210 {
		t.Errorf("small-g %+v: only its walltime was changed", q)
	}
	if _, there := p.Environment["TORCH_COMPILE_DISABLE"]; there {
		t.Error("a skipped variable is still there")
	}
	if p.Environment["NCCL_DEBUG"].Value != "INFO" || p.Environment["NCCL_SOCKET_IFNAME"].Value != "hsn" || !p.Binds["/pfs"].ReadOnly {
		t.Errorf("environment %v, binds %v", p.Environment, p.Binds)
	}
	for key, want := range map[string]string{
		"partitions.small-g.max_walltime": path + ":2",
		"partitions.small-g.max_jobs":     "embedded:lumi.yaml:",
		"environment.NCCL_DEBUG.value":    path + ":5",
	} {
		if got := origins.Of(strings.Split(key, ".")...).String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s comes from %s, want %s", key, got, want)
		}
	}
	for _, row := range Rows(p, origins) {
		if row.Origin == "unset" || row.Key == "" || strings.HasPrefix(row.Key, "environment.TORCH_COMPILE") {
			t.Errorf("row %+v", row)
		}
	}
}

const ownSite = `description: the workstation under the desk
scheduler: slurm
engine: vllm
partition: gpu
poll_interval: 10s
repeats: 3
partitions:
  gpu: {max_walltime: 4h}
gpu: {kind: NVIDIA L40S, vendor: nvidia, unit: GPU, per_node: 2, memory_gib: 48, sampler: nvidia-smi}
request: {gpu_flag: gpus, cpu_flag: none, memory_flag: none}
runtime: {command: apptainer, gpu_option: nv}
`

func TestOwnSite(t *testing.T) {
	b := newBench(t)
	path := b.write("sites/desk.yaml", ownSite)
	b.write("sites/README.md", "not a site")
	names, err := Names(b.Options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"desk", "karolina", "local", "lumi"}, names); diff != "" {
		t.Error(diff)
	}
	p, origins, err := LoadSite("desk", b.Options)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "desk" || p.GPU.PerNode != 2 || origins.Of("gpu", "kind").String() != path+":9" {
		t.Errorf("%+v, gpu from %s", p, origins.Of("gpu", "kind"))
	}
	if err := Check(path); err != nil {
		t.Errorf("check: %v", err)
	}
}

func TestTheSiteOfTheConfiguration(t *testing.T) {
	b := newBench(t)
	if _, _, err := LoadSite("", b.Options); err == nil || !strings.Contains(err.Error(), "HPCBENCH_SITE") {
		t.Errorf("no site anywhere: %v", err)
	}
	b.write("config.yaml", "site: karolina\n")
	if p, _, err := LoadSite("", b.Options); err != nil || p.Name != "karolina" {
		t.Errorf("%s, %v", p.Name, err)
	}
	b.Environ = append(b.Environ, "HPCBENCH_SITE=local")
	if p, _, err := LoadSite("", b.Options); err != nil || p.Name != "local" {
		t.Errorf("%s, %v", p.Name, err)
	}
}

func TestUnknownNamesShowTheNearest(t *testing.T) {
	for _, c := range []struct {
		site, environ, config, want string
	}{
		{"karolna", "", "", `there is no site "karolna"; did you mean karolina?`},
		{"Lumi", "", "", `did you mean lumi?`},
		{"lumi", "HPCBENCH_ACOUNT=x", "", "HPCBENCH_ACOUNT: unknown variable; did you mean HPCBENCH_ACCOUNT?"},
		{"lumi", "HPCBENCH_REPEATS=many", "", `HPCBENCH_REPEATS: "many" is not a whole number`},
		{"lumi", "HPCBENCH_PARTITION=dev", "", `HPCBENCH_PARTITION: partition: site lumi has no partition "dev"; did you mean dev-g?`},
		{"lumi", "", "acount: x\n", "config.yaml:1: acount: unknown key; did you mean account?"},
		{"lumi", "", "sites:\n  lumi:\n    gpus: 1\n", "config.yaml:3: sites.lumi.gpus: unknown key; did you mean gpu?"},
		{"lumi", "", "sites:\n  lumy:\n    account: x\n", "config.yaml:3: sites.lumy: there is no such site; did you mean lumi?"},
	} {
		b := newBench(t)
		if c.environ != "" {
			b.Environ = append(b.Environ, c.environ)
		}
		b.write("config.yaml", c.config)
		if _, _, err := LoadSite(c.site, b.Options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestReservedVariablesAreNotSettings(t *testing.T) {
	b := newBench(t, "HPCBENCH_JOB_PORT=8000", "HPCBENCH_API_KEY=secret")
	if _, _, err := LoadSite("local", b.Options); err != nil {
		t.Error(err)
	}
}

func TestCheckNamesFileAndLine(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"desk.yaml":  {ownSite, ""},
		"lumi.yaml":  {"partition: small-g\n", ""}, // over ours
		"bare.yaml":  {"partition: small-g\n", "scheduler"},
		"half.yaml":  {strings.Replace(ownSite, "vendor: nvidia", "vendor: nvdia", 1), `half.yaml:9: gpu.vendor: "nvdia" must be one of amd, nvidia, none`},
		"twice.yaml": {ownSite + "engine: stub\n", "twice.yaml:12: engine: is here a second time, after line 3"},
		"Bad.yaml":   {ownSite, "a profile is called NAME.yaml"},
		"site.yml":   {ownSite, "a profile is called NAME.yaml"},
	} {
		err := Check(writeFile(t, filepath.Join(dir, name), c.text))
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := Check(filepath.Join(dir, "absent.yaml")); err == nil {
		t.Error("a file that isn't there was checked")
	}
}

// render must answer within 50 ms; this is its first part.
func BenchmarkLoadSite(b *testing.B) {
	o := Options{Environ: []string{"HOME=/nonexistent", "USER=ada"}}
	for b.Loop() {
		if _, _, err := LoadSite("lumi", o); err != nil {
			b.Fatal(err)
		}
	}
}
