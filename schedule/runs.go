package schedule

import "math/bits"

// run is a stretch of numbers that another numbering has one behind the other too: those of the mask, bit i being number at+i there.
type run struct {
	mask uint64
	at   int32
}

// renumbering is how numbers are called in another numbering, as runs by words of 64 of them. Where the two go the same way for long, as those of kinds and
// of buckets do on a site whose hosts are named rack by rack, a word is a run or few, and a set is renumbered word by word.
type renumbering [][]run

// runsOf makes a renumbering of a list of the new numbers; those that have none are negative.
func runsOf(to []int32) renumbering {
	out := make(renumbering, (len(to)+63)/64)
	for from, number := range to {
		if number < 0 {
			continue
		}
		bit, at := uint(from%64), number-int32(from%64)
		list := out[from/64]
		if last := len(list) - 1; last >= 0 && list[last].at == at {
			list[last].mask |= 1 << bit
			continue
		}
		out[from/64] = append(list, run{1 << bit, at})
	}
	return out
}

// spread adds the numbers of a set to another set by their new numbers, and calls other for each that has none.
func (r renumbering) spread(from, to bitset, other func(int32) bool) {
	for w, word := range from {
		if word == 0 {
			continue
		}
		for _, run := range r[w] {
			to.addWord(word&run.mask, run.at)
			word &^= run.mask
		}
		for ; word != 0; word &= word - 1 {
			other(int32(w*64 + bits.TrailingZeros64(word)))
		}
	}
}

// addWord adds the numbers of a word, bit i being number at+i. None of them is negative, though at may be.
func (b bitset) addWord(word uint64, at int32) {
	if at < 0 {
		word, at = word>>uint(-at), 0
	}
	if word == 0 {
		return
	}
	w, up := at/64, uint(at%64)
	b[w] |= word << up
	if rest := word >> (64 - up); up > 0 && rest != 0 {
		b[w+1] |= rest
	}
}
