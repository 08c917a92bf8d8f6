package node

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// identity is what is made at run time: it stands in no file.
type identity struct {
	port int
	// master is where the ranks of a server on several nodes meet. That one listens on all addresses.
	master int
	nonce  string // proves that the server which answers is the one we started
	key    string
}

func newIdentity() (identity, error) {
	port, err := freePort("127.0.0.1:0")
	if err != nil {
		return identity{}, err
	}
	master, err := freePort("0.0.0.0:0")
	if err != nil {
		return identity{}, err
	}
	nonce, err := randomHex(6)
	if err != nil {
		return identity{}, err
	}
	key, err := randomHex(24)
	if err != nil {
		return identity{}, err
	}
	return identity{port: port, master: master, nonce: nonce, key: key}, nil
}

func randomHex(n int) (string, error) {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("draw a random number: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// freePort asks the kernel for a port that is free now. Somebody else may take
// it before the server does; that is found by the server's own error and retried.
func freePort(address string) (int, error) {
	l, err := net.Listen("tcp4", address)
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	return port, nil
}

// fill puts the run-time values where the command line has their words.
func (id identity) fill(argv []string, socket string, attempt string) []string {
	r := strings.NewReplacer("{port}", strconv.Itoa(id.port), "{master_port}", strconv.Itoa(id.master), "{nonce}", id.nonce, "{socket}", socket, "{attempt}", attempt)
	filled := make([]string, len(argv))
	for i, a := range argv {
		filled[i] = r.Replace(a)
	}
	return filled
}

// environment is this process's, with set and the key added; a name that is
// set twice keeps the last value.
func environment(set map[string]string, keyNames []string, key string) []string {
	drop := map[string]bool{}
	for name := range set {
		drop[name] = true
	}
	for _, name := range keyNames {
		drop[name] = true
	}
	var env []string
	for _, line := range os.Environ() {
		if name, _, _ := strings.Cut(line, "="); !drop[name] {
			env = append(env, line)
		}
	}
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	for _, name := range keyNames {
		env = append(env, name+"="+key)
	}
	return env
}
