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

// Split returns the errors that an error joins, in order and without those that join others; the error itself if it
// joins none, and nothing for nil.
func Split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok:
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, Split(e)...)
	}
	return out
}
