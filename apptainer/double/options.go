package main

// An option as the real programs have it. The source is the file below
// cmd/internal/cli and the variable there, in Apptainer v1.4.5 (apptainer/apptainer)
// and SingularityCE v4.1.3 (sylabs/singularity); where both have the option the
// variable is the same, and a file named apptainer.go is singularity.go in the other.
type option struct {
	in     programs
	name   string
	short  string
	kind   kind
	env    string // after APPTAINER_ or SINGULARITY_, comma separated
	use    use
	source string
}

// programs says which of the two has the option.
type programs int

const (
	both programs = iota
	onlyApptainer
	onlySingularity
)

type kind int

const (
	flagBool kind = iota
	flagString
	flagInt
	flagList  // may be repeated, split at commas
	flagArray // may be repeated, taken whole
	flagMap   // name=value, may be repeated, split at commas
)

// use says what the double does with an option that the real program takes.
type use int

const (
	simulated use = iota // behaves alike
	harmless             // makes no difference to what runs here
	refused              // would make a difference that the double can't show
)

// actionOptions are those of `exec` and `run`.
var actionOptions = []option{
	{both, "add-caps", "", flagString, "ADD_CAPS", refused, "action_flags.go actionAddCapsFlag"},
	{both, "allow-setuid", "", flagBool, "ALLOW_SETUID", refused, "action_flags.go actionAllowSetuidFlag"},
	{both, "app", "", flagString, "APP,APPNAME", refused, "action_flags.go actionAppFlag"},
	{both, "apply-cgroups", "", flagString, "APPLY_CGROUPS", refused, "action_flags.go actionApplyCgroupsFlag"},
	{onlyApptainer, "authfile", "", flagString, "AUTH_FILE", harmless, "apptainer.go commonAuthFileFlag"},
	{onlySingularity, "authfile", "", flagString, "AUTHFILE", harmless, "singularity.go commonAuthFileFlag"},
	{onlyApptainer, "bind", "B", flagArray, "BIND,BINDPATH", simulated, "action_flags.go actionBindFlag"},
	{onlySingularity, "bind", "B", flagList, "BIND,BINDPATH", simulated, "action_flags.go actionBindFlag"},
	{both, "blkio-weight", "", flagInt, "BLKIO_WEIGHT", refused, "action_flags.go actionBlkioWeightFlag"},
	{both, "blkio-weight-device", "", flagList, "BLKIO_WEIGHT_DEVICE", refused, "action_flags.go actionBlkioWeightDeviceFlag"},
	{onlySingularity, "cdi-dirs", "", flagList, "", refused, "action_flags.go actionCdiDirs"},
	{both, "cleanenv", "e", flagBool, "CLEANENV", simulated, "action_flags.go actionCleanEnvFlag"},
	{both, "compat", "", flagBool, "COMPAT", refused, "action_flags.go actionCompatFlag"},
	{both, "contain", "c", flagBool, "CONTAIN", refused, "action_flags.go actionContainFlag"},
	{both, "containall", "C", flagBool, "CONTAINALL", refused, "action_flags.go actionContainAllFlag"},
	{both, "containlibs", "", flagList, "CONTAINLIBS", refused, "action_flags.go actionContainLibsFlag"},
	{both, "cpu-shares", "", flagInt, "CPU_SHARES", refused, "action_flags.go actionCPUSharesFlag"},
	{both, "cpus", "", flagString, "CPU_SHARES", refused, "action_flags.go actionCPUsFlag"},
	{both, "cpuset-cpus", "", flagString, "CPUSET_CPUS", refused, "action_flags.go actionCPUsetCPUsFlag"},
	{both, "cpuset-mems", "", flagString, "CPUSET_MEMS", refused, "action_flags.go actionCPUsetMemsFlag"},
	{both, "cwd", "", flagString, "CWD,TARGET_CWD", simulated, "action_flags.go actionCwdFlag"},
	{onlySingularity, "device", "", flagList, "", refused, "action_flags.go actionDevice"},
	{both, "disable-cache", "", flagBool, "DISABLE_CACHE", harmless, "action_flags.go actionDisableCacheFlag"},
	{both, "dns", "", flagString, "DNS", refused, "action_flags.go actionDNSFlag"},
	{both, "docker-host", "", flagString, "DOCKER_HOST", harmless, "apptainer.go dockerHostFlag"},
	{both, "docker-login", "", flagBool, "DOCKER_LOGIN", harmless, "apptainer.go dockerLoginFlag"},
	{both, "docker-password", "", flagString, "DOCKER_PASSWORD", harmless, "apptainer.go dockerPasswordFlag"},
	{both, "docker-username", "", flagString, "DOCKER_USERNAME", harmless, "apptainer.go dockerUsernameFlag"},
	{both, "drop-caps", "", flagString, "DROP_CAPS", refused, "action_flags.go actionDropCapsFlag"},
	{both, "env", "", flagMap, "", simulated, "action_flags.go actionEnvFlag"},
	{onlyApptainer, "env-file", "", flagList, "ENV_FILE", simulated, "action_flags.go actionEnvFileFlag"},
	{onlySingularity, "env-file", "", flagString, "ENV_FILE", simulated, "action_flags.go actionEnvFileFlag"},
	{both, "fakeroot", "f", flagBool, "FAKEROOT", refused, "action_flags.go actionFakerootFlag"},
	{both, "fusemount", "", flagList, "FUSESPEC", refused, "action_flags.go actionFuseMountFlag"},
	{both, "home", "H", flagString, "HOME", simulated, "action_flags.go actionHomeFlag"},
	{both, "hostname", "", flagString, "HOSTNAME", refused, "action_flags.go actionHostnameFlag"},
	{onlyApptainer, "ignore-fakeroot-command", "", flagBool, "IGNORE_FAKEROOT_COMMAND", refused, "action_flags.go actionIgnoreFakerootCommand"},
	{onlyApptainer, "ignore-subuid", "", flagBool, "IGNORE_SUBUID", refused, "action_flags.go actionIgnoreSubuidFlag"},
	{onlyApptainer, "ignore-userns", "", flagBool, "IGNORE_USERNS", refused, "action_flags.go actionIgnoreUsernsFlag"},
	{both, "ipc", "i", flagBool, "IPC,UNSHARE_IPC", refused, "action_flags.go actionIpcNamespaceFlag"},
	{onlySingularity, "keep-layers", "", flagBool, "KEEP_LAYERS", refused, "singularity.go commonKeepLayersFlag"},
	{both, "keep-privs", "", flagBool, "KEEP_PRIVS", refused, "action_flags.go actionKeepPrivsFlag"},
	{both, "memory", "", flagString, "MEMORY", refused, "action_flags.go actionMemoryFlag"},
	{both, "memory-reservation", "", flagString, "MEMORY_RESERVATION", refused, "action_flags.go actionMemoryReservationFlag"},
	{both, "memory-swap", "", flagString, "MEMORY_SWAP", refused, "action_flags.go actionMemorySwapFlag"},
	{onlyApptainer, "mount", "", flagArray, "MOUNT", simulated, "action_flags.go actionMountFlag"},
	{onlySingularity, "mount", "", flagList, "MOUNT", simulated, "action_flags.go actionMountFlag"},
	{both, "net", "n", flagBool, "NET,UNSHARE_NET", refused, "action_flags.go actionNetNamespaceFlag"},
	{onlyApptainer, "netns-path", "", flagString, "NETNS_PATH", refused, "action_flags.go actionNetnsPathFlag"},
	{both, "network", "", flagString, "NETWORK", refused, "action_flags.go actionNetworkFlag"},
	{both, "network-args", "", flagList, "NETWORK_ARGS", refused, "action_flags.go actionNetworkArgsFlag"},
	{onlySingularity, "no-compat", "", flagBool, "NO_COMPAT", harmless, "action_flags.go actionNoCompatFlag"},
	{both, "no-eval", "", flagBool, "NO_EVAL", simulated, "action_flags.go actionNoEvalFlag"},
	{both, "no-home", "", flagBool, "NO_HOME", refused, "action_flags.go actionNoHomeFlag"},
	{both, "no-https", "", flagBool, "NOHTTPS,NO_HTTPS", harmless, "apptainer.go commonNoHTTPSFlag"},
	{both, "no-init", "", flagBool, "NOSHIMINIT", harmless, "action_flags.go actionNoInitFlag"},
	{both, "no-mount", "", flagList, "NO_MOUNT", refused, "action_flags.go actionNoMountFlag"},
	{both, "no-nv", "", flagBool, "NV_OFF,NO_NV", simulated, "action_flags.go actionNoNvidiaFlag"},
	{onlySingularity, "no-oci", "", flagBool, "NO_OCI", harmless, "singularity.go commonNoOCIFlag"},
	{both, "no-pid", "", flagBool, "NO_PID", harmless, "action_flags.go actionNoPidNamespaceFlag"},
	{both, "no-privs", "", flagBool, "NO_PRIVS", harmless, "action_flags.go actionNoPrivsFlag"},
	{both, "no-rocm", "", flagBool, "ROCM_OFF,NO_ROCM", simulated, "action_flags.go actionNoRocmFlag"},
	{onlySingularity, "no-setgroups", "", flagBool, "NO_SETGROUPS", refused, "action_flags.go actionNoSetgroupsFlag"},
	{onlySingularity, "no-tmp-sandbox", "", flagBool, "NO_TMP_SANDBOX", refused, "singularity.go actionNoTmpSandbox"},
	{both, "no-umask", "", flagBool, "NO_UMASK", refused, "action_flags.go actionNoUmaskFlag"},
	{both, "nohttps", "", flagBool, "", harmless, "apptainer.go commonOldNoHTTPSFlag"},
	{both, "nv", "", flagBool, "NV", simulated, "action_flags.go actionNvidiaFlag"},
	{both, "nvccli", "", flagBool, "NVCCLI", refused, "action_flags.go actionNvCCLIFlag"},
	{onlySingularity, "oci", "", flagBool, "OCI", refused, "singularity.go commonOCIFlag"},
	{both, "oom-kill-disable", "", flagBool, "OOM_KILL_DISABLE", refused, "action_flags.go actionOomKillDisableFlag"},
	{both, "overlay", "o", flagList, "OVERLAY,OVERLAYIMAGE", refused, "action_flags.go actionOverlayFlag"},
	{both, "passphrase", "", flagBool, "", refused, "apptainer.go commonPromptForPassphraseFlag"},
	{both, "pem-path", "", flagString, "", refused, "apptainer.go commonPEMFlag"},
	{both, "pid", "p", flagBool, "PID,UNSHARE_PID", refused, "action_flags.go actionPidNamespaceFlag"},
	{both, "pids-limit", "", flagInt, "PIDS_LIMIT", refused, "action_flags.go actionPidsLimitFlag"},
	{onlySingularity, "proot", "", flagString, "PROOT", refused, "action_flags.go actionProotFlag"},
	{both, "pwd", "", flagString, "PWD,TARGET_PWD", simulated, "action_flags.go actionPwdFlag"},
	{both, "rocm", "", flagBool, "ROCM", simulated, "action_flags.go actionRocmFlag"},
	{both, "scratch", "S", flagList, "SCRATCH,SCRATCHDIR", refused, "action_flags.go actionScratchFlag"},
	{both, "security", "", flagList, "SECURITY", refused, "action_flags.go actionSecurityFlag"},
	{onlyApptainer, "sharens", "", flagBool, "SHARENS", refused, "action_flags.go actionShareNSFlag"},
	{onlySingularity, "sif-fuse", "", flagBool, "SIF_FUSE", harmless, "action_flags.go actionSIFFUSEFlag"},
	{onlySingularity, "tmp-sandbox", "", flagBool, "TMP_SANDBOX", refused, "singularity.go actionTmpSandbox"},
	{both, "tmpdir", "", flagString, "TMPDIR", harmless, "action_flags.go actionTmpDirFlag"},
	{onlyApptainer, "underlay", "", flagBool, "UNDERLAY", refused, "action_flags.go actionUnderlayFlag"},
	{onlyApptainer, "unsquash", "", flagBool, "UNSQUASH", harmless, "action_flags.go actionUnsquashFlag"},
	{both, "userns", "u", flagBool, "USERNS,UNSHARE_USERNS", harmless, "action_flags.go actionUserNamespaceFlag"},
	{both, "uts", "", flagBool, "UTS,UNSHARE_UTS", refused, "action_flags.go actionUtsNamespaceFlag"},
	{both, "workdir", "W", flagString, "WORKDIR", refused, "action_flags.go actionWorkdirFlag"},
	{both, "writable", "w", flagBool, "WRITABLE", refused, "action_flags.go actionWritableFlag"},
	{both, "writable-tmpfs", "", flagBool, "WRITABLE_TMPFS", refused, "action_flags.go actionWritableTmpfsFlag"},
}

