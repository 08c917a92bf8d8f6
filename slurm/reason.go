package slurm

import "strings"

// Outlook is what a pending reason says about the future.
type Outlook string

const (
	// OutlookWaits: passes without anybody's doing.
	OutlookWaits Outlook = "waits"
	// OutlookHeld: the job is sound, but somebody must release it, raise a
	// budget or bring a partition back. Worth showing, not worth failing.
	OutlookHeld Outlook = "held"
	// OutlookNever: cannot start as it was submitted. The scheduler writes a
	// reason at each pass, so believe it when two polls in a row say so.
	OutlookNever Outlook = "never"
	// OutlookUnknown: a reason that this package doesn't know: keep waiting.
	OutlookUnknown Outlook = "unknown"
)

// ReasonInfo is what a pending reason means.
type ReasonInfo struct {
	Code    string // Slurm's name, such as PartitionTimeLimit
	Outlook Outlook
	Words   string
	Remedy  string // what to do; empty where there is nothing to do
	Text    string // all of what Slurm said
}

type reasonRow struct {
	code    string
	outlook Outlook
	words   string
	remedy  string
}

const (
	remedyShorter = "ask for less time, or take a partition that allows it"
	remedySmaller = "ask for less, or take another partition or QOS"
	remedyAccount = "name an account that you may use there (sacctmgr show associations user=$USER)"
	remedyQOS     = "name a QOS that the account and the partition allow (--qos)"
	remedyBudget  = "the project's budget for the period is used up: ask for more, or take another account"
	remedyRelease = "see why (scontrol show job), then scontrol release, or ask the site's support"
	remedyCancel  = "cancel it and submit again"
)

// reasons is the only place that says what a pending reason means. The names
// are those of src/common/job_state_reason.c (older: job_reason_string in
// slurm_protocol_defs.c), the outlooks follow from where the controller sets
// them: job_limits_check in src/slurmctld/job_mgr.c, select_nodes in
// node_scheduler.c, acct_policy.c, job_scheduler.c; and from
// doc/html/job_reason_codes.shtml. Limits on associations and on QOS have
// some two hundred names with a common grammar: limitReason reads those.
var reasons = []reasonRow{
	{"None", OutlookWaits, "not looked at by the scheduler yet", ""},
	{"Priority", OutlookWaits, "jobs with higher priority are before it", ""},
	{"Resources", OutlookWaits, "next in line, waits for nodes to become free", ""},
	{"Dependency", OutlookWaits, "waits for another job to end", ""},
	{"BeginTime", OutlookWaits, "its earliest start time has not come (after a requeue: about two minutes)", ""},
	{"JobArrayTaskLimit", OutlookWaits, "as many elements of its array run as its % limit allows", ""},
	{"Licenses", OutlookWaits, "waits for a licence", ""},
	{"Prolog", OutlookWaits, "the prolog on its nodes is running", ""},
	{"Cleaning", OutlookWaits, "was requeued, its last run is being cleaned up", ""},
	{"ReqNodeNotAvail", OutlookWaits, "nodes that it needs are reserved, down or in maintenance", "a shorter time limit may fit before a reservation (scontrol show reservation)"},
	{"Reservation", OutlookWaits, "its reservation has not begun, or is full", ""},
	{"Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions", OutlookWaits, "nodes that it needs are down, or kept for jobs with higher priority", ""},
	{"NodeDown", OutlookWaits, "a node that it needs is down", ""},
	{"Constraints", OutlookWaits, "no node has the asked features at the moment", ""},
	{"SchedDefer", OutlookWaits, "the scheduler puts off immediate starts", ""},
	{"FedJobLock", OutlookWaits, "waits for the clusters of the federation to agree", ""},
	{"BurstBufferResources", OutlookWaits, "waits for burst buffer space", ""},
	{"BurstBufferStageIn", OutlookWaits, "its data are being staged in", ""},
	{"NvidiaImexChannels", OutlookWaits, "waits for an IMEX channel", ""},
	{"MaxPoweredUpNodes", OutlookWaits, "as many nodes are powered up as the site allows", ""},
	{"MpiPortsBusy", OutlookWaits, "the ports reserved for MPI are in use", ""},
	{"QOSUsageThreshold", OutlookHeld, "the usage of its QOS passed a threshold", remedyQOS},
	{"AccountingPolicy", OutlookWaits, "an accounting limit holds it back", ""},
	{"AssociationJobLimit", OutlookWaits, "the account has as many jobs as it may have", ""},
	{"AssociationResourceLimit", OutlookWaits, "the account uses as much as it may use", ""},
	{"AssociationTimeLimit", OutlookNever, "asks for more time than the account allows", remedyShorter},
	{"QOSJobLimit", OutlookWaits, "its QOS has as many jobs as it may have", ""},
	{"QOSResourceLimit", OutlookWaits, "its QOS uses as much as it may use", ""},
	{"QOSTimeLimit", OutlookNever, "asks for more time than its QOS allows", remedyShorter},

	{"PartitionDown", OutlookHeld, "the partition is down", "wait for the site, or take another partition"},
	{"PartitionInactive", OutlookHeld, "the partition is not starting jobs", "wait for the site, or take another partition"},
	{"PartitionConfig", OutlookHeld, "is against one of the partition's limits", "compare with scontrol show partition"},
	{"FrontEndDown", OutlookHeld, "no front end node is up", "wait for the site"},
	{"JobHeldAdmin", OutlookHeld, "held by an administrator", "ask the site's support why"},
	{"JobHeldUser", OutlookHeld, "held by its user", "scontrol release, or cancel it"},
	{"JobHoldMaxRequeue", OutlookHeld, "held: Slurm put it back too many times", remedyRelease},
	{"JobLaunchFailure", OutlookHeld, "could not be started on its node and is held", remedyRelease},
	{"launch failed requeued held", OutlookHeld, "could not be started on its node, put back and held", remedyRelease},
	{"job requeued in held state", OutlookHeld, "put back into the queue and held", remedyRelease},
	{"BurstBufferOperation", OutlookHeld, "a burst buffer operation failed", remedyRelease},
	{"SystemFailure", OutlookHeld, "Slurm, a file system or the network failed under it", remedyRelease},

	{"PartitionTimeLimit", OutlookNever, "asks for more time than the partition's limit", remedyShorter},
	{"PartitionNodeLimit", OutlookNever, "asks for more (or fewer) nodes than the partition gives to one job, or has", remedySmaller},
	{"BadConstraints", OutlookNever, "no node can ever give what it asks for", remedySmaller},
	{"InvalidAccount", OutlookNever, "its account does not exist or is no longer valid", remedyAccount},
	{"AccountNotAllowed", OutlookNever, "its account may not use the partition", remedyAccount},
	{"InvalidQOS", OutlookNever, "its QOS does not exist or is no longer valid", remedyQOS},
	{"QOSNotAllowed", OutlookNever, "its QOS is not allowed for the account or in the partition", remedyQOS},
	{"DependencyNeverSatisfied", OutlookNever, "waits for a job that did not end as the dependency demands", remedyCancel},
	{"ReservationDeleted", OutlookNever, "its reservation was deleted", "submit again without the reservation"},
	{"ReservationInvalid", OutlookNever, "its reservation is not valid", "submit again without the reservation"},
	{"MaxMemPerLimit", OutlookNever, "asks for more memory for a CPU or a node than is allowed", "ask for less memory"},
	{"DeadLine", OutlookNever, "can no longer end before its deadline", remedyCancel},

	// The last words of a job that has ended, as a requeued or completing one may still show.
	{"NonZeroExitCode", OutlookWaits, "its last run ended with an exit status other than 0", ""},
	{"RaisedSignal", OutlookWaits, "its last run was ended by a signal", ""},
	{"TimeLimit", OutlookWaits, "its last run reached the time limit", ""},
	{"InactiveLimit", OutlookWaits, "its last run was inactive for too long", ""},
	{"OutOfMemory", OutlookWaits, "its last run used more memory than it asked for", ""},
}

