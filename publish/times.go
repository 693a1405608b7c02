package publish

import "time"

// setTimes gives versions, the oldest first, times that never fall: those of their commits, but for as few as possible
// that contradict the others, and for those after now by more than clocks differ. Such a version has the time of the
// one before, or of the first right one; now, if none is right. Of contradictions that a single commit could explain,
// the later one is wrong.
func setTimes(versions []*Version, now time.Time) {
	right := longestRise(versions, now)
	last := now
	if len(right) > 0 {
		last = versions[right[0]].Stated
	}
	for i, version := range versions {
		if len(right) > 0 && right[0] == i {
			last, right = version.Stated, right[1:]
		}
		version.When = last
	}
}

// longestRise returns the longest series of versions with times that never fall, the first of several.
func longestRise(versions []*Version, now time.Time) (series []int) {
	length, next := make([]int, len(versions)), make([]int, len(versions)) // of the longest series from each one on
	first := -1
	for i := len(versions) - 1; i >= 0; i-- {
		if !now.IsZero() && versions[i].Stated.After(now.Add(clockSkew)) {
			continue
		}
		length[i], next[i] = 1, -1
		for j := i + 1; j < len(versions); j++ {
			if length[j] >= length[i] && !versions[j].Stated.Before(versions[i].Stated) {
				length[i], next[i] = length[j]+1, j
			}
		}
		if first < 0 || length[i] >= length[first] {
			first = i
		}
	}
	for i := first; i >= 0; i = next[i] {
		series = append(series, i)
	}
	return series
}
