//go:build fault && !full

package faulttest

const withFull = false
