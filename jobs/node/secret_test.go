package node

import (
	"fmt"
	"net"
	"slices"
	"testing"
)

func TestEveryStartHasAnIdentityOfItsOwn(t *testing.T) {
	a, err := newIdentity()
	if err != nil {
		t.Fatal(err)
	}
	b, err := newIdentity()
	if err != nil {
		t.Fatal(err)
	}
	if a.nonce == b.nonce || a.key == b.key || len(a.key) != 48 || a.port == a.master {
		t.Errorf("got %+v and %+v", a, b)
	}
	// The ranks meet on all addresses, so it is there that the port must be free.
	l, err := net.Listen("tcp4", fmt.Sprintf("0.0.0.0:%d", a.master))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestFill(t *testing.T) {
	id := identity{port: 8000, master: 9000, nonce: "abc", key: "secret"}
	got := id.fill([]string{"serve", "--port={port}", "--master-port", "{master_port}", "m-{nonce}", "{socket}", "try {attempt}", "{rank} {master_addr}"}, "/tmp/s", "2")
	want := []string{"serve", "--port=8000", "--master-port", "9000", "m-abc", "/tmp/s", "try 2", "{rank} {master_addr}"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestEnvironmentSetsOnce(t *testing.T) {
	t.Setenv("VLLM_API_KEY", "the user's own")
	got := environment(map[string]string{"MASTER_PORT": "9000"}, []string{"VLLM_API_KEY"}, "ours")
	n := 0
	for _, v := range got {
		if v == "VLLM_API_KEY=the user's own" {
			t.Error("two keys")
		}
		if v == "VLLM_API_KEY=ours" || v == "MASTER_PORT=9000" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d of 2 are set", n)
	}
}
