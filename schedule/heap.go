package schedule

// item is a bucket with its place in an order.
type item struct {
	key    int64
	bucket int32
}

// heapify puts the items into heap order, least key first; ties by bucket.
func heapify(h []item) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		sink(h, i)
	}
}

func less(a, b item) bool {
	if a.key != b.key {
		return a.key < b.key
	}
	return a.bucket < b.bucket
}

func sink(h []item, i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if right := child + 1; right < len(h) && less(h[right], h[child]) {
			child = right
		}
		if !less(h[child], h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// pop takes the least item off.
func pop(h []item) (item, []item) {
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	sink(h, 0)
	return top, h
}

// push adds an item.
func push(h []item, x item) []item {
	h = append(h, x)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !less(h[i], h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
	return h
}