var reasonByName = func() map[string]reasonRow {
	m := make(map[string]reasonRow, len(reasons))
	for _, r := range reasons {
		m[fold(r.code)] = r
	}
	return m
}()

// phrases are what the controller says in sentences, with names in them that
// would otherwise be taken for lists (src/slurmctld/partition_mgr.c,
// read_config.c). With EnforcePartLimits=NO, the default, sbatch accepts an
// account that the partition refuses, and the job then says this for ever.
var phrases = []struct {
	part string // of the folded text
	row  reasonRow
}{
	{fold("Job's account not permitted to use this partition"), reasonRow{"AccountNotAllowed", OutlookNever, "its account may not use the partition", remedyAccount}},
	{fold("Job's QOS not permitted to use this partition"), reasonRow{"QOSNotAllowed", OutlookNever, "its QOS is not allowed in the partition", remedyQOS}},
	{fold("no longer valid, holding job"), reasonRow{"JobHeldAdmin", OutlookHeld, "held because its licence does not exist any more", remedyRelease}},
}

// Reason reads a pending reason as squeue, sacct or scontrol write it: the bare
// name, in parentheses, with text after a comma (ReqNodeNotAvail,
// UnavailableNodes:acn03), or several at once. Of several that have a name here
// the most hopeful counts: a job that can never start in one of its partitions
// may start in another.
func Reason(text string) ReasonInfo {
	text = strings.TrimSpace(text)
	bare := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"))
	if bare == "" {
		bare = "None"
	}
	best, found := oneReason(bare)
	if !found {
		for _, part := range strings.FieldsFunc(bare, func(r rune) bool { return strings.ContainsRune(",;|()", r) }) {
			info, ok := oneReason(strings.TrimSpace(part))
			if ok && (!found || rank(info.Outlook) < rank(best.Outlook)) {
				best, found = info, true
			}
		}
	}
	if !found {
		best = ReasonInfo{Code: bare, Outlook: OutlookUnknown, Words: "a reason that this version does not know: " + bare}
	}
	best.Text = text
	return best
}

// rank puts the most hopeful outlook first.
func rank(o Outlook) int {
	switch o {
	case OutlookNever:
		return 2
	case OutlookHeld:
		return 1
	}
	return 0
}

func oneReason(s string) (ReasonInfo, bool) {
	folded := fold(s)
	r, ok := reasonByName[folded]
	for _, p := range phrases {
		if !ok && strings.Contains(folded, p.part) {
			r, ok = p.row, true
		}
	}
	if !ok {
		r, ok = limitReason(s)
	}
	if !ok {
		return ReasonInfo{}, false
	}
	return ReasonInfo{Code: r.code, Outlook: r.outlook, Words: r.words, Remedy: r.remedy}, true
}

// fold makes names comparable: older releases wrote some texts with underscores
// for spaces, and the case of a few names changed.
func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", " ", "", ",", "").Replace(s))
}
