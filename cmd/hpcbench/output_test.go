package main

import (
	"slices"
	"testing"
)

func TestFolded(t *testing.T) {
	long := "a name of forty columns, all of them one" // 40
	for _, c := range []struct {
		name string
		row  []string
		want []int
	}{
		{"fits", []string{"run", "1", "words"}, []int{3, 1, 5}},
		{"the last column gives", []string{"run", "1", long + long}, []int{3, 1, 52}},
		{"both give", []string{long, "1", long}, []int{31, 1, 24}},
		{"numbers keep theirs", []string{long, "123456789012345678901234567890", "words"}, []int{21, 30, 5}},
		{"nothing left", []string{"run", long + long, "words"}, []int{3, 80, 5}},
	} {
		if got := folded([]string{"a", "b", "c"}, [][]string{c.row}, []int{1}, 60); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
