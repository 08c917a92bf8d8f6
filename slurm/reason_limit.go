package slurm

import "strings"

// limitReason reads the names of limits on associations (accounts) and QOS,
// which are built from parts: Assoc or QOS, then Grp, Max or Min, then a
// resource, then what is counted. Which class each has follows from
// src/slurmctld/acct_policy.c:
//
//   - Grp limits count everybody's use of the account or QOS. What is counted in
//     minutes used up (Minutes, Wall) is a budget, the rest passes when other
//     jobs end.
//   - Max…PerJob, PerNode and MinutesPerJob compare the job's own request with
//     the limit: it never starts. So do Min limits and MaxWallDuration.
//   - Max…PerUser, PerAccount, MaxJobs, RunMins count what else is running.
func limitReason(s string) (reasonRow, bool) {
	name := strings.ReplaceAll(s, "_", "")
	for _, r := range name {
		if !isAlnum(r) {
			return reasonRow{}, false
		}
	}
	whose, rest := "", ""
	switch {
	case strings.HasPrefix(name, "AssocGrp"), strings.HasPrefix(name, "AssocMax"), strings.HasPrefix(name, "AssocMin"):
		whose, rest = "the account", name[len("Assoc"):]
	case strings.HasPrefix(name, "QOSGrp"), strings.HasPrefix(name, "QOSMax"), strings.HasPrefix(name, "QOSMin"):
		whose, rest = "its QOS", name[len("QOS"):]
	case strings.HasPrefix(name, "Max") && (strings.HasSuffix(name, "PerAccount") || strings.HasSuffix(name, "PerUser")):
		whose, rest = "its QOS", name
	default:
		return reasonRow{}, false
	}
	rest = strings.TrimSuffix(rest, "Limit")
	kind, what := rest[:3], rest[3:]
	if what == "" {
		return reasonRow{}, false
	}
	row := reasonRow{code: s}
	switch {
	case kind == "Min":
		row.outlook, row.words, row.remedy = OutlookNever, "asks for less than "+whose+" demands of a job", "ask for more, or take another QOS"
	case kind == "Grp" && strings.Contains(what, "RunMin"):
		row.outlook, row.words = OutlookWaits, "the running jobs of "+whose+" have as much time left as it may hold"
	case kind == "Grp" && (strings.Contains(what, "Min") || what == "Wall"):
		row.outlook, row.words, row.remedy = OutlookHeld, "the budget of "+whose+" is used up", remedyBudget
	case kind == "Grp":
		row.outlook, row.words = OutlookWaits, whose+" uses as much as it may use at a time"
	case strings.HasPrefix(what, "WallDuration"):
		row.outlook, row.words, row.remedy = OutlookNever, "asks for more time than "+whose+" allows for a job", remedyShorter
	case strings.Contains(what, "RunMin"):
		row.outlook, row.words = OutlookWaits, "the running jobs have as much time left as "+whose+" allows"
	case strings.HasSuffix(what, "PerJob"), strings.HasSuffix(what, "PerNode"):
		row.outlook, row.words, row.remedy = OutlookNever, "asks for more than "+whose+" allows for a job", remedySmaller
	case strings.HasPrefix(what, "Job"), strings.HasPrefix(what, "Submit"):
		row.outlook, row.words = OutlookWaits, "as many jobs run as "+whose+" allows at a time"
	case strings.HasSuffix(what, "PerUser"), strings.HasSuffix(what, "PerAccount"):
		row.outlook, row.words = OutlookWaits, "as much is in use as "+whose+" allows at a time"
	default:
		return reasonRow{}, false
	}
	return row, true
}
