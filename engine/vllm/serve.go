package vllm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Words in the command line that `hpcbench repeat` fills in when it starts the server.
const (
	PortWord       = "{port}"
	NonceWord      = "{nonce}"
	SocketWord     = "{socket}"
	MasterPortWord = "{master_port}"
	// RankWord and MasterAddrWord are filled in by the script, a task of srun each.
	RankWord       = "{rank}"
	MasterAddrWord = "{master_addr}"
)

// KeyEnv is the variable that vLLM reads its API key from; an argument would be
// seen in ps by everybody on the node.
const KeyEnv = "VLLM_API_KEY"

// ServeConfig is what the command line is made from. Zero values leave a flag
// out, so that vLLM's own default holds.
type ServeConfig struct {
	Command     []string // default: vllm
	Model       string   // a name, a folder or a snapshot's path
	ServedName  string   // without the nonce; default Model
	TP          int      // tensor parallel size: GPUs of a node; default 1
	PP          int      // pipeline parallel size: nodes; default 1
	Nodes       int      // default 1
	MaxModelLen int      // tokens
	MaxNumSeqs  int      // requests that run at once
	DType       string
	Revision    string // of a model given by name
	Socket      bool   // a Unix socket instead of a port
	Extra       []string
}

// ServeArgs is the server's whole command line, the same on every node of a
// run. An argument in Extra that repeats one of ours replaces it. Arguments
// that would break the frame (address, key, served name, ranks) are refused.
func ServeArgs(c ServeConfig) ([]string, error) {
	command := c.Command
	if len(command) == 0 {
		command = []string{"vllm"}
	}
	if c.Model == "" {
		return nil, errors.New("vllm serve: no model given")
	}
	if strings.HasPrefix(c.Model, "-") || strings.ContainsAny(c.Model, "\x00\n\r") {
		return nil, fmt.Errorf("vllm serve: %q can't be a model: it would be read as an option, or not passed on", c.Model)
	}
	extra, err := splitExtra(c.Extra)
	if err != nil {
		return nil, err
	}
	served := c.ServedName
	if served == "" {
		served = c.Model
	}
	args := append([]string{}, command...)
	args = append(args, "serve", c.Model, "--served-model-name", served+"-"+NonceWord)
	if c.Socket {
		args = append(args, "--uds", SocketWord)
	} else {
		args = append(args, "--host", "127.0.0.1", "--port", PortWord)
	}
	add := func(flag, value string, wanted bool) {
		if wanted && !extra.has(flag) {
			args = append(args, flag, value)
		}
	}
	add("--tensor-parallel-size", strconv.Itoa(max(c.TP, 1)), true)
	add("--pipeline-parallel-size", strconv.Itoa(c.PP), c.PP > 1)
	if c.Nodes > 1 {
		// Without Ray: each node runs its own workers, all report to the first.
		add("--distributed-executor-backend", "mp", true)
		args = append(args, "--master-port", MasterPortWord)
	}
	add("--revision", c.Revision, c.Revision != "")
	add("--dtype", c.DType, c.DType != "")
	add("--max-model-len", strconv.Itoa(c.MaxModelLen), c.MaxModelLen > 0)
	add("--max-num-seqs", strconv.Itoa(c.MaxNumSeqs), c.MaxNumSeqs > 0)
	return append(args, extra.args...), nil
}

// RankArgs are what each node's command line gets beyond ServeArgs, and
// WorkerArgs what every node but the first gets too. Both are empty for one node.
func RankArgs(nodes int) (rank, worker []string) {
	if nodes < 2 {
		return nil, nil
	}
	return []string{"--nnodes", strconv.Itoa(nodes), "--node-rank", RankWord, "--master-addr", MasterAddrWord}, []string{"--headless"}
}

// extraArgs are the user's own arguments.
type extraArgs struct {
	args []string
	set  map[string]bool // canonical flag names
}

func (e extraArgs) has(flag string) bool { return e.set[flag] }

// ours are the flags that make the frame, with the reason that a user hears.
var ours = map[string]string{
	"--host":              "the server listens on loopback only, because other users of the node can reach every other address",
	"--port":              "the port is chosen free when the server starts",
	"--uds":               "the socket's path is chosen when the server starts; a site asks for a socket with unix_socket",
	"--api-key":           "an argument is seen in ps by everybody on the node; the key is made at start and passed in the environment",
	"--served-model-name": "its random suffix proves that the server which answers is the one that was started; name the model with --model",
	"--nnodes":            "the nodes are those of the job; ask for them with --nodes",
	"--node-rank":         "the ranks are those of the job's tasks",
	"--master-addr":       "the first node's address is found when the job starts",
	"--master-port":       "the port is chosen free when the server starts",
	"--headless":          "the first node serves and the others don't",
	"--ssl-keyfile":       "the server is asked over loopback without TLS",
	"--ssl-certfile":      "the server is asked over loopback without TLS",
	"--ssl-ca-certs":      "the server is asked over loopback without TLS",
	"--root-path":         "readiness is asked at the server's root",
	"--config":            "a file could set what is refused here; give its settings as --server-arg",
	"--model":             "the model is the first argument; name it with --model",
	"--grpc":              "the load speaks HTTP",
	"--grpc-port":         "the load speaks HTTP",
	"--disable-log-stats": "without statistics the server's own account of a step is missing",
}

// aliases are vLLM's short spellings of flags that ServeArgs sets.
var aliases = map[string]string{
	"-tp": "--tensor-parallel-size", "-pp": "--pipeline-parallel-size", "-n": "--nnodes", "-r": "--node-rank",
}

// canonical is a flag's long name without a value: --a_b=1 is --a-b.
func canonical(arg string) string {
	name, _, _ := strings.Cut(arg, "=")
	if long, ok := aliases[name]; ok {
		return long
	}
	return strings.ReplaceAll(name, "_", "-")
}

func splitExtra(args []string) (extraArgs, error) {
	e := extraArgs{args: args, set: map[string]bool{}}
	var bad []error
	for i, a := range args {
		if strings.ContainsAny(a, "\x00\n\r") {
			bad = append(bad, fmt.Errorf("--server-arg %q: line ends and zero bytes can't be passed on", a))
			continue
		}
		if !strings.HasPrefix(a, "-") || isNumber(a) {
			if i == 0 {
				bad = append(bad, fmt.Errorf("--server-arg %q: the first one must be a flag of vllm serve, beginning with --", a))
			}
			continue
		}
		flag := canonical(a)
		if frame, why := breaksFrame(flag); frame != "" {
			bad = append(bad, fmt.Errorf("--server-arg %s can't be set: %s", frame, why))
		}
		e.set[flag] = true
	}
	return e, errors.Join(bad...)
}

// breaksFrame finds the flag of the frame that an argument sets. Python's
// argument parser also takes a beginning of a flag, so --por is --port.
func breaksFrame(flag string) (frame, why string) {
	if why, ok := ours[flag]; ok {
		return flag, why
	}
	if len(flag) < len("--x") {
		return "", ""
	}
	for frame, why := range ours {
		if strings.HasPrefix(frame, flag) {
			return frame, why
		}
	}
	return "", ""
}

// isNumber keeps -1 a value and not a flag.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
