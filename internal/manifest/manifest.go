// Package manifest reads YAML and JSON documents from files, folders and standard input, and
// decodes them so that every complaint names the file, the document, the line and the field.
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	strictjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/internal/redact"
)

// Stdin is the path that means standard input.
const Stdin = "-"

// ErrNoFiles is the error for a folder without manifests.
var ErrNoFiles = errors.New("no .yaml, .yml or .json file in this folder")

// Document is one object of a file: a YAML document, a JSON object, or an item of a List.
type Document struct {
	// File as it was given, or found below a folder that was given; "stdin" for standard input.
	File string
	// Index counts the documents of the file from 1; it is 0 for an object that a kustomization builds.
	Index int
	// Line is the file's line on which the object begins, from 1.
	Line int
	// Prefix is the path of the object inside the document: "items[3]", or empty.
	Prefix string

	APIVersion, Kind, Namespace, Name string

	// Live: the object was read from an API server, and File is its name there.
	Live bool

	// Fault is why the object cannot be decoded, with Limits.Faulty; nil for nearly all.
	Fault error

	// JSON is the object as JSON.
	JSON []byte
	// source is the whole document as it was written, from the file's line start on; positions are those in it.
	source    []byte
	start     int
	positions *positions
}

// objectHead is the identity of an object.
type objectHead struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		// Continue is that of a List, where the API server has more of it.
		Continue any `json:"continue"`
	} `json:"metadata"`
}

// Where returns the place as text.
func (d *Document) Where() string { return d.Place().String() }

// Parse splits the content of a file into its documents, within the limits of Inventory. A document that cannot be
// read is an error.
func Parse(file string, data []byte) ([]Document, error) {
	limits := Inventory
	limits.Faulty = false
	return limits.Parse(file, data)
}

