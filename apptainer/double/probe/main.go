// Command probe is what the tests run in a container, real or not: it tells what it
// sees. It is static, so that it runs in an image that holds nothing else.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fail("want env, args, pwd, exit, die, wait or family")
	}
	switch os.Args[1] {
	case "env": // NUL after each variable
		for _, kv := range os.Environ() {
			fmt.Print(kv, "\x00")
		}
	case "args":
		fmt.Printf("%q\n", os.Args[2:])
	case "pwd":
		dir, err := os.Getwd()
		if err != nil {
			fail(err.Error())
		}
		fmt.Println(dir)
	case "exit":
		os.Exit(number(2))
	case "die": // of a signal
		if err := syscall.Kill(os.Getpid(), syscall.Signal(number(2))); err != nil {
			fail(err.Error())
		}
		time.Sleep(10 * time.Second)
	case "wait":
		wait("", func() {})
	case "family": // with a child that would tell of a signal too
		child := exec.Command("/proc/self/exe", "child")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			fail(err.Error())
		}
		wait("parent ", func() { _ = child.Process.Kill() })
	case "child":
		wait("child ", func() {})
	default:
		fail("unknown: " + os.Args[1])
	}
}

// wait reports every signal, and at TERM cleans up and ends with 5.
func wait(who string, clean func()) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2)
	fmt.Printf("%sready %d\n", who, os.Getpid())
	for s := range signals {
		fmt.Printf("%sgot %v\n", who, s)
		if s == syscall.SIGTERM {
			clean()
			os.Exit(5)
		}
	}
}

func number(i int) int {
	if len(os.Args) <= i {
		fail("want a number")
	}
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		fail(err.Error())
	}
	return n
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, "probe: "+text)
	os.Exit(64)
}
