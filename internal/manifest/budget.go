package manifest

import (
	"errors"
	"fmt"
	"io"
)

// ownedFile is a file, and whose it is.
type ownedFile struct {
	input
	whose string
}

// budget is what may still be read, of each owner and of all.
type budget struct {
	limits Limits
	total  int64
	own    map[string]int64
	held   map[string]int // values, by owner
}

// values returns what is wrong where an owner's file has a document that is too large, or it has, or its files have,
// more values than they may, before one of them is parsed.
func (b *budget) values(file ownedFile, data []byte) error {
	l := b.limits
	if file.whose == "" || l.Values == 0 {
		return nil
	}
	for i, chunk := range split(data) {
		if size := int64(len(chunk.text)); size > l.One {
			return fmt.Errorf("%s: document %d: more than %s, want at most that in a document", file.shown(), i+1,
				megabytes(l.One))
		}
		n := valuesIn(chunk.text)
		if n > l.OneValues {
			return fmt.Errorf("%s: document %d: about %d values, want at most %d in a document", file.shown(), i+1, n,
				l.OneValues)
		}
		if b.held[file.whose] += n; b.held[file.whose] > l.Values {
			return fmt.Errorf("%s: with this file more than %d values in the files of folder %s, want at most that",
				file.shown(), l.Values, file.whose)
		}
	}
	return nil
}

func (b *budget) read(file ownedFile, stdin io.Reader) ([]byte, error) {
	l, left, most := b.limits, b.total, b.limits.Total
	if own := l.Own - b.own[file.whose]; file.whose != "" && l.Own > 0 && own < left { // it grew since it was counted
		left, most = own, l.Own
	}
	data, err := file.read(min(l.File, left), stdin)
	if errors.Is(err, errTooBig) {
		if left < l.File {
			err = fmt.Errorf("%s: with this file more than %s are read, want at most that", file.name, megabytes(most))
		} else {
			err = fmt.Errorf("%s: more than %s, want at most that in a file", file.name, megabytes(l.File))
		}
	}
	b.total -= int64(len(data))
	b.own[file.whose] += int64(len(data))
	return data, err
}
