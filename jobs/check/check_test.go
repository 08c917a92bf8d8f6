package check

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/sites/conf"
	"hpcbench/slurm"
)

// subject is a user of a site whose settings are complete.
func subject(t *testing.T, site string, values ...string) Subject {
	t.Helper()
	dir := t.TempDir()
	account := map[string]string{"karolina": "account=open-00-00", "lumi": "account=project_465000001", "local": "account=x"}[site]
	var flags []conf.Value
	for _, v := range append([]string{account, "image=" + filepath.Join(dir, "vllm.sif"), "runs_dir=" + filepath.Join(dir, "runs"), "cache_dir=" + filepath.Join(dir, "cache")}, values...) {
		key, value, _ := strings.Cut(v, "=")
		flags = append(flags, conf.Value{Path: []string{key}, Text: value, Source: "--" + key})
	}
	options := sites.Options{Environ: []string{"USER=alice", "HOME=" + filepath.Join(dir, "home"), "HPCBENCH_CONFIG_DIR=/dev"}, Flags: flags}
	p, origins, err := sites.LoadSite(site, options)
	if err != nil {
		t.Fatal(err)
	}
	full, err := p.Expand(options.Who())
	if err != nil {
		t.Fatal(err)
	}
	if full.Caches == nil {
		full.Caches = map[string]sites.Cache{}
	}
	full.Caches["HF_HOME"] = sites.Cache{Path: filepath.Join(dir, "hf"), Per: sites.PerSite, ReadOnly: true}
	return Subject{
		Site: full, Part: full.Partitions[full.Partition], Origins: origins, Who: options.Who(), Now: time.Date(2026, 12, 2, 9, 0, 0, 0, time.UTC),
		Look: func(name string) (string, error) { return "/usr/bin/" + name, nil },
		Run: func(context.Context, slurm.Command) (slurm.Result, error) {
			return slurm.Result{}, errors.New("nobody expected a call")
		},
	}
}

// asking is the spec of a job, as far as checks look at it.
func asking(s Subject, hours float64, repeats, gpus int) Subject {
	spec := results.Spec{Repeats: repeats, Job: results.JobSpec{WalltimeS: int(hours * 3600), GPUs: gpus, Nodes: 1, CPUsPerTask: gpus * s.Site.Node.CoresPerGPU}}
	spec.Grouping.Mode = results.ModeArray
	for i := range repeats {
		spec.Grouping.Jobs = append(spec.Grouping.Jobs, []int{i + 1})
	}
	s.Spec = &spec
	return s
}

// answers are what Slurm's tools print, by tool and first two words.
var answers = map[string]string{
	"squeue --version": "slurm 24.05.8\n",
	"scontrol config": `Configuration data as of 2026-12-02T09:00:00
AccountingStorageType   = accounting_storage/slurmdbd
ClusterName             = bench
EnforcePartLimits       = NO
MaxArraySize            = 1001
SLURM_VERSION           = 24.05.8
`,
	"scontrol partition": "PartitionName=dev-g AllowAccounts=project_465000001 AllowQos=ALL Default=NO QoS=dev-g DefaultTime=00:30:00 MaxNodes=32 MaxTime=03:00:00 Nodes=nid[005000-005001] OverSubscribe=NO PreemptMode=OFF State=UP TotalNodes=2 TRES=cpu=112,mem=960G,node=2,gres/gpu=16\n" +
		"PartitionName=qgpu AllowAccounts=open-00-00,eu-00-00 AllowQos=ALL Default=NO QoS=N/A DefaultTime=1-00:00:00 MaxNodes=UNLIMITED MaxTime=2-00:00:00 Nodes=acn[01-02] OverSubscribe=NO PreemptMode=OFF State=UP TotalNodes=2 TRES=cpu=256,mem=2000000M,node=2,gres/gpu=16\n",
	"scontrol reservation":  "No reservations in the system\n",
	"sacctmgr associations": "bench|open-00-00|alice||normal||||\nbench|project_465000001|alice||normal||||\nother|eu-00-00|alice||normal||||\n",
	"sacctmgr qos":          "normal||||||||\ndev-g||1|2|||||\n",
	"sinfo qgpu":            "qgpu\x1f2\x1f128\x1f1000000\x1fgpu:a100:8\x1fidle\n",
	"sinfo dev-g":           "dev-g\x1f2\x1f56\x1f491520\x1fgpu:mi250:8\x1fmixed\n",
}

