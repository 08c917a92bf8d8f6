// Package gatetest makes up the nights before a night, so that tests needn't wait
// for eight of them. What it writes is marked as made up and is for tests alone.
package gatetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"hpcbench/collect/gate"
)

// Past says what the made-up nights of an entry were like.
type Past struct {
	Nights   int
	State    gate.State // good ones where ""
	Factor   float64    // of the figures of the night that is there; 1 = the same level
	RepeatCV float64    // within a night
	NightCV  float64    // between nights
	Seed     uint64
	Before   string // the date that they end before; that of the night that is there where ""
}

// repeats a night.
const repeats = 5

// Write adds made-up nights before the last one of an entry, around its figures.
func Write(tb testing.TB, file, entry string, p Past) {
	tb.Helper()
	nights, _, err := gate.LoadNights(file)
	if err != nil {
		tb.Fatal(err)
	}
	var last *gate.NightRecord
	for i := range nights {
		if nights[i].Entry == entry {
			last = &nights[i]
		}
	}
	if last == nil {
		tb.Fatalf("%s has no night of %s to make others like", file, entry)
	}
	if p.State == "" {
		p.State = gate.Green
	}
	if p.Before == "" {
		p.Before = last.Night
	}
	date, err := time.Parse(time.DateOnly, p.Before)
	if err != nil {
		tb.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(p.Seed, 41))
	for i := range p.Nights {
		at := date.AddDate(0, 0, i-p.Nights)
		made := *last
		made.Night, made.At = at.Format(time.DateOnly), at.Add(20*time.Hour)
		made.Run, made.Pairs, made.State, made.Reason = fmt.Sprintf("made-up-%s", made.Night), nil, p.State, "made up by a test"
		made.Figures = nil
		night := rng.NormFloat64() * p.NightCV // all figures of a night together
		for _, f := range last.Figures {
			level := 0.0
			for _, v := range f.Values {
				level += math.Log(v) / float64(len(f.Values))
			}
			made.Figures = append(made.Figures, gate.Figures{Key: f.Key, Asked: repeats})
			values := &made.Figures[len(made.Figures)-1].Values
			for range repeats {
				*values = append(*values, p.Factor*math.Exp(level+night+rng.NormFloat64()*p.RepeatCV))
			}
		}
		if err := gate.AppendNight(file, made); err != nil {
			tb.Fatal(err)
		}
	}
}
