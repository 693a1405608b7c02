package manifest

import (
	"strings"
)

// plain reads a scalar without quotes. It goes on in the lines that are further in than column col.
func (p *simple) plain(col int) bool {
	line, whole := p.plainLine()
	var more []byte // all lines, where there is more than one
	for {
		last := p.end
		if p.next(); p.col <= col {
			if more != nil {
				line = string(more)
			}
			return p.scalar(line)
		}
		if more == nil {
			more = []byte(line)
		}
		if !whole || p.begin != last+1 || !isWord(p.text[p.pos]) && p.text[p.pos] != '/' {
			return false
		}
		if line, whole = p.plainLine(); line == "" {
			return false
		}
		more = append(append(more, ' '), line...)
	}
}

// plainLine is what a line has of a plain scalar: empty where there is doubt. whole says that no comment ended it.
func (p *simple) plainLine() (line string, whole bool) {
	from := p.pos
	whole = true
	for ; p.pos < p.end; p.pos++ {
		if p.text[p.pos] == ':' && (p.pos+1 == p.end || p.text[p.pos+1] == ' ') {
			return "", false
		}
		if p.text[p.pos] == '#' && p.text[p.pos-1] == ' ' {
			whole = false
			break
		}
	}
	return strings.TrimRight(p.text[from:p.pos], " "), whole
}

// quotedLines reads a string in single quotes that goes on in the lines that are further in than column col.
func (p *simple) quotedLines(col int) (text string, ok bool) {
	p.pos++
	var out []byte
	for {
		for ; p.pos < p.end; p.pos++ {
			if p.text[p.pos] == '\'' {
				if p.pos+1 == p.end || p.text[p.pos+1] != '\'' {
					p.pos++
					return string(out), true
				}
				p.pos++
			}
			out = append(out, p.text[p.pos])
		}
		if len(out) == 0 || out[len(out)-1] == ' ' {
			return "", false
		}
		p.begin, p.end = p.end+1, p.end+1
		for p.end < len(p.text) && p.text[p.end] != '\n' {
			p.end++
		}
		p.pos = min(p.begin, p.end)
		p.spaces()
		if p.pos >= p.end || p.pos-p.begin <= col {
			return "", false
		}
		out = append(out, ' ')
	}
}

// lineEnd is the end of a line in a string of JSON.
const lineEnd = `\n`

// literal reads a block of lines as they are, with one line end at its end (|) or none (|-).
func (p *simple) literal(col int) bool {
	p.pos++
	strip := p.pos < p.end && p.text[p.pos] == '-'
	if strip {
		p.pos++
	}
	if !p.ended() || p.text[len(p.text)-1] != '\n' {
		return false
	}
	var (
		from   = len(p.out)
		indent = -1
		empty  = 0
	)
	p.out = append(p.out, '"')
	at := p.end + 1
	for ; at < len(p.text); at = p.end + 1 {
		p.end = at
		for p.text[p.end] != '\n' {
			p.end++
		}
		line := p.text[at:p.end]
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case len(line) == 0:
			empty++
			continue
		case spaces == len(line):
			return false
		case indent < 0:
			indent = spaces
		}
		if spaces < indent || indent <= col {
			break
		}
		for ; empty > 0; empty-- {
			p.out = append(p.out, lineEnd...)
		}
		p.out = append(appendEscaped(p.out, line[indent:]), lineEnd...)
		continue
	}
	p.end = at - 1 // of the last line of the block, or empty line after it
	if len(p.out) == from+1 {
		return false
	}
	if strip {
		p.out = p.out[:len(p.out)-len(lineEnd)]
	}
	p.out = append(p.out, '"')
	p.next()
	return p.col <= col
}