// asked answers the questions with answers, some of which are replaced, in pairs. A
// replacement that begins with ! is a failure with those words.
func asked(t *testing.T, s Subject, replace ...string) Facts {
	t.Helper()
	say := map[string]string{}
	for k, v := range answers {
		say[k] = v
	}
	for i := 0; i < len(replace); i += 2 {
		if _, ok := say[replace[i]]; !ok {
			t.Fatalf("there is no answer to %q", replace[i])
		}
		say[replace[i]] = replace[i+1]
	}
	c := slurm.New(slurm.Options{RetryFor: -1, Environ: []string{}, Run: func(_ context.Context, cmd slurm.Command) (slurm.Result, error) {
		line := strings.Join(cmd.Args, " ")
		for key, text := range say {
			tool, word, _ := strings.Cut(key, " ")
			if cmd.Name != tool || !strings.Contains(line, word) {
				continue
			}
			if words, failed := strings.CutPrefix(text, "!"); failed {
				return slurm.Result{Code: 1, Stderr: words}, nil
			}
			return slurm.Result{Stdout: text}, nil
		}
		t.Errorf("nobody expected %s %s", cmd.Name, line)
		return slurm.Result{Code: 1}, nil
	}})
	return Ask(t.Context(), c, s)
}

// holds checks that there is one finding of a level with all the words.
func holds(t *testing.T, found []Finding, level Level, words ...string) {
	t.Helper()
	for _, f := range found {
		all := f.Level == level
		for _, w := range words {
			all = all && strings.Contains(f.String(), w)
		}
		if all {
			return
		}
	}
	t.Errorf("no finding of level %s has %q:\n%s", level, words, listing(found))
}

func listing(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		b.WriteString(string(f.Level) + " " + f.String() + "\n")
	}
	return b.String()
}

