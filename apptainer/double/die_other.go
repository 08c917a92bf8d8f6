//go:build !linux

package main

import "syscall"

// dieWithParent asks for nothing where the kernel can't do it.
func dieWithParent() *syscall.SysProcAttr { return nil }
