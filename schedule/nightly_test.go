package schedule

import (
	"iter"
	"os"
	"strconv"
	"testing"
	"time"
)

// Sites are the random sites that a test tries, told apart by seeds.
//
// By day they are always the same: the seeds from 0 on, a quarter of them with -short. SIPGEN_NIGHTLY, a duration, has
// each test go on for that long with seeds that no night before tried. SIPGEN_SEED has it begin there instead, and
// alone is the only site that is tried: to see again what the night found.
type Sites struct {
	t          *testing.T
	day, tried int
}

// RandomSites lets the test run beside others, because most of the time of all tests goes into random sites.
func RandomSites(t *testing.T, day int) *Sites {
	t.Parallel()
	if testing.Short() {
		day /= 4
	}
	return &Sites{t: t, day: day}
}

// Seeds yields each seed that is tried; also are those of sites that once were wrong.
func (s *Sites) Seeds(also ...int) iter.Seq[int] {
	night, from := s.night()
	return func(yield func(int) bool) {
		try := func(seed int) bool { s.tried++; return yield(seed) }
		if from >= 0 && night == 0 {
			try(from)
			return
		}
		for seed := range s.day {
			if !try(seed) {
				return
			}
		}
		for _, seed := range also {
			if !try(seed) {
				return
			}
		}
		if night == 0 {
			return
		}
		if from < 0 {
			from = int(time.Now().Unix()/86400) * 100_000_000
		}
		seed := from
		for end := time.Now().Add(night); time.Now().Before(end); seed++ {
			if !try(seed) {
				return
			}
		}
		s.t.Logf("%d sites by night, the seeds from %d on", seed-from, from)
	}
}

// night is how long to go on, and the seed to begin with, below 0 if there is none.
func (s *Sites) night() (length time.Duration, from int) {
	var err error
	if text := os.Getenv("SIPGEN_NIGHTLY"); text != "" {
		if length, err = time.ParseDuration(text); err != nil {
			s.t.Fatal("SIPGEN_NIGHTLY: ", err)
		}
	}
	from = -1
	if text := os.Getenv("SIPGEN_SEED"); text != "" {
		if from, err = strconv.Atoi(text); err != nil {
			s.t.Fatal("SIPGEN_SEED: ", err)
		}
	}
	return length, from
}

// Want fails the test if fewer than one in so many sites showed what it looks for: they would test nothing.
func (s *Sites) Want(what string, seen, inSoMany int) {
	s.t.Helper()
	if s.tried >= s.day && seen < s.tried/inSoMany {
		s.t.Errorf("%s in %d of %d sites: too few to test anything", what, seen, s.tried)
	}
}
