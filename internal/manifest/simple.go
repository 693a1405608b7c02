package manifest

import (
	"slices"
	"strings"
	"sync"
)

// simpleJSON gives the JSON of a YAML document that is as simple as nearly all of them are, and the same that yaml.YAMLToJSONStrict gives, byte
// for byte, in a small part of its time. Of anything else it says ok = false, and nothing about why: a document is read by the library
// then, which knows all of YAML and has the words for what is wrong. What is read here is ASCII: block mappings and lists, flow ones on one line,
// scalars on one line that are beyond doubt a string, a whole number, true, false or null, and literal blocks (|). No key is there twice, and
// there are no anchors, aliases, tags, directives or tabs.
func simpleJSON(text []byte, maxDepth int) (object []byte, top *head, ok bool) {
	for _, c := range text {
		if c != '\n' && (c < ' ' || c > '~') {
			return nil, nil, false
		}
	}
	room := rooms.Get().(*simpleRoom)
	defer room.release()
	p := simple{text: string(text), end: -1, most: maxDepth, out: make([]byte, 0, len(text)+len(text)/8), simpleRoom: room}
	if p.next(); p.col < 0 || !p.block(p.col) || p.col >= 0 {
		return nil, nil, false
	}
	if p.top.doubt || p.out[0] != '{' {
		return p.out, nil, true
	}
	return p.out, &p.top, true
}

// simpleRoom is what one document after the other is read with.
type simpleRoom struct {
	// entries of the mappings around pos, and room to sort them.
	entries []simpleEntry
	sorted  []byte
}

var rooms = sync.Pool{New: func() any { return &simpleRoom{} }}

// release gives the room to another document. It keeps no text of this one, and no more than documents usually need.
func (r *simpleRoom) release() {
	const much = 1 << 10
	if cap(r.entries) > much || cap(r.sorted) > much*64 {
		return
	}
	clear(r.entries[:cap(r.entries)])
	r.entries = r.entries[:0]
	rooms.Put(r)
}

// SimpleJSON gives the JSON of a YAML document, as yaml.YAMLToJSONStrict does, where that is quickly done. ok is false for any other text, valid
// or not.
func SimpleJSON(text []byte) (object []byte, ok bool) {
	object, _, ok = simpleJSON(text, Inventory.Depth)
	return object, ok
}

// head is what tells one object from another.
type head struct {
	apiVersion, kind, namespace, name string
	// doubt: it is to be found in the JSON, by the rules of its decoder.
	doubt bool
}

// simple reads a document line by line. Its methods give false for what is not simple, and nothing is to be used then.
type simple struct {
	text string
	// pos is where reading is, on a line that begins at begin and ends at end. col is the column of what is to be read next; -1 after the last line.
	pos, begin, end, col int
	// depth of mappings and lists around pos, and the most there may be.
	depth, most int
	out         []byte
	*simpleRoom
	// path of the mappings around pos, as far as head needs it.
	inMetadata bool
	top        head
}

// simpleEntry is a key, and where it stands with its value in the output.
type simpleEntry struct {
	key      string
	from, to int
}

// next goes to the next line that is neither empty nor a comment.
func (p *simple) next() {
	for p.end+1 < len(p.text) {
		p.begin = p.end + 1
		p.end = p.begin
		for p.end < len(p.text) && p.text[p.end] != '\n' {
			p.end++
		}
		p.pos = p.begin
		p.spaces()
		if p.pos < p.end && p.text[p.pos] != '#' {
			p.col = p.pos - p.begin
			return
		}
	}
	p.col = -1
}

func (p *simple) spaces() {
	for p.pos < p.end && p.text[p.pos] == ' ' {
		p.pos++
	}
}

// ended says that nothing more is on the line but a comment, which a space goes before.
func (p *simple) ended() bool {
	at := p.pos
	p.spaces()
	return p.pos == p.end || p.pos > at && p.text[p.pos] == '#'
}

func (p *simple) dash() bool {
	return p.text[p.pos] == '-' && (p.pos+1 == p.end || p.text[p.pos+1] == ' ')
}

// block reads a mapping or a list whose first key or dash is at pos.
func (p *simple) block(col int) bool {
	if p.depth++; p.depth > p.most {
		return false
	}
	ok := false
	if p.dash() {
		ok = p.list(col)
	} else {
		ok = p.mapping(col)
	}
	p.depth--
	return ok && p.col <= col
}

func (p *simple) mapping(col int) bool {
	first, start := len(p.entries), len(p.out)
	p.out = append(p.out, '{')
	for p.col == col {
		key, ok := p.key()
		if !ok {
			return false
		}
		from := len(p.out)
		p.out = append(appendString(p.out, key), ':')
		if !p.valueOf(key, col) || p.col > col {
			return false
		}
		p.entries = append(p.entries, simpleEntry{key, from, len(p.out)})
		p.out = append(p.out, ',')
	}
	return p.close(first, start)
}

