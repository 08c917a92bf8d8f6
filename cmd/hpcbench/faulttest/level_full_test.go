//go:build fault && full

package faulttest

const withFull = true
