package slurm

import (
	"context"
	"slices"
	"testing"
)

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
