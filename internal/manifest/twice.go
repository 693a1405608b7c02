package manifest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// level is an object or a list that a reader of JSON is in.
type level struct {
	object bool
	// key is the last one of an object, and n the number of the present entry of a list.
	key []byte
	n   int
	// few are the keys read so far, and many the same ones once they are many.
	few  [][]byte
	many map[string]bool
}

// fewKeys is how many keys are compared one by one.
const fewKeys = 16

// add adds a key, and reports whether the object has it already.
func (l *level) add(key []byte) (twice bool) {
	l.key = key
	if l.many != nil {
		twice = l.many[string(key)]
		l.many[string(key)] = true
		return twice
	}
	for _, other := range l.few {
		if bytes.Equal(other, key) {
			return true
		}
	}
	if l.few = append(l.few, key); len(l.few) > fewKeys {
		l.many = map[string]bool{}
		for _, other := range l.few {
			l.many[string(other)] = true
		}
	}
	return false
}

// givenTwice returns the path of the first field that an object in valid JSON has twice, empty for none: the decoders
// keep the last one without an error. It looks at so many levels, or at all with 0.
func givenTwice(text []byte, levels int) string {
	in := make([]level, 0, 16)
	name := false // whether the next string is a key
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			name = text[i] == '{'
			in = into(in, name)
		case '}', ']':
			in = in[:len(in)-1]
		case ':':
			name = false
		case ',':
			name = in[len(in)-1].object
			in[len(in)-1].n++
		case '"':
			end := i + 1
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if name && (levels == 0 || len(in) <= levels) && in[len(in)-1].add(keyOf(text[i:end+1])) {
				return pathOf(in)
			}
			i = end
		}
	}
	return ""
}

// into adds a level, with the memory of one that the reader has left: hosts have thousands.
func into(in []level, object bool) []level {
	if len(in) == cap(in) {
		return append(in, level{object: object})
	}
	in = in[:len(in)+1]
	last := &in[len(in)-1]
	*last = level{object: object, few: last.few[:0]}
	return in
}

// keyOf returns the key of its JSON.
func keyOf(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var plain string
	_ = json.Unmarshal(quoted, &plain) // valid, as the whole text is
	return []byte(plain)
}

func pathOf(in []level) string {
	var path strings.Builder
	for i := range in {
		switch {
		case !in[i].object:
			path.WriteString("[" + strconv.Itoa(in[i].n) + "]")
		case path.Len() > 0:
			path.WriteString("." + string(in[i].key))
		default:
			path.Write(in[i].key)
		}
	}
	return path.String()
}
