package order

import "testing"

func TestBool(t *testing.T) {
	for _, row := range []struct {
		a, b bool
		want int
	}{{false, false, 0}, {true, true, 0}, {false, true, -1}, {true, false, 1}} {
		if got := Bool(row.a, row.b); got != row.want {
			t.Errorf("%t and %t: %d, want %d", row.a, row.b, got, row.want)
		}
	}
}