// fine checks that nothing is worse than ok.
func fine(t *testing.T, found []Finding) {
	t.Helper()
	if len(found) == 0 || Count(found, OK) != len(found) {
		t.Errorf("not fine:\n%s", listing(found))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTools(t *testing.T) {
	s := subject(t, "karolina")
	found := tools(s, asked(t, s))
	fine(t, found)
	holds(t, found, OK, "24.05.8", "never starts")
	holds(t, tools(s, asked(t, s, "squeue --version", "slurm 19.05.1\n")), Warning, "older than 20.11")
	holds(t, tools(s, asked(t, s, "squeue --version", "slurm 23.11.1\n")), Warning, "commands are of Slurm 23.11.1", "controller of 24.05.8")
	down := asked(t, s, "scontrol config", "!slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)")
	holds(t, tools(s, down), Error, "can't be reached", "try again later")
	holds(t, tools(s, asked(t, s, "scontrol config", strings.Replace(answers["scontrol config"], "accounting_storage/slurmdbd", "accounting_storage/none", 1))), Warning, "no accounting")
	holds(t, tools(asking(s, 1, 1001, 1), asked(t, s)), Error, "highest index here is 1000", "1001 repeats")
	s.Look = func(name string) (string, error) {
		if name == "sacctmgr" {
			return "", exec.ErrNotFound
		}
		return name, nil
	}
	holds(t, tools(s, asked(t, s)), Error, "not on PATH: sacctmgr")
}

// A machine without Slurm is asked one question, and everything else is left out.
func TestWithoutSlurm(t *testing.T) {
	s := subject(t, "karolina")
	calls := 0
	c := slurm.New(slurm.Options{RetryFor: -1, Environ: []string{}, Run: func(context.Context, slurm.Command) (slurm.Result, error) {
		calls++
		return slurm.Result{}, slurm.ErrNotInstalled
	}})
	s.Look = func(name string) (string, error) { return "", exec.ErrNotFound }
	found := Doctor(t.Context(), c, s)
	holds(t, found, Error, "not on PATH", "sbatch", "login node")
	for _, f := range found {
		if f.Name == "account" || f.Name == "partition" || f.Name == "limits" {
			t.Errorf("without Slurm: %s", f)
		}
	}
	if calls != 1 {
		t.Errorf("%d questions", calls)
	}
}

func TestAccount(t *testing.T) {
	s := subject(t, "karolina")
	fine(t, account(s, asked(t, s)))
	foreign := subject(t, "karolina", "account=open-99-99")
	found := account(foreign, asked(t, foreign))
	holds(t, found, Error, "doesn't take jobs of account open-99-99", "eu-00-00, open-00-00")
	holds(t, found, Error, "alice may not charge account open-99-99", "open-00-00", "add you")
	// An association on another cluster of the same database is none here.
	other := subject(t, "karolina", "account=eu-00-00")
	holds(t, account(other, asked(t, other)), Error, "may not charge account eu-00-00")
	holds(t, account(s, asked(t, s, "sacctmgr associations", "bench|open-00-00|alice|qgpu_exp|normal||||\n")), Error, "on qgpu_exp only, not on partition qgpu")
	holds(t, account(s, asked(t, s, "sacctmgr associations", "!sacctmgr: error: Unable to contact the accounting storage: Connection refused")), Warning, "could not be asked")
	fine(t, account(s, asked(t, s, "sacctmgr associations", "!Slurm accounting storage is disabled")))
	qos := subject(t, "karolina", "qos=fast")
	holds(t, account(qos, asked(t, qos)), Error, "account open-00-00 has no QOS fast; it has normal")
	some := strings.Replace(answers["scontrol partition"], "AllowAccounts=open-00-00,eu-00-00 AllowQos=ALL", "AllowAccounts=ALL AllowQos=normal", 1)
	holds(t, account(qos, asked(t, qos, "scontrol partition", some)), Error, "partition qgpu doesn't take QOS fast")
	free := strings.Replace(answers["scontrol config"], "ClusterName", "AccountingStorageEnforce = none\nClusterName", 1)
	loose := subject(t, "karolina", "account=eu-00-00")
	fine(t, account(loose, asked(t, loose, "scontrol config", free)))
	// Slurm compares accounts without regard to case.
	upper := subject(t, "karolina", "account=OPEN-00-00")
	fine(t, account(upper, asked(t, upper)))
}

func TestPartition(t *testing.T) {
	s := subject(t, "karolina")
	fine(t, partition(s, asked(t, s)))
	fine(t, partition(asking(s, 48, 5, 4), asked(t, s)))
	change := func(old, new string) Facts {
		text := strings.Replace(answers["scontrol partition"], old, new, 1)
		if text == answers["scontrol partition"] {
			t.Fatalf("%q isn't there", old)
		}
		return asked(t, s, "scontrol partition", text)
	}
	shorter := change("MaxTime=2-00:00:00", "MaxTime=1-00:00:00")
	holds(t, partition(s, shorter), Warning, "the controller says at most 1-00:00:00, the profile at most 2-00:00:00", "max_walltime: 24h0m0s")
	holds(t, partition(asking(s, 30, 1, 1), shorter), Error, "asks for 1-06:00:00", "at most 1-00:00:00", "never start", "the profile says at most 2-00:00:00")
	holds(t, partition(s, change("DefaultTime=1-00:00:00", "DefaultTime=01:00:00")), Warning, "a default of 01:00:00")
	holds(t, partition(s, change("MaxNodes=UNLIMITED", "MaxNodes=4")), Warning, "4 nodes", "16 nodes")
	holds(t, partition(s, change("State=UP TotalNodes=2 TRES=cpu=256", "State=DRAIN TotalNodes=2 TRES=cpu=256")), Error, "qgpu is DRAIN")
	holds(t, partition(s, change("Nodes=acn[01-02] OverSubscribe=NO", "Nodes=acn[01-02] OverSubscribe=EXCLUSIVE")), Warning, "whole nodes", "parts of nodes")
	holds(t, partition(s, change("Nodes=acn[01-02] OverSubscribe=NO PreemptMode=OFF", "Nodes=acn[01-02] OverSubscribe=NO PreemptMode=REQUEUE")), Warning, "may end a running job")
	holds(t, partition(s, change("PartitionName=qgpu ", "PartitionName=qgpu2 ")), Error, "no partition qgpu", "did you mean qgpu2")
	three := asking(s, 1, 1, 8)
	three.Spec.Job.Nodes, three.Spec.Job.GPUs = 3, 24
	found := partition(three, asked(t, s))
	holds(t, found, Error, "asks for 3 nodes", "has 2")
	holds(t, found, Error, "asks for 24 GPUs", "has 16")
	holds(t, partition(s, asked(t, s, "scontrol partition", "!slurm_load_partitions error: timed out")), Warning, "could not be asked")
}

func TestLimits(t *testing.T) {
	s := subject(t, "lumi")
	found := limits(s, asked(t, s))
	fine(t, found)
	holds(t, found, OK, "2 jobs (QOS dev-g) in the queue, 1 jobs (QOS dev-g) running")
	holds(t, limits(asking(s, 1, 5, 1), asked(t, s)), Error, "5 jobs", "QOS dev-g allows 2 in the queue", "--repeat-mode restart")
	holds(t, limits(s, asked(t, s, "sacctmgr qos", "normal||||||||\ndev-g||2|3|||||\n")), Warning, "allows you 3 jobs in the queue, the profile says 2", "max_jobs: 3")
	holds(t, limits(s, asked(t, s, "sacctmgr qos", "normal||||||||\n")), Warning, "the profile allows 2 jobs in the queue, and Slurm states no such limit")
	// The partition's QOS comes first, the job's own fills in, the association last.
	of := limitsOf(s, asked(t, s, "sacctmgr qos", "normal|02:00:00|7|9||gres/gpu=4|||\ndev-g||1||||||\n", "sacctmgr associations", "bench|project_465000001|alice||normal||3|4|01:00:00\n"),
		slurm.Partition{Name: "dev-g", QOS: "dev-g"})
	if of.running.is != 1 || of.running.by != "QOS dev-g" || of.submit.is != 9 || of.submit.by != "QOS normal" || of.wall.is != 2*time.Hour || len(of.perUser) != 1 {
		t.Errorf("%+v", of)
	}
	tight := asked(t, s, "sacctmgr qos", "normal|00:30:00||||gres/gpu=4|||\ndev-g||1|2|||gres/gpu=2,cpu=8|gres/gpu=1|\n")
	found = limits(asking(s, 1, 1, 8), tight)
	holds(t, found, Error, "asks for 01:00:00", "QOS normal allows 00:30:00")
	holds(t, found, Error, "asks for 8 of gres/gpu", "QOS dev-g allows 2")
	holds(t, found, Error, "asks for 8 of gres/gpu", "QOS normal allows 4")
	holds(t, found, Error, "asks for 56 of cpu", "allows 8")
	holds(t, limits(asking(s, 0.4, 1, 1), asked(t, s, "sacctmgr qos", "dev-g||1|2||||gres/gpu=4|\n")), Error, "demands at least 4")
	holds(t, limits(s, asked(t, s, "sacctmgr qos", "!sacctmgr: error: Connection refused")), Warning, "could not be asked")
}

func TestReservations(t *testing.T) {
	s := subject(t, "karolina")
	fine(t, reservation(s, asked(t, s)))
	cooling := "ReservationName=cooling StartTime=2026-12-02T10:00:00 EndTime=2026-12-02T18:00:00 Duration=08:00:00 Nodes=%s NodeCnt=1 PartitionName=(null) Flags=MAINT,DAILY,SPEC_NODES Users=root Accounts=(null) State=INACTIVE\n"
	one, both, elsewhere := strings.Replace(cooling, "%s", "acn01", 1), strings.Replace(cooling, "%s", "acn[01-02]", 1), strings.Replace(cooling, "%s", "nid005000", 1)
	// It is nine o'clock: an hour fits before it, two don't.
	fine(t, reservation(asking(s, 1, 1, 1), asked(t, s, "scontrol reservation", both)))
	holds(t, reservation(asking(s, 2, 1, 1), asked(t, s, "scontrol reservation", one)), Warning, "cooling", "maintenance, daily", "1 of the 2 nodes", "takes the other nodes")
	holds(t, reservation(asking(s, 2, 1, 1), asked(t, s, "scontrol reservation", both)), Warning, "2 of the 2 nodes", "waits until 2026-12-02 18:00 UTC", "ReqNodeNotAvail", "at most 01:00:00")
	fine(t, reservation(asking(s, 2, 1, 1), asked(t, s, "scontrol reservation", elsewhere)))
	own := subject(t, "karolina", "reservation=cooling")
	fine(t, reservation(own, asked(t, own, "scontrol reservation", both)))
	holds(t, reservation(own, asked(t, own)), Error, "no reservation cooling")
	holds(t, reservation(asking(own, 12, 1, 1), asked(t, own, "scontrol reservation", both)), Warning, "ends at 2026-12-02 18:00")
	own.Now = own.Now.Add(24 * time.Hour)
	holds(t, reservation(own, asked(t, own, "scontrol reservation", both)), Error, "ended at")
}

func TestNodes(t *testing.T) {
	s := subject(t, "lumi")
	found := nodes(s, asked(t, s))
	fine(t, found)
	holds(t, found, OK, "mi250", "480 GiB")
	say := func(kind string) Facts { return asked(t, s, "sinfo dev-g", kind) }
	holds(t, nodes(s, say("dev-g\x1f2\x1f56\x1f491520\x1fgpu:mi300:8\x1fidle\n")), Error, "kind mi300, the profile says mi250")
	holds(t, nodes(s, say("dev-g\x1f2\x1f56\x1f491520\x1fgpu:mi250:4\x1fidle\n")), Warning, "has 4 GPUs, the profile says 8")
	holds(t, nodes(asking(s, 1, 1, 8), say("dev-g\x1f2\x1f56\x1f491520\x1fgpu:mi250:4\x1fidle\n")), Error, "asks for 8 on 1 node", "never start")
	holds(t, nodes(s, say("dev-g\x1f2\x1f56\x1f491520\x1fgpu:mi250:8\x1fdown*\n")), Warning, "none of the 2 nodes", "--list-reasons")
	holds(t, nodes(s, say("dev-g\x1f2\x1f48\x1f400000\x1fgpu:mi250:8\x1fidle\n")), Warning, "48 processors for jobs, the profile says 56")
	big := asking(s, 1, 1, 8)
	big.Spec.Job.MemoryMiB = 480 * 1024
	found = nodes(big, say("dev-g\x1f2\x1f48\x1f400000\x1fgpu:mi250:8\x1fidle\n"))
	holds(t, found, Error, "asks for 56 processors of a node that has 48")
	holds(t, found, Error, "asks for 480 GiB of a node that has 390")
}

func TestSettingsAndRequest(t *testing.T) {
	s := subject(t, "karolina")
	fine(t, settings(s))
	s.Site.Account, s.Site.Image = "", ""
	found := settings(s)
	holds(t, found, Error, "account is not set", "open-30-15", "HPCBENCH_ACCOUNT")
	holds(t, found, Error, "image is not set")
	wrong := subject(t, "karolina", "account=project_465000001")
	holds(t, settings(wrong), Error, "has not the form", "from --account")
	fine(t, Request(nil, nil))
	holds(t, Request(errors.New("too many"), []string{"may not fit"}), Error, "too many")
	holds(t, Request(errors.New("too many"), []string{"may not fit"}), Warning, "may not fit")
}

func TestClaims(t *testing.T) {
	s := subject(t, "karolina")
	all := claims(s, nil)
	holds(t, all, Claim, "offline = true", "the rule is documented")
	holds(t, all, Claim, "partitions.qgpu.max_nodes = 16")
	if text := listing(all); strings.Contains(text, "qgpu_preempt") || !strings.Contains(text, "--probe") {
		t.Errorf("claims:\n%s", text)
	}
	left := claims(s, append(partition(s, asked(t, s)), account(s, asked(t, s))...))
	if text := listing(left); strings.Contains(text, "partitions.qgpu.max_nodes") || strings.Contains(text, "account_pattern") || !strings.Contains(text, "request.cpu_flag") {
		t.Errorf("what the controller confirmed is still a claim:\n%s", text)
	}
}

func TestErrorsAreJoined(t *testing.T) {
	if Errors([]Finding{{Level: Warning}, {Level: OK}, {Level: Claim}}) != nil {
		t.Error("a warning is an error")
	}
	one := Errors([]Finding{{Name: "x", Level: Error, Words: "is bad", Remedy: "mend it"}})
	if one == nil || one.Error() != "x: is bad; mend it" {
		t.Errorf("got %v", one)
	}
	two := Errors([]Finding{{Name: "x", Level: Error, Words: "is bad"}, {Name: "y", Level: Error, Words: "too"}})
	if two == nil || !strings.HasPrefix(two.Error(), "2 things are wrong:\n  - x: is bad\n  - y: too") {
		t.Errorf("got %v", two)
	}
}
