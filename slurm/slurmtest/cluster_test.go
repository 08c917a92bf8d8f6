//go:build cluster

package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hpcbench/slurm"
	"hpcbench/slurm/schedtest"
)

func TestSuite(t *testing.T) {
	Up(t)
	schedtest.Run(t, schedtest.Bench{
		New: func(t *testing.T) schedtest.Backend { return slurm.New(slurm.Options{}) },
		// Small enough that all run side by side; root may write where tests do.
		Request:    slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g", Time: 10 * time.Minute},
		ShortLimit: time.Minute,
		Patience:   patience,
	})
}

// reasoned says that the scheduler has looked at the job and said why it waits.
func reasoned(v slurm.View) bool {
	return v.Class == slurm.ClassPending && v.Reason.Code != "None" && v.Reason.Code != "Priority"
}

// asUser calls Slurm's tools as the unprivileged user.
func asUser() *slurm.Client {
	return slurm.New(slurm.Options{Run: func(ctx context.Context, cmd slurm.Command) (slurm.Result, error) {
		cmd.Args = append([]string{"-u", User, "--", cmd.Name}, cmd.Args...)
		cmd.Name = "runuser"
		return slurm.Exec(ctx, cmd)
	}})
}

func TestWhatSbatchRefuses(t *testing.T) {
	Up(t)
	cl := slurm.New(slurm.Options{})
	script := Script(t, "true\n")
	for name, tc := range map[string]struct {
		request slurm.SubmitRequest
		words   string
	}{
		"unknown partition": {slurm.SubmitRequest{Account: LUMIAccount, Partition: "nowhere"}, "Invalid partition name specified"},
		"unknown account":   {slurm.SubmitRequest{Account: "project_1", Partition: "small-g"}, "Invalid account or account/partition combination specified"},
		"too many GPUs":     {slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g", ExtraArgs: []string{"--gpus-per-node=9"}}, "Requested node configuration is not available"},
		"unknown QOS":       {slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g", QOS: "vip"}, "Invalid qos specification"},
	} {
		tc.request.Script = script
		id, err := cl.Submit(t.Context(), tc.request)
		var refused *slurm.CommandError
		if !errors.As(err, &refused) || !strings.Contains(refused.Words(), tc.words) {
			t.Errorf("%s: job %v, error %v", name, id, err)
		}
		if errors.Is(err, slurm.ErrLost) || errors.Is(err, slurm.ErrUnreachable) {
			t.Errorf("%s: a refusal is taken for a lost answer: %v", name, err)
		}
	}
}

// With EnforcePartLimits=NO, sbatch takes jobs that can never start.
func TestWhatCanNeverStart(t *testing.T) {
	Up(t)
	for name, tc := range map[string]struct {
		request slurm.SubmitRequest
		code    string
	}{
		"time above the partition's":     {slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g", Time: 96 * time.Hour}, "PartitionTimeLimit"},
		"more nodes than the partition":  {slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g", ExtraArgs: []string{"--nodes=5"}}, "PartitionNodeLimit"},
		"account of the other site":      {slurm.SubmitRequest{Account: LUMIAccount, Partition: "qgpu"}, "AccountNotAllowed"},
		"dependency that can't be met":   {slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g"}, "DependencyNeverSatisfied"},
		"time above, in an array":        {slurm.SubmitRequest{Account: ITIAccount, Partition: "qgpu_exp", Time: 2 * time.Hour, Array: "1-3%2"}, "PartitionTimeLimit"},
		"time above the express queue's": {slurm.SubmitRequest{Account: EUAccount, Partition: "qgpu_exp", Time: 61 * time.Minute}, "PartitionTimeLimit"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.code == "DependencyNeverSatisfied" {
				bad := submit(t, slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g", Script: Script(t, "#SBATCH --output=/dev/null\nexit 1\n")})
				await(t, bad, "its end", func(v slurm.View) bool { return v.Final })
				tc.request.Dependency = "afterok:" + bad.String()
			}
			id := submit(t, tc.request)
			if tc.request.Array != "" {
				id = id.Element(2)
			}
			v := await(t, id, "the reason", func(v slurm.View) bool { return v.Reason.Code == tc.code })
			if !v.Never() || v.Final || v.Reason.Remedy == "" || !strings.Contains(v.Words, v.Reason.Remedy) {
				t.Errorf("got %+v", v)
			}
		})
	}
}

// A healthy job that waits must never look like one that can't start.
func TestWhatWaits(t *testing.T) {
	Up(t)
	lumi := slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g"}
	for name, tc := range map[string]struct {
		extra   []string
		array   string
		code    string
		outlook slurm.Outlook
	}{
		"begin":       {[]string{"--begin=now+1hour"}, "", "BeginTime", slurm.OutlookWaits},
		"held":        {[]string{"--hold"}, "", "JobHeldUser", slurm.OutlookHeld},
		"array limit": {nil, "1-3%1", "JobArrayTaskLimit", slurm.OutlookWaits},
	} {
		t.Run(name, func(t *testing.T) {
			r := lumi
			r.ExtraArgs, r.Array = tc.extra, tc.array
			id := submit(t, r)
			if tc.array != "" {
				id = id.Element(3)
			}
			v := await(t, id, "the reason", func(v slurm.View) bool { return v.Reason.Code == tc.code })
			if v.Never() || v.Final || v.Reason.Outlook != tc.outlook {
				t.Errorf("got %+v", v)
			}
		})
	}
	t.Run("full node", func(t *testing.T) {
		for range 2 {
			submit(t, slurm.SubmitRequest{Account: EUAccount, Partition: "qgpu", ExtraArgs: []string{"--nodes=1", "--gpus=8"}})
		}
		v := await(t, submit(t, slurm.SubmitRequest{Account: EUAccount, Partition: "qgpu", ExtraArgs: []string{"--nodes=1", "--gpus=8"}}), "a reason",
			func(v slurm.View) bool { return v.Class == slurm.ClassPending && v.Reason.Code != "None" })
		if v.Never() || v.Reason.Outlook != slurm.OutlookWaits {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("maintenance", func(t *testing.T) {
		c := New()
		start := time.Now().UTC().Add(20 * time.Hour).Format("2006-01-02T15:04:05")
		if out, err := c.Tool(t.Context(), "scontrol", "create", "reservation", "ReservationName=cooling", "StartTime="+start, "Duration=08:00:00",
			"Nodes=nid005001", "Flags=MAINT,IGNORE_JOBS", "Users=root"); err != nil {
			t.Fatal(out, err)
		}
		t.Cleanup(func() {
			_, _ = c.Tool(context.Background(), "scontrol", "delete", "ReservationName=cooling")
		})
		r := lumi
		r.Time, r.ExtraArgs = 48*time.Hour, []string{"--nodelist=nid005001"}
		v := await(t, submit(t, r), "the reason", func(v slurm.View) bool { return v.Reason.Code == "ReqNodeNotAvail" })
		if v.Never() || v.Reason.Outlook != slurm.OutlookWaits || !strings.HasPrefix(v.Reason.Text, "ReqNodeNotAvail") {
			t.Errorf("got %+v", v)
		}
		rs, err := slurm.New(slurm.Options{}).Reservations(t.Context())
		if err != nil || len(rs) != 1 || rs[0].Name != "cooling" || rs[0].Start.Format("2006-01-02T15:04:05") != start {
			t.Errorf("reservations %+v, %v", rs, err)
		}
		r.Time = time.Hour
		await(t, submit(t, r), "a short job's start before the maintenance", running)
	})
}

func TestDevGTakesTwoJobsAndRunsOne(t *testing.T) {
	Up(t)
	// The limit is one of the user's: root's jobs, of other tests, don't count.
	cl := asUser()
	dev := slurm.SubmitRequest{Account: LUMIAccount, Partition: "dev-g", Chdir: "/tmp"}
	first, second := submitBy(t, cl, dev), submitBy(t, cl, dev)
	await(t, first, "its start", running)
	v := await(t, second, "the reason", func(v slurm.View) bool { return v.Reason.Code == "QOSMaxJobsPerUserLimit" })
	if v.Never() || v.Reason.Outlook != slurm.OutlookWaits {
		t.Errorf("the second: %+v", v)
	}
	dev.Script = Script(t, "true\n")
	id, err := cl.Submit(t.Context(), dev)
	if err == nil || !strings.Contains(err.Error(), "QOSMaxSubmitJobPerUserLimit") || errors.Is(err, slurm.ErrLost) {
		t.Errorf("the third: job %v, %v", id, err)
	}
}

func TestForecast(t *testing.T) {
	Up(t)
	cl := slurm.New(slurm.Options{Environ: append(os.Environ(), "TZ=Asia/Tokyo")})
	f, err := cl.TestOnly(t.Context(), slurm.SubmitRequest{Script: Script(t, "true\n"), Account: ITIAccount, Partition: "qgpu", Time: time.Hour, ExtraArgs: []string{"--gpus=1"}})
	if err != nil || f.Partition != "qgpu" || !strings.HasPrefix(f.NodeList, "acn0") || f.Processors != 16 {
		t.Errorf("got %+v, %v", f, err)
	}
	if d := time.Until(f.Start); d < -time.Hour || d > 60*24*time.Hour {
		t.Errorf("it would start at %v, that is in %v", f.Start, d)
	}
}

func TestGPUsAndTheirAccounting(t *testing.T) {
	Up(t)
	dir := SharedDir(t)
	id := submit(t, slurm.SubmitRequest{Account: ITIAccount, Partition: "qgpu", ExtraArgs: []string{"--nodes=1", "--gpus=2"}, Chdir: dir, JobName: "hb-gpus",
		Script: Script(t, "#SBATCH --output=out.txt\necho $CUDA_VISIBLE_DEVICES $SLURM_GPUS_ON_NODE\n")})
	v := await(t, id, "its end and its record", func(v slurm.View) bool { return v.Final && v.Recorded })
	if n := v.Runs[0].AllocTRES.GPUs(); n != 2 || v.Runs[0].AllocTRES.CPUs() != 32 || v.Runs[0].Account != ITIAccount {
		t.Errorf("record %+v", v.Runs[0])
	}
	out, err := os.ReadFile(filepath.Join(dir, "out.txt"))
	var a, b, n int
	if _, scanErr := fmt.Sscanf(string(out), "%d,%d %d", &a, &b, &n); err != nil || scanErr != nil || a == b || n != 2 {
		t.Errorf("the job saw %q, %v", out, err)
	}
}

func TestWholeNodes(t *testing.T) {
	Up(t)
	id := submit(t, slurm.SubmitRequest{Account: LUMIAccount, Partition: "standard-g", ExtraArgs: []string{"--nodes=1", "--mem=1G"}})
	v := await(t, id, "a reason or its start", func(v slurm.View) bool { return running(v) || reasoned(v) })
	if v.Never() {
		t.Errorf("got %+v", v)
	}
	ps, err := slurm.New(slurm.Options{}).Partitions(t.Context())
	i := slices.IndexFunc(ps, func(p slurm.Partition) bool { return p.Name == "standard-g" })
	if err != nil || i < 0 || !ps[i].Exclusive || ps[i].MaxTime != 48*time.Hour {
		t.Errorf("partitions %+v, %v", ps, err)
	}
}

func TestWhatTheSiteSaysOfItself(t *testing.T) {
	Up(t)
	cl := slurm.New(slurm.Options{})
	conf, err := cl.Config(t.Context())
	if err != nil || conf.Cluster != "bench" || conf.KillWait != 5*time.Second || conf.EnforcePartLimits != "NO" || conf.MaxArraySize < 1000 {
		t.Errorf("configuration %+v, %v", conf, err)
	}
	version, err := cl.Version(t.Context())
	if err != nil || version != conf.Version {
		t.Errorf("tools %q, controller %q, %v", version, conf.Version, err)
	}
	as, err := cl.Associations(t.Context(), User)
	if err != nil || len(as) != 3 {
		t.Errorf("associations %+v, %v", as, err)
	}
	qs, err := cl.QOS(t.Context())
	i := slices.IndexFunc(qs, func(q slurm.QOS) bool { return q.Name == "small-g" })
	if err != nil || i < 0 || qs[i].MaxSubmitUser != 210 || qs[i].MaxJobsUser != 200 {
		t.Errorf("QOS %+v, %v", qs, err)
	}
}

// Another user's job can be seen and not be cancelled.
func TestUnprivilegedUser(t *testing.T) {
	Up(t)
	mine := submit(t, slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g"})
	cl := asUser()
	id, err := cl.Submit(t.Context(), slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g", Chdir: "/tmp", Script: Script(t, "#SBATCH --output=/dev/null\nsleep 1000\n")})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := cl.Queue(t.Context(), id, mine)
	if err != nil || len(rows) != 2 {
		t.Errorf("queue %+v, %v", rows, err)
	}
	if err := cl.Cancel(t.Context(), mine); err == nil || !strings.Contains(err.Error(), "Access/permission denied") {
		t.Errorf("cancelling another user's job: %v", err)
	}
	if v := look(t, mine); v.Class.Over() {
		t.Errorf("another user's job: %+v", v)
	}
	if err := cl.Cancel(t.Context(), id); err != nil {
		t.Errorf("cancelling its own: %v", err)
	}
	v := await(t, id, "its end", func(v slurm.View) bool { return v.Final })
	if v.State != slurm.StateCancelled {
		t.Errorf("got %+v", v)
	}
}

// 200 runs are one call, and it is quick.
func TestQueueOfManyIsOneCall(t *testing.T) {
	Up(t)
	calls := 0
	cl := slurm.New(slurm.Options{Run: func(ctx context.Context, cmd slurm.Command) (slurm.Result, error) {
		calls++
		return slurm.Exec(ctx, cmd)
	}})
	held := submit(t, slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g", Array: "1-100", ExtraArgs: []string{"--hold"}})
	ids := []slurm.JobID{held}
	for i := range uint64(200) {
		ids = append(ids, slurm.JobID{Job: 60_000_000 + i})
	}
	rows, err := cl.Queue(t.Context(), ids...)
	if err != nil || len(rows) != 100 || calls != 1 {
		t.Errorf("%d rows in %d calls, %v", len(rows), calls, err)
	}
}

func TestUpIsIdempotent(t *testing.T) {
	c := Up(t)
	before, err := exec.Command("cat", c.path("run", "daemon-slurmctld")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := exec.Command("cat", c.path("run", "daemon-slurmctld")).Output()
	if err != nil || string(after) != string(before) {
		t.Errorf("the controller was started again: %s, then %s, %v", before, after, err)
	}
}

// States that look like an end and are none, and one that looks like waiting and
// is an end.
func TestStatesThatFool(t *testing.T) {
	c := Up(t)
	lumi := slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g"}
	t.Run("suspended", func(t *testing.T) {
		id := submit(t, lumi)
		await(t, id, "its start", running)
		if _, err := c.Tool(t.Context(), "scontrol", "suspend", id.String()); err != nil {
			t.Fatal(err)
		}
		v := await(t, id, "the suspension", func(v slurm.View) bool { return v.State == slurm.StateSuspended })
		if v.Final || v.Class != slurm.ClassRunning {
			t.Errorf("got %+v", v)
		}
		if _, err := c.Tool(t.Context(), "scontrol", "resume", id.String()); err != nil {
			t.Fatal(err)
		}
		await(t, id, "its going on", running)
	})
	t.Run("requeued and held", func(t *testing.T) {
		r := lumi
		r.ExtraArgs = []string{"--requeue"}
		id := submit(t, r)
		await(t, id, "its start", running)
		if _, err := c.Tool(t.Context(), "scontrol", "requeuehold", id.String()); err != nil {
			t.Fatal(err)
		}
		v := await(t, id, "the hold", func(v slurm.View) bool {
			return v.Class == slurm.ClassHeld || v.Reason.Outlook == slurm.OutlookHeld
		})
		if v.Final || v.Never() {
			t.Errorf("got %+v", v)
		}
		if _, err := c.Tool(t.Context(), "scontrol", "release", id.String()); err != nil {
			t.Fatal(err)
		}
		v = await(t, id, "its second start", running)
		if v.Restarts != 1 {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		// The scheduler looks at the deadline of a job that waits for nodes.
		r := slurm.SubmitRequest{Account: EUAccount, Partition: "qgpu", ExtraArgs: []string{"--nodes=1", "--gpus=8"}}
		for range 2 {
			submit(t, r)
		}
		r.Time, r.ExtraArgs = 10*time.Minute, append(r.ExtraArgs, "--deadline=now+11minutes")
		id := submit(t, r)
		if _, err := c.Tool(t.Context(), "scontrol", "update", "JobId="+id.String(), "Deadline=now+1minute"); err != nil {
			t.Fatal(err)
		}
		v := await(t, id, "the deadline's end", func(v slurm.View) bool { return v.Final })
		if v.State != slurm.StateDeadline || v.Class != slurm.ClassFailed {
			t.Errorf("got %+v", v)
		}
	})
}
