package order

import (
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

func TestBool(t *testing.T) {
	for _, row := range []struct {
		a, b bool
		want int
	}{{false, false, 0}, {true, true, 0}, {false, true, -1}, {true, false, 1}} {
		need.Equal(t, row.a, Bool(row.a, row.b), row.want)
	}
}
