package slurm

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// captured is what a tool of Slurm 22.05.8 really printed on the test cluster.
func captured(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCapturedQueueAndAccountingOfAnArray(t *testing.T) {
	c, _ := answering(map[string][]answer{
		"squeue": {{stdout: captured(t, "squeue-array.txt")}}, "sacct": {{stdout: captured(t, "sacct-array.txt")}}})
	queue, err := c.Queue(context.Background(), JobID{Job: 1})
	if err != nil || len(queue) != 6 {
		t.Fatalf("%d rows, %v", len(queue), err)
	}
	acct, err := c.Accounting(context.Background(), JobID{Job: 1})
	if err != nil || len(acct) != 10 {
		t.Fatalf("%d records, %v", len(acct), err)
	}
	array := JobID{Job: 1}
	if v := Resolve(array.Element(1), Answers{Queue: queue}); v.Class != ClassRunning || v.RawID != 3 || v.NodeList != "acn01" {
		t.Errorf("element 1: %+v", v)
	}
	if v := Resolve(array.Element(5), Answers{Queue: queue}); v.Class != ClassPending || v.Reason.Code != "JobArrayTaskLimit" {
		t.Errorf("element 5: %+v", v)
	}
	if v := Resolve(JobID{Job: 2}, Answers{Queue: queue}); !v.Never() || v.Reason.Remedy == "" {
		t.Errorf("job 2 can never start, but: %+v", v)
	}
	// Some seconds later, the controller having forgotten all of them.
	v := Resolve(array.Element(3), Answers{Accounting: acct})
	if !v.Final || v.Class != ClassDone || v.Elapsed != 8*time.Second || len(v.Steps) != 1 || v.Runs[0].AllocTRES.GPUs() != 1 {
		t.Errorf("element 3: %+v", v)
	}
	if v := Resolve(array.Element(5), Answers{Accounting: acct}); v.Final || !v.Gone {
		t.Errorf("element 5: %+v", v)
	}
}

func TestJob(t *testing.T) {
	c, f := answering(map[string][]answer{"scontrol": {{stdout: captured(t, "scontrol-job-array.txt")}}})
	jobs, err := c.Job(context.Background(), JobID{Job: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !hasArg(f.calls[0], "--oneliner") || !hasArg(f.calls[0], "1") {
		t.Errorf("call %v", f.calls[0])
	}
	var packed, running, never *Job
	for i := range jobs {
		switch j := &jobs[i]; {
		case j.ID.Tasks != "":
			packed = j
		case j.ID == JobID{Job: 1}.Element(1):
			running = j
		case j.ID == JobID{Job: 2}:
			never = j
		}
	}
	if packed == nil || running == nil || never == nil {
		t.Fatalf("jobs %+v", jobs)
	}
	if packed.ID.Tasks != "3-5%2" || packed.State != StatePending {
		t.Errorf("packed %+v", packed)
	}
	if running.RawID != 3 || running.Account != "open-00-00" || running.Partition != "qgpu" || running.TimeLimit != 24*time.Hour ||
		running.State != StateRunning || running.BatchHost != "acn01" || running.TRES.GPUs() != 1 || !running.Requeue || running.Name != "hb-cap" {
		t.Errorf("running %+v", running)
	}
	if never.Reason != "PartitionTimeLimit" || never.TimeLimit != 96*time.Hour {
		t.Errorf("never %+v", never)
	}
	c, _ = answering(map[string][]answer{"scontrol": {{code: 1, stderr: "slurm_load_jobs error: Invalid job id specified"}}})
	if _, err := c.Job(context.Background(), JobID{Job: 9}); !errors.Is(err, ErrNoJob) {
		t.Errorf("unknown job: %v", err)
	}
}

func TestPartitions(t *testing.T) {
	c, _ := answering(map[string][]answer{"scontrol": {{stdout: captured(t, "scontrol-partition.txt")}}})
	ps, err := c.Partitions(context.Background())
	if err != nil || len(ps) != 6 {
		t.Fatalf("%d partitions, %v", len(ps), err)
	}
	devg, standard, qgpu := ps[0], ps[2], ps[3]
	if devg.Name != "dev-g" || devg.MaxTime != 3*time.Hour || devg.DefaultTime != 30*time.Minute || devg.MaxNodes != 32 || devg.QOS != "dev-g" || devg.TRES.GPUs() != 16 {
		t.Errorf("dev-g %+v", devg)
	}
	if !standard.Exclusive || devg.Exclusive {
		t.Error("standard-g gives whole nodes, dev-g does not")
	}
	if qgpu.MaxTime != 48*time.Hour || qgpu.DefaultTime != 24*time.Hour || qgpu.MaxNodes != -1 || !qgpu.Allows("OPEN-00-00") || qgpu.Allows("project_465000001") {
		t.Errorf("qgpu %+v", qgpu)
	}
}

func TestConfig(t *testing.T) {
	c, _ := answering(map[string][]answer{"scontrol": {{stdout: captured(t, "scontrol-config.txt")}}})
	conf, err := c.Config(context.Background())
	if err != nil || conf.Version != "22.05.8" || conf.KillWait != 5*time.Second || conf.EnforcePartLimits != "NO" || conf.MaxArraySize != 1001 ||
		conf.Cluster != "bench" || conf.MinJobAge != time.Minute || !conf.JobRequeue || conf.ProctrackType != "proctrack/linuxproc" {
		t.Errorf("got %+v, %v", conf, err)
	}
}

func TestAssociationsAndQOS(t *testing.T) {
	c, f := answering(map[string][]answer{"sacctmgr": {{stdout: captured(t, "sacctmgr-associations.txt")}, {stdout: captured(t, "sacctmgr-qos.txt")}}})
	as, err := c.Associations(context.Background(), "root")
	if err != nil || len(as) != 4 {
		t.Fatalf("%v, %v", as, err)
	}
	var accounts []string
	for _, a := range as {
		accounts = append(accounts, a.Account)
	}
	if !slices.Contains(accounts, "project_465000001") || as[0].MaxJobs != -1 || !slices.Equal(as[0].QOS, []string{"normal"}) {
		t.Errorf("associations %+v", as)
	}
	if !hasArg(f.calls[0], "--readonly") {
		t.Errorf("call %v", f.calls[0])
	}
	qs, err := c.QOS(context.Background())
	if err != nil || len(qs) != 5 || qs[1].Name != "dev-g" || qs[1].MaxJobsUser != 1 || qs[1].MaxSubmitUser != 2 || qs[0].MaxJobsUser != -1 {
		t.Errorf("QOS %+v, %v", qs, err)
	}
	if _, err := c.Associations(context.Background(), "a,b"); err == nil {
		t.Error("two users were accepted as one")
	}
}

func TestReservations(t *testing.T) {
	c, _ := answering(map[string][]answer{"scontrol": {{stdout: captured(t, "scontrol-reservation.txt")}, {stdout: "No reservations in the system\n"}}})
	rs, err := c.Reservations(context.Background())
	if err != nil || len(rs) != 1 {
		t.Fatalf("%v, %v", rs, err)
	}
	if r := rs[0]; r.Name != "cooling" || r.End.Sub(r.Start) != 8*time.Hour || r.Nodes != "acn01" || !slices.Contains(r.Flags, "MAINT") || r.Partition != "" {
		t.Errorf("reservation %+v", r)
	}
	if rs, err := c.Reservations(context.Background()); err != nil || len(rs) != 0 {
		t.Errorf("no reservations: %v, %v", rs, err)
	}
}

func TestTestOnly(t *testing.T) {
	c, f := answering(map[string][]answer{"sbatch": {{stderr: captured(t, "sbatch-test-only.txt")},
		{code: 1, stderr: "allocation failure: Invalid account or account/partition combination specified"}}})
	got, err := c.TestOnly(context.Background(), SubmitRequest{Script: "s.sh", Partition: "qgpu"})
	want := Forecast{Start: time.Date(2026, 12, 2, 4, 26, 51, 0, time.UTC), Processors: 32, NodeList: "acn02", Partition: "qgpu",
		Text: "Job 5 to start at 2026-12-02T04:26:51 using 32 processors on nodes acn02 in partition qgpu"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if !slices.Equal(f.calls[0].Args, []string{"--test-only", "--partition=qgpu", "s.sh"}) {
		t.Errorf("arguments %q", f.calls[0].Args)
	}
	if _, err := c.TestOnly(context.Background(), SubmitRequest{Script: "s.sh"}); err == nil || !strings.Contains(err.Error(), "Invalid account") {
		t.Errorf("a refusal gives %v", err)
	}
	for _, bad := range []string{"", "sbatch: nothing to say", "sbatch: Job 5 to start at soon using 32 processors on nodes acn02"} {
		if got, err := parseForecast(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}

func TestVersion(t *testing.T) {
	c, _ := answering(map[string][]answer{"squeue": {{stdout: "slurm-wlm 22.05.8\n"}, {stdout: "slurm 24.05.8\n"}, {stdout: "?"}}})
	for _, want := range []string{"22.05.8", "24.05.8"} {
		if got, err := c.Version(context.Background()); err != nil || got != want {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if _, err := c.Version(context.Background()); err == nil {
		t.Error("nonsense is a version")
	}
}

func TestExpandNodeList(t *testing.T) {
	for in, want := range map[string][]string{
		"acn01":                          {"acn01"},
		"nid[005000-005002,005010],acn1": {"nid005000", "nid005001", "nid005002", "nid005010", "acn1"},
		"a[9-11]x":                       {"a9x", "a10x", "a11x"},
		"":                               nil,
	} {
		if got, err := ExpandNodeList(in); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"a[1-", "a]", "a[3-1]", "a[x]", "a[1-9999999999]", ",a", "a[1][2]"} {
		if got, err := ExpandNodeList(in); err == nil {
			t.Errorf("%q gives %q without an error", in, got)
		}
	}
}

func FuzzNodeList(f *testing.F) {
	f.Add("nid[005000-005002,005010],acn1")
	f.Fuzz(func(t *testing.T, s string) {
		names, err := ExpandNodeList(s)
		if err == nil && len(names) > maxNodes+strings.Count(s, ",")+1 {
			t.Errorf("%q gives %d names", s, len(names))
		}
	})
}

func FuzzScontrol(f *testing.F) {
	f.Add("JobId=1 JobName=a b=c UserId=x ArrayJobId=1 ArrayTaskId=1-5%2 TRES=cpu=1")
	f.Add("PartitionName=x MaxTime=1-00:00:00 MaxNodes=UNLIMITED")
	f.Add("ReservationName=x StartTime=2026-12-01T10:00:00")
	f.Fuzz(func(t *testing.T, s string) {
		if jobs, err := parseJobs(s); err == nil {
			for _, j := range jobs {
				if j.RawID == 0 && j.Fields["JobId"] != "0" && strings.Trim(j.Fields["JobId"], "0") != "" {
					t.Errorf("%q: a job without an id", s)
				}
			}
		}
		_, _ = parsePartitions(s)
		_, _ = parseReservations(s)
		_, _ = parseForecast(s)
		_ = parseConfig(s)
	})
}
