package publish

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestTimes: a commit with a time that contradicts others, or in the future, has that of the one before. All
// are minutes, and now is 1000.
func TestTimes(t *testing.T) {
	const future = 1e6
	for _, row := range []struct {
		why          string
		stated, want []int
	}{
		{"none", nil, nil},
		{"one", []int{7}, []int{7}},
		{"in order, some at one time", []int{1, 2, 2, 5}, []int{1, 2, 2, 5}},
		{"a clock that is ahead, and right ones after it", []int{1, 2, 900, 3, 4}, []int{1, 2, 2, 3, 4}},
		{"two of them", []int{1, 900, 2, 800, 3, 4}, []int{1, 1, 2, 2, 3, 4}},
		{"a clock that is behind", []int{5, 6, 0, 7}, []int{5, 6, 6, 7}},
		{"one that is ahead, and one right one: the later is wrong", []int{1, 900, 2}, []int{1, 900, 900}},
		{"in the future, and a right one", []int{1, future, 2}, []int{1, 1, 2}},
		{"the newest is in the future", []int{1, 2, future}, []int{1, 2, 2}},
		{"the oldest is in the future", []int{future, 2, 3}, []int{2, 2, 3}},
		{"all are in the future", []int{future, future + 1}, []int{1000, 1000}},
		{"a day ahead at most: clocks differ", []int{1, 1000 + 24*60}, []int{1, 1000 + 24*60}},
		{"more are wrong than right", []int{1, 700, 701, 702, 2, 3}, []int{1, 700, 701, 702, 702, 702}},
	} {
		var versions []*Version
		for _, at := range row.stated {
			versions = append(versions, &Version{When: minute(at), Stated: minute(at)})
		}
		setTimes(versions, minute(1000))
		var found []int
		for i, version := range versions {
			assert.Equal(t, minute(row.stated[i]), version.Stated, row.why)
			found = append(found, int(version.When.Sub(minute(0))/time.Minute))
		}
		assert.Equal(t, row.want, found, row.why)
		assert.True(t, slices.IsSorted(found), row.why)
	}
	versions := []*Version{{Stated: minute(future)}, {Stated: minute(2)}}
	setTimes(versions, time.Time{})
	assert.Equal(t, minute(future), versions[1].When, "without a time, none is too late")
}