// runOptions are those of `run` alone.
var runOptions = []option{
	{onlyApptainer, "runscript-timeout", "", flagString, "RUNSCRIPT_TIMEOUT", harmless, "action_flags.go actionRunscriptTimeoutFlag"},
}

// pullOptions are those of `pull`.
var pullOptions = []option{
	{both, "allow-unauthenticated", "", flagBool, "ALLOW_UNAUTHENTICATED", harmless, "pull.go pullAllowUnauthenticatedFlag"},
	{both, "allow-unsigned", "U", flagBool, "ALLOW_UNSIGNED", harmless, "pull.go pullAllowUnsignedFlag"},
	{onlyApptainer, "arch", "", flagString, "PULL_ARCH", simulated, "pull.go pullArchFlag"},
	{onlySingularity, "arch", "", flagString, "PULL_ARCH,ARCH", simulated, "singularity.go commonArchFlag"},
	{onlyApptainer, "arch-variant", "", flagString, "PULL_ARCH_VARIANT", simulated, "pull.go pullArchVariantFlag"},
	{onlyApptainer, "authfile", "", flagString, "AUTH_FILE", harmless, "apptainer.go commonAuthFileFlag"},
	{onlySingularity, "authfile", "", flagString, "AUTHFILE", harmless, "singularity.go commonAuthFileFlag"},
	{both, "dir", "", flagString, "PULLDIR,PULLFOLDER", simulated, "pull.go pullDirFlag"},
	{both, "disable-cache", "", flagBool, "DISABLE_CACHE", harmless, "pull.go pullDisableCacheFlag"},
	{both, "docker-host", "", flagString, "DOCKER_HOST", harmless, "apptainer.go dockerHostFlag"},
	{both, "docker-login", "", flagBool, "DOCKER_LOGIN", harmless, "apptainer.go dockerLoginFlag"},
	{both, "docker-password", "", flagString, "DOCKER_PASSWORD", harmless, "apptainer.go dockerPasswordFlag"},
	{both, "docker-username", "", flagString, "DOCKER_USERNAME", harmless, "apptainer.go dockerUsernameFlag"},
	{both, "force", "F", flagBool, "FORCE", simulated, "apptainer.go commonForceFlag"},
	{onlySingularity, "keep-layers", "", flagBool, "KEEP_LAYERS", refused, "singularity.go commonKeepLayersFlag"},
	{both, "library", "", flagString, "LIBRARY", harmless, "pull.go pullLibraryURIFlag"},
	{both, "name", "", flagString, "PULL_NAME", simulated, "pull.go pullNameFlag"},
	{both, "no-cleanup", "", flagBool, "NO_CLEANUP", harmless, "build.go buildNoCleanupFlag"},
	{both, "no-https", "", flagBool, "NOHTTPS,NO_HTTPS", harmless, "apptainer.go commonNoHTTPSFlag"},
	{onlySingularity, "no-oci", "", flagBool, "NO_OCI", harmless, "singularity.go commonNoOCIFlag"},
	{onlySingularity, "oci", "", flagBool, "OCI", refused, "singularity.go commonOCIFlag"},
	{onlySingularity, "platform", "", flagString, "PLATFORM", harmless, "singularity.go commonPlatformFlag"},
	{onlyApptainer, "sandbox", "", flagBool, "SANDBOX", refused, "pull.go pullSandboxFlag"},
	{both, "tmpdir", "", flagString, "TMPDIR", harmless, "apptainer.go commonTmpDirFlag"},
}

