//go:build fault

package faulttest

import "syscall"

// What a signal is sent to may just have ended, so nobody asks whether it arrived.
func kill9(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
func stop(pid int)  { _ = syscall.Kill(pid, syscall.SIGSTOP) }
func cont(pid int)  { _ = syscall.Kill(pid, syscall.SIGCONT) }
func term(pid int)  { _ = syscall.Kill(pid, syscall.SIGTERM) }
