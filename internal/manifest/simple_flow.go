package manifest

import (
	"strings"
)

// flow reads a mapping or list in braces, with all of it on this line.
func (p *simple) flow() bool {
	if p.depth++; p.depth > p.most {
		return false
	}
	closing, mapping := byte(']'), p.text[p.pos] == '{'
	if mapping {
		closing = '}'
	}
	first, start := len(p.entries), len(p.out)
	p.out = append(p.out, p.text[p.pos])
	p.pos++
	p.spaces()
	for n := 0; ; n++ {
		if p.pos >= p.end {
			return false
		}
		if n == 0 && p.text[p.pos] == closing {
			break
		}
		from, key := len(p.out), ""
		if mapping {
			var ok bool
			quoted := p.text[p.pos] == '"' || p.text[p.pos] == '\''
			if key, ok = p.key(); !ok || !quoted && strings.ContainsFunc(key, notInFlow) {
				return false
			}
			p.out = append(appendString(p.out, key), ':')
			p.spaces()
		}
		if !p.flowValue() {
			return false
		}
		p.entries = append(p.entries, simpleEntry{key, from, len(p.out)})
		p.out = append(p.out, ',')
		if p.spaces(); p.pos >= p.end {
			return false
		}
		if p.text[p.pos] == closing {
			break
		}
		if p.text[p.pos] != ',' {
			return false
		}
		p.pos++
		if p.pos == p.end || p.text[p.pos] != ' ' {
			return false
		}
		p.spaces()
	}
	p.pos++
	p.depth--
	if mapping {
		return p.close(first, start)
	}
	if len(p.entries) > first {
		p.out = p.out[:len(p.out)-1]
	}
	p.entries = p.entries[:first]
	p.out = append(p.out, ']')
	return true
}

// notInFlow: a plain scalar with such a character is left to the library where braces are around it.
func notInFlow(c rune) bool { return !isWord(byte(c)) && !strings.ContainsRune("_./+-", c) }

func (p *simple) flowValue() bool {
	if p.pos >= p.end {
		return false
	}
	switch p.text[p.pos] {
	case '{', '[':
		return p.flow()
	case '"', '\'':
		text, ok := p.quoted()
		p.out = appendString(p.out, text)
		return ok
	}
	from := p.pos
	for p.pos < p.end && !notInFlow(rune(p.text[p.pos])) {
		p.pos++
	}
	if p.pos == p.end || strings.IndexByte(" ,]}", p.text[p.pos]) < 0 {
		return false
	}
	if at := p.pos; p.text[at] == ' ' { // a word more would belong to the scalar
		p.spaces()
		if p.pos == p.end || strings.IndexByte(",]}", p.text[p.pos]) < 0 {
			return false
		}
		p.pos = at
	}
	return p.scalar(p.text[from:p.pos])
}