// inspectOptions are those of `inspect`.
var inspectOptions = []option{
	{both, "all", "", flagBool, "", refused, "inspect.go inspectAllFlag"},
	{both, "app", "", flagString, "", refused, "inspect.go inspectAppNameFlag"},
	{both, "deffile", "d", flagBool, "", refused, "inspect.go inspectDeffileFlag"},
	{both, "environment", "e", flagBool, "", refused, "inspect.go inspectEnvironmentFlag"},
	{both, "helpfile", "H", flagBool, "", refused, "inspect.go inspectHelpfileFlag"},
	{both, "json", "j", flagBool, "", simulated, "inspect.go inspectJSONFlag"},
	{both, "labels", "l", flagBool, "", simulated, "inspect.go inspectLabelsFlag"},
	{both, "list-apps", "", flagBool, "", refused, "inspect.go inspectAppsListFlag"},
	{both, "runscript", "r", flagBool, "", refused, "inspect.go inspectRunscriptFlag"},
	{both, "startscript", "s", flagBool, "", refused, "inspect.go inspectStartscriptFlag"},
	{both, "test", "t", flagBool, "", refused, "inspect.go inspectTestFlag"},
}

// globalOptions are those of the program itself, before the verb.
var globalOptions = []option{
	{onlyApptainer, "build-config", "", flagBool, "", refused, "apptainer.go singBuildConfigFlag"},
	{both, "config", "c", flagString, "CONFIG_FILE", harmless, "apptainer.go singConfigFileFlag"},
	{both, "debug", "d", flagBool, "DEBUG", harmless, "apptainer.go singDebugFlag"},
	{onlyApptainer, "nocolor", "", flagBool, "NOCOLOR", harmless, "apptainer.go singNoColorFlag"},
	{onlySingularity, "nocolor", "", flagBool, "", harmless, "singularity.go singNoColorFlag"},
	{onlyApptainer, "quiet", "q", flagBool, "QUIET", simulated, "apptainer.go singQuietFlag"},
	{onlySingularity, "quiet", "q", flagBool, "", simulated, "singularity.go singQuietFlag"},
	{onlyApptainer, "silent", "s", flagBool, "SILENT", simulated, "apptainer.go singSilentFlag"},
	{onlySingularity, "silent", "s", flagBool, "", simulated, "singularity.go singSilentFlag"},
	{onlyApptainer, "verbose", "v", flagBool, "VERBOSE", harmless, "apptainer.go singVerboseFlag"},
	{onlySingularity, "verbose", "v", flagBool, "", harmless, "singularity.go singVerboseFlag"},
}