// Parse splits the content of a file into its documents.
func (l Limits) Parse(file string, data []byte) ([]Document, error) {
	if err := CheckEncoding(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	chunks := split(data)
	if len(chunks) > l.Documents {
		return nil, fmt.Errorf("%s: %d documents, want at most %d", file, len(chunks), l.Documents)
	}
	parsed := make([]struct {
		docs []Document
		err  error
	}, len(chunks))
	Each(len(chunks), func(i int) {
		text := chunks[i].text
		parsed[i].docs, parsed[i].err = l.parse(Document{File: file, Index: i + 1, Line: chunks[i].line,
			start: chunks[i].line, source: text, positions: &positions{text: text}})
	})
	var (
		all  []Document
		errs []error
	)
	for _, chunk := range parsed {
		all, errs = append(all, chunk.docs...), append(errs, chunk.err)
		if len(all) > l.Documents {
			return nil, errors.Join(append(errs, fmt.Errorf("%s: more than %d objects", file, l.Documents))...)
		}
	}
	return all, errors.Join(errs...)
}

// parse returns the objects in a document.
func (l Limits) parse(d Document) ([]Document, error) {
	if err := d.behind(); err != nil {
		return nil, err
	}
	if problem := l.CheckAliases(d.source); problem != "" {
		return d.faulty(l, d.Problem("", "%s", problem))
	}
	object, err := toJSON(d.source)
	if err != nil && l.Faulty {
		object, err = d.readable(err)
	}
	if err != nil {
		return d.faulty(l, d.syntaxError(err))
	}
	if bytes.Equal(object, []byte("null")) {
		return nil, nil
	}
	d.JSON = object
	if depthOf(object, l.Depth) <= l.Depth {
		l.Depth = 0 // none of its objects is too deep
	} else if !l.Faulty {
		return nil, d.tooDeep(l)
	}
	return d.items(l)
}

func (d *Document) tooDeep(l Limits) error {
	return &Problem{File: d.File, Document: d.Index, Line: d.LineOf(""),
		Message: fmt.Sprintf("mappings and lists within one another more than %d deep", l.Depth)}
}

// NoKind reports whether a document looks like a Kubernetes object without a kind, which no reader would take: it has
// an apiVersion, metadata or a spec. A file of values has none of these, and a kustomization needs no kind.
func (d *Document) NoKind() bool {
	if d.Kind != "" || strings.HasPrefix(d.APIVersion, "kustomize.config.k8s.io/") {
		return false
	}
	var top struct {
		Metadata json.RawMessage `json:"metadata"`
		Spec     json.RawMessage `json:"spec"`
	}
	return json.Unmarshal(d.JSON, &top) == nil && (d.APIVersion != "" || top.Metadata != nil || top.Spec != nil)
}

func toJSON(text []byte) ([]byte, error) {
	if isJSON(text) {
		return bytes.TrimSpace(text), nil
	}
	return yaml.YAMLToJSONStrict(text)
}

// isJSON reports whether a text is one JSON object.
func isJSON(text []byte) bool {
	trimmed := bytes.TrimSpace(text)
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

// items returns the document itself, or the items of a List. Depth is 0 if none of them is too deep.
func (d Document) items(l Limits) ([]Document, error) {
	var head struct {
		objectHead
		Items []json.RawMessage `json:"items"`
	}
	// Package encoding/json takes Items for items, and the last of both counts.
	if err := strictjson.UnmarshalCaseSensitivePreserveInts(d.JSON, &head); err != nil {
		return nil, d.typeErrors(err, &head) // it may be any object
	}
	if strings.HasSuffix(head.Kind, "List") {
		if err := d.oneSpelling(&head); err != nil {
			return nil, err
		}
	}
	if strings.HasSuffix(head.Kind, "List") && head.Items != nil {
		if more := head.Metadata.Continue; more != nil && more != "" {
			return nil, d.Problem("metadata.continue", "found %s, so the list ends early: want all of it, as kubectl get prints it",
				jsonType(more))
		}
		var (
			out   []Document
			errs  []error
			lines []int
		)
		if d.Prefix == "" {
			lines = itemLines(d.source, len(head.Items))
		}
		for i, item := range head.Items {
			child := d
			if lines != nil {
				child.Line = d.start + lines[i]
			}
			child.JSON = item
			child.Prefix = d.join(fmt.Sprintf("items[%d]", i))
			// Items of a typed list (BareMetalHostList) may leave out apiVersion and kind.
			found, err := child.items(l)
			for j := range found {
				if found[j].Kind == "" && head.Kind != "List" {
					found[j].Kind, found[j].APIVersion = strings.TrimSuffix(head.Kind, "List"), head.APIVersion
				}
			}
			out = append(out, found...)
			errs = append(errs, err)
		}
		return out, errors.Join(errs...)
	}
	if slices.ContainsFunc(head.Items, isObject) {
		found := "missing"
		if head.Kind != "" {
			found = redact.Sprintf("found %q", head.Kind)
		}
		return nil, d.Problem("kind", "%s, and its items are objects: want %q", found, "List")
	}
	d.APIVersion, d.Kind, d.Namespace, d.Name = head.APIVersion, head.Kind, head.Metadata.Namespace, head.Metadata.Name
	if l.Depth > 0 && depthOf(d.JSON, l.Depth) > l.Depth {
		d.Fault = d.tooDeep(l)
	}
	return []Document{d}, nil
}

// oneSpelling reports a field at the top of a List that is given twice, or whose name differs from one of head's in
// case only.
func (d *Document) oneSpelling(head any) error {
	var fields map[string]json.RawMessage
	if strict, _ := strictjson.UnmarshalStrict(d.JSON, &fields, strictjson.DisallowDuplicateFields); len(strict) > 0 {
		return d.strictError(strict[0], nil)
	}
	known := structFields(reflect.TypeOf(head).Elem())
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if known[name] == nil && misspelledCase(reflect.TypeOf(head), name) {
			return d.strictError(fmt.Errorf("unknown field %q", name), reflect.TypeOf(head))
		}
	}
	return nil
}

// isObject reports whether an item of a list is an object of Kubernetes.
func isObject(item json.RawMessage) bool {
	var head objectHead
	return json.Unmarshal(item, &head) == nil && (head.Kind != "" && head.APIVersion != "" || head.Metadata.Name != "")
}

type chunk struct {
	line int
	text []byte
}

// split cuts a stream at lines that begin with "---", as Kubernetes' YAML reader does, and a
// stream of JSON objects at their ends.
func split(data []byte) []chunk {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		if chunks, ok := splitJSON(data); ok {
			return chunks
		}
	}
	var (
		chunks []chunk
		line   = 1
		start  = 1
		text   []byte
	)
	for rest := data; len(rest) > 0; line++ {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		current := rest[:end]
		rest = rest[end:]
		if isSeparator(current) {
			if len(bytes.TrimSpace(text)) > 0 || len(chunks) > 0 {
				chunks = append(chunks, chunk{start, text})
			}
			text, start = nil, line+1
			continue
		}
		text = data[len(data)-len(rest)-len(current)-len(text) : len(data)-len(rest)]
	}
	return append(chunks, chunk{start, text})
}

func isSeparator(line []byte) bool {
	rest, found := bytes.CutPrefix(line, []byte("---"))
	rest = bytes.TrimSpace(rest)
	return found && (len(rest) == 0 || rest[0] == '#')
}

func splitJSON(data []byte) ([]chunk, bool) {
	var chunks []chunk
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return chunks, true
		}
		if err != nil {
			return nil, false
		}
		start := int(decoder.InputOffset()) - len(raw)
		chunks = append(chunks, chunk{1 + bytes.Count(data[:start], []byte("\n")), raw})
	}
}
