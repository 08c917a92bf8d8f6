package suite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// NightOf names the night that an instant belongs to: the date (UTC) of the noon
// that it follows. A night lasts from noon to noon, so that calls before and after
// midnight belong together.
func NightOf(at time.Time) string {
	return at.UTC().Add(-12 * time.Hour).Format(time.DateOnly)
}

// CheckNight refuses what isn't a date.
func CheckNight(night string) error {
	if _, err := time.Parse(time.DateOnly, night); err != nil {
		return fmt.Errorf("night %q: want a date such as 2026-03-19", night)
	}
	return nil
}

// Unfinished is the last night before another that still has something under way,
// "" where there is none. dir is the suite's folder, with a folder for each night.
func Unfinished(dir, before string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("list the nights: %w", err)
	}
	for _, e := range slices.Backward(entries) {
		if !e.IsDir() || CheckNight(e.Name()) != nil || e.Name() >= before {
			continue
		}
		all, err := readEvents(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(fold(all), func(k known) bool { return k.underWay() }) {
			return e.Name(), nil
		}
		return "", nil // only the last one: what was left before it is somebody's to look at
	}
	return "", nil
}
