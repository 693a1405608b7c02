package app

import (
	"testing"
	"time"

	"github.com/airshipit/sipgen/inventory"
)

// TestAgeIsNotNegative: the API server's clock may be ahead of this machine's.
func TestAgeIsNotNegative(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]string{-90 * time.Second: "1m30s", 0: "0s", time.Minute: "0s"} {
		l := &Loaded{Hosts: &inventory.Inventory{TakenAt: now.Add(after)}}
		if age := l.Age(now); age != want {
			t.Errorf("hosts read %s from now: age %q, want %q", after, age, want)
		}
	}
}