// close ends a mapping: its keys are sorted, and none is there twice.
func (p *simple) close(first, start int) bool {
	entries := p.entries[first:]
	p.entries = p.entries[:first]
	order := func(a, b simpleEntry) int { return strings.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(entries, order) {
		slices.SortFunc(entries, order)
		p.sorted = p.sorted[:0]
		for _, e := range entries {
			p.sorted = append(append(p.sorted, p.out[e.from:e.to]...), ',')
		}
		p.out = append(p.out[:start+1], p.sorted...)
	}
	for i := 1; i < len(entries); i++ {
		if entries[i].key == entries[i-1].key {
			return false
		}
	}
	if len(entries) > 0 {
		p.out = p.out[:len(p.out)-1] // the comma
	}
	p.out = append(p.out, '}')
	return true
}

// valueOf reads what a key of a mapping in column col has, and notes what belongs to the head.
func (p *simple) valueOf(key string, col int) bool {
	from := len(p.out)
	switch {
	case p.depth == 1:
		if p.inMetadata = key == "metadata"; p.inMetadata {
			p.top.doubt = p.top.doubt || p.pos < p.end && !p.ended()
		}
	case p.depth > 2:
		return p.value(col, col)
	}
	if !p.value(col, col) {
		return false
	}
	switch {
	case p.depth == 1 && key == "apiVersion":
		p.take(&p.top.apiVersion, from)
	case p.depth == 1 && key == "kind":
		p.take(&p.top.kind, from)
	case p.depth == 1 && key == "metadata":
		p.top.doubt = p.top.doubt || p.out[from] != '{'
	case p.depth == 1:
		for _, name := range []string{"apiVersion", "kind", "metadata", "items"} {
			p.top.doubt = p.top.doubt || strings.EqualFold(key, name)
		}
	case p.inMetadata && key == "namespace":
		p.take(&p.top.namespace, from)
	case p.inMetadata && key == "name":
		p.take(&p.top.name, from)
	case p.inMetadata:
		p.top.doubt = p.top.doubt || strings.EqualFold(key, "namespace") || strings.EqualFold(key, "name")
	}
	return true
}

// take notes a string that was written behind from.
func (p *simple) take(into *string, from int) {
	value := p.out[from:]
	if value[0] != '"' || slices.Contains(value, '\\') {
		p.top.doubt = true
		return
	}
	*into = string(value[1 : len(value)-1])
}

func (p *simple) list(col int) bool {
	p.out = append(p.out, '[')
	for n := 0; p.col == col && p.dash(); n++ {
		if n > 0 {
			p.out = append(p.out, ',')
		}
		p.pos++
		if p.ended() {
			if !p.below(col, false) {
				return false
			}
			continue
		}
		inner := p.pos - p.begin
		if p.dash() || p.isKey() {
			if p.col = inner; !p.block(inner) || p.col > col {
				return false
			}
			continue
		}
		if !p.value(col, -1) || p.col > col {
			return false
		}
	}
	p.out = append(p.out, ']')
	return p.col <= col
}

// below reads what stands on the lines after a key or dash in column col: a block further in, or, of a key, a list in its column; or nothing.
func (p *simple) below(col int, ofKey bool) bool {
	p.next()
	if p.col > col {
		return p.block(p.col) && p.col <= col
	}
	if ofKey && p.col == col && p.dash() {
		if p.depth++; p.depth > p.most {
			return false
		}
		ok := p.list(col)
		p.depth--
		return ok
	}
	p.out = append(p.out, "null"...)
	return true
}

// value reads what follows a key or a dash on its line, or below it, and goes to the next line. col is the column of the mapping or list it is in.
func (p *simple) value(col, key int) bool {
	if p.ended() {
		return p.below(col, key >= 0)
	}
	switch c := p.text[p.pos]; {
	case c == '|':
		return p.literal(col)
	case c == '{' || c == '[':
		if !p.flow() || !p.ended() {
			return false
		}
	case c == '"' || c == '\'':
		at := p.pos
		text, ok := p.quoted()
		if !ok && c == '\'' && p.pos == p.end {
			p.pos = at
			text, ok = p.quotedLines(col)
		}
		if !ok || !p.ended() {
			return false
		}
		p.out = appendString(p.out, text)
	default:
		return p.plain(col)
	}
	p.next()
	return p.col <= col
}

// isKey says that what is at pos is the key of a mapping.
func (p *simple) isKey() bool {
	at := p.pos
	_, ok := p.key()
	p.pos = at
	return ok
}

// key reads a key, and its colon.
func (p *simple) key() (key string, ok bool) {
	from := p.pos
	if c := p.text[p.pos]; c == '"' || c == '\'' {
		if key, ok = p.quoted(); !ok || key == "" {
			return "", false
		}
	} else {
		for ; p.pos < p.end; p.pos++ {
			c := p.text[p.pos]
			if c == ' ' {
				return "", false
			}
			if c == ':' && (p.pos+1 == p.end || p.text[p.pos+1] == ' ') {
				break
			}
		}
		if key = p.text[from:p.pos]; !plainKey(key) {
			return "", false
		}
	}
	if p.pos-from > 128 || p.pos >= p.end || p.text[p.pos] != ':' || p.pos+1 < p.end && p.text[p.pos+1] != ' ' {
		return "", false
	}
	p.pos++
	return key, true
}
