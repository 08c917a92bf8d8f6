// Command double stands for `apptainer` (1.4) or `singularity` (SingularityCE 4.1) in
// tests, by the name it is started under. It is built by tests only, into a folder of
// theirs, and is never part of the program.
//
// It is strict where it can be: it takes only the options that the real program has,
// refuses what that refuses in the same words and with the same exit status, wants a
// SIF for this machine, checks the source of every bind, gives the command the
// environment that the real one would, forwards signals and mirrors the exit status.
// It is no container: the command runs on the host, with the host's files. Options
// whose effect would be missing (--contain, --overlay, --pid, …) are refused with exit
// status 99, so that no test is green because of a difference.
//
// What an image would bring comes from a file beside it, IMAGE.double.json:
//
//	{
//	  "commands": {"vllm": "/opt/venv/bin/vllm"},
//	  "env": {"PATH": "/opt/venv/bin:/usr/bin:/bin"},
//	  "home": "/tmp/home-of-the-test",
//	  "runscript": ["/bin/sh", "-c", "exec \"$@\"", "run"]
//	}
//
// commands maps names to host paths (else the command is looked up on the image's PATH
// and then on the host's); env is the image's environment; home stands for the user's home
// folder in the password file, which both runtimes take and not $HOME; runscript is put in
// front of the arguments of `run`.
//
// `pull` copies from a folder instead of a registry: HPCBENCH_TEST_REGISTRY holds one
// .sif for each address, named like it with every character but letters, digits, dots and
// dashes replaced by an underscore.
package main
