package manifest

import "errors"

// Problems collects problems, so that all are reported and not the first. The zero value is empty.
type Problems struct{ errs []error }

// MaxProblems is how many problems of one object are reported in full; the rest is counted.
const MaxProblems = 20

// Add notes a problem; nil is none.
func (p *Problems) Add(err error) {
	if err != nil {
		p.errs = append(p.errs, err)
	}
}

// Err is nil without problems, and all of them joined, in the order added, with some.
func (p *Problems) Err() error { return errors.Join(p.errs...) }
