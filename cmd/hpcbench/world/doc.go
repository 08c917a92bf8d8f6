// Package world needs one of the tags cluster, fault or engine.
package world
