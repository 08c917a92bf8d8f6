package slurm

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

func TestReasonOutlook(t *testing.T) {
	for in, want := range map[string]Outlook{
		"PartitionTimeLimit":                              OutlookNever,
		"(PartitionTimeLimit)":                            OutlookNever,
		"(ReqNodeNotAvail, UnavailableNodes:acn03)":       OutlookWaits,
		"ReqNodeNotAvail(Unavailable:acn03)":              OutlookWaits,
		"ReqNodeNotAvail, UnavailableNodes:acn[03-04,09]": OutlookWaits,
		"ReqNodeNotAvail, Reserved for maintenance":       OutlookWaits,
		"Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions": OutlookWaits,
		"QOSMaxJobsPerUserLimit":          OutlookWaits,
		"QOSMaxWallDurationPerJobLimit":   OutlookNever,
		"AssocMaxWallDurationPerJobLimit": OutlookNever,
		"AssocMaxJobsLimit":               OutlookWaits,
		"AssocMaxSubmitJobLimit":          OutlookWaits,
		"QOSMaxGRESPerJob":                OutlookNever,
		"QOSMaxGRESPerUser":               OutlookWaits,
		"QOSMaxNodePerUserLimit":          OutlookWaits,
		"QOSMinGRES":                      OutlookNever,
		"AssocGrpGRES":                    OutlookWaits,
		"AssocGrpGRESMinutes":             OutlookHeld,
		"AssocGrpGRESRunMinutes":          OutlookWaits,
		"AssocGrpBillingMinutes":          OutlookHeld,
		"MaxGRESPerAccount":               OutlookWaits,
		"MaxJobsPerAccount":               OutlookWaits,
		"MaxCpuRunMinsPerUser":            OutlookWaits,
		"Job's account not permitted to use this partition (qgpu allows open-00-00,eu-00-00 not project_465000001)": OutlookNever,
		"Job's QOS not permitted to use this partition (qgpu denies normal including normal)":                       OutlookNever,
		"License request 'ansys:3' is no longer valid, holding job":                                                 OutlookHeld,
		"JobHeldUser":                  OutlookHeld,
		"launch failed requeued held":  OutlookHeld,
		"launch_failed_requeued_held":  OutlookHeld,
		"DependencyNeverSatisfied":     OutlookNever,
		"PartitionTimeLimit, Priority": OutlookWaits,
		"Priority,PartitionTimeLimit":  OutlookWaits,
		"":                             OutlookWaits,
		"None":                         OutlookWaits,
		"AnythingNew":                  OutlookUnknown,
		"QOSGrp":                       OutlookUnknown,
		"QOSMax":                       OutlookUnknown,
	} {
		got := Reason(in)
		if got.Outlook != want {
			t.Errorf("Reason(%q) = %+v, want %s", in, got, want)
		}
		if got.Text != in || got.Words == "" {
			t.Errorf("Reason(%q) = %+v: text or words missing", in, got)
		}
		if got.Outlook == OutlookNever && got.Remedy == "" {
			t.Errorf("Reason(%q) can never start and says no remedy", in)
		}
	}
}

// testdata/reasons.txt has every name that a Slurm release prints.
func TestEveryReasonOfSlurmIsKnown(t *testing.T) {
	f, err := os.Open("testdata/reasons.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		name := strings.TrimSpace(sc.Text())
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		n++
		if got := Reason(name); got.Outlook == OutlookUnknown {
			t.Errorf("%s is not known", name)
		}
	}
	if n < 190 {
		t.Errorf("only %d names in the list", n)
	}
}

func FuzzReason(f *testing.F) {
	f.Add("(ReqNodeNotAvail, UnavailableNodes:acn03)")
	f.Add("QOSMaxGRESPerJob;Priority")
	f.Fuzz(func(t *testing.T, s string) {
		if got := Reason(s); got.Words == "" || got.Code == "" || got.Outlook == "" {
			t.Errorf("Reason(%q) = %+v", s, got)
		}
	})
}
