package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mark is the comment on the line above a guard: why the guard is there, and in parentheses the test, where only one
// with a real engine notices the guard's absence.
var mark = regexp.MustCompile(`^//guard(?:\((Test[^)]+)\))?: (.+)$`)

// guard is a marked piece of code, and the ways of taking it out.
type guard struct {
	file   string // from the root of the module
	line   int    // of the mark
	why    string
	engine string // the test below e2e that notices its absence, where no other does
	outs   []*edit
	at     int // where the file's imports can begin
}

func (g *guard) String() string { return fmt.Sprintf("%s:%d: %s", g.file, g.line, g.why) }

// edit is a way of taking a guard out. A switch stands around the bytes from start up to end: Go code on one line, in
// which # is the edit's number. An edit without one cuts these bytes; noted is where a statement can note that they
// are reached, or -1.
type edit struct {
	number        int // from 1, over all guards
	start, end    int
	before, after string
	noted         int
	alone         bool // it does not compile together with the others
}

// cuts reports whether the edit is no switch.
func (e *edit) cuts() bool { return e.before == "" }

// cut returns the source without the edit's bytes.
func (e *edit) cut(src []byte) []byte { return slices.Concat(src[:e.start], src[e.end:]) }

// weave puts the switches of edits into a source, and the import of their package. It keeps the lines.
func weave(src []byte, imports int, switches string, edits []*edit) []byte {
	type piece struct {
		at, other int
		text      string
	}
	pieces := []piece{{imports, imports, `; import guardsoff "` + switches + `"`}}
	for _, e := range edits {
		of := func(text string) string { return strings.ReplaceAll(text, "#", strconv.Itoa(e.number)) }
		switch {
		case !e.cuts():
			pieces = append(pieces, piece{e.start, e.end, of(e.before)}, piece{e.end, e.start, of(e.after)})
		case e.noted >= 0:
			pieces = append(pieces, piece{e.noted, e.noted, of("guardsoff.At(#); ")})
		}
	}
	// What ends somewhere stands before what begins there, the inner end first and the outer beginning first.
	slices.SortStableFunc(pieces, func(a, b piece) int {
		ends := func(p piece) int {
			if p.other < p.at {
				return 0
			}
			return 1
		}
		return cmp.Or(a.at-b.at, ends(a)-ends(b), b.other-a.other)
	})
	var out []byte
	from := 0
	for _, p := range pieces {
		out = append(append(out, src[from:p.at]...), p.text...)
		from = p.at
	}
	return append(out, src[from:]...)
}

// guards finds the marked guards of a Go file, in order. A mark that is not directly above something that can be
// taken out is an error.
func guards(name string, src []byte) ([]guard, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	marks := map[int][]string{} // by the line that they mark
	for _, group := range file.Comments {
		for _, comment := range group.List {
			match := mark.FindStringSubmatch(comment.Text)
			line := fset.Position(comment.Pos()).Line
			switch {
			case match != nil:
				marks[line+1] = match
			case strings.HasPrefix(comment.Text, "//guard"):
				return nil, fmt.Errorf("%s:%d: want //guard: why, or //guard(TestName): why, found %q", name, line, comment.Text)
			}
		}
	}
	var found []guard
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		line := fset.Position(n.Pos()).Line
		if match, ok := marks[line]; ok {
			e := editor{src: src, base: fset.File(file.Pos()).Base()}
			if outs := e.takeOut(n, above); outs != nil {
				found = append(found, guard{file: name, line: line - 1, why: match[2], engine: match[1], outs: outs,
					at: e.at(file.Name.End())})
				delete(marks, line)
			}
		}
		above = append(above, n)
		return true
	})
	for _, line := range slices.Sorted(maps.Keys(marks)) {
		return nil, fmt.Errorf("%s:%d: nothing that can be taken out below the mark %q", name, line-1, marks[line][2])
	}
	return found, nil
}

// editor makes the edits of one file. base is the position of the file's first byte.
type editor struct {
	src  []byte
	base int
}

func (e editor) at(p token.Pos) int { return int(p) - e.base }

// around puts switches around a node.
func (e editor) around(n ast.Node, before, after string) *edit {
	return &edit{start: e.at(n.Pos()), end: e.at(n.End()), before: before, after: after, noted: -1}
}

// takeOut returns how n is taken out, or gives nil if n is no guard. A condition becomes false in one edit and true
// in the other: one of the two is the guard's absence, and tests notice the other one anyway. The operand of &&
// becomes true, that of || false. An element of a list or a map goes, and so does a statement: in a block that never
// runs, so that what the statement uses stays in use. A function answers with a zero value. What does not compile is
// no way (verdict).
func (e editor) takeOut(n ast.Node, above []ast.Node) []*edit {
	switch n := n.(type) {
	case *ast.IfStmt:
		return e.decide(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			return e.decide(n.Cond)
		}
	case *ast.CaseClause:
		if len(n.List) == 0 || !isCondition(above) {
			return nil
		}
		var outs []*edit
		for _, expr := range n.List {
			outs = append(outs, e.decide(expr)...)
		}
		return outs
	case *ast.ReturnStmt:
		return e.answer(n, above)
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt, *ast.GoStmt, *ast.RangeStmt, *ast.SwitchStmt:
		return []*edit{e.never(n)}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return []*edit{e.never(n)}
		}
		if len(n.Rhs) == 1 && isBool(n.Rhs[0]) {
			return e.decide(n.Rhs[0])
		}
	case ast.Expr:
		return e.part(n, above)
	}
	return nil
}

// answer has a function answer with zero values.
func (e editor) answer(n *ast.ReturnStmt, above []ast.Node) []*edit {
	var zeros []string
	for _, f := range above {
		var results *ast.FieldList
		switch f := f.(type) {
		case *ast.FuncDecl:
			results = f.Type.Results
		case *ast.FuncLit:
			results = f.Type.Results
		default:
			continue
		}
		if zeros = nil; results == nil {
			continue
		}
		for _, field := range results.List {
			zero := "*new(" + string(e.src[e.at(field.Type.Pos()):e.at(field.Type.End())]) + ")"
			zeros = append(zeros, slices.Repeat([]string{zero}, max(1, len(field.Names)))...)
		}
	}
	if len(n.Results) == 1 && (isBool(n.Results[0]) || zeros[0] == "*new(bool)") {
		return e.decide(n.Results[0])
	}
	return []*edit{e.never(n), e.around(n, "if guardsoff.At(#) { return "+strings.Join(zeros, ", ")+" }; ", "")}
}

// part takes an operand of && or ||, an element of a list or an argument out.
func (e editor) part(n ast.Expr, above []ast.Node) []*edit {
	if len(above) == 0 {
		return nil
	}
	switch p := above[len(above)-1].(type) {
	case *ast.BinaryExpr:
		if p.Op == token.LAND {
			return []*edit{e.around(n, "(guardsoff.Off(#) || guardsoff.Saw(0, #, ", "))")}
		}
		if p.Op == token.LOR {
			return []*edit{e.around(n, "(!guardsoff.Off(#) && guardsoff.Saw(#, 0, ", "))")}
		}
	case *ast.CompositeLit:
		if n != p.Type {
			return []*edit{e.element(n, above)}
		}
	case *ast.CallExpr:
		if n != p.Fun && n != p.Args[0] {
			return []*edit{e.element(n, above)}
		}
	}
	return nil
}

// never puts a statement into a block that does not run.
func (e editor) never(n ast.Node) *edit { return e.around(n, "if !guardsoff.At(#) { ", " }") }

// decide makes a condition false, then true. The first is noted where the condition is true, the second where it is
// false.
func (e editor) decide(cond ast.Expr) []*edit {
	outs := []*edit{
		e.around(cond, "!guardsoff.Off(#) && guardsoff.Saw(#, 0, ", ")"), e.around(cond,
			"guardsoff.Off(#) || guardsoff.Saw(0, #, ", ")"),
	}
	if constant, ok := cond.(*ast.Ident); ok && constant.Name == "true" {
		return outs[:1]
	} else if ok && constant.Name == "false" {
		return outs[1:]
	}
	return outs
}

// element takes an element of a list out, with its comma.
func (e editor) element(n ast.Node, above []ast.Node) *edit {
	out := e.around(n, "", "")
	if out.end < len(e.src) && e.src[out.end] == ',' {
		out.end++
	}
	for i := 1; i < len(above); i++ {
		var list []ast.Stmt
		switch p := above[i-1].(type) {
		case *ast.BlockStmt:
			list = p.List
		case *ast.CaseClause:
			list = p.Body
		}
		statement, _ := above[i].(ast.Stmt)
		if _, clause := statement.(*ast.CaseClause); !clause && slices.Contains(list, statement) {
			out.noted = e.at(statement.Pos())
		}
	}
	return out
}

// isCondition reports whether the cases of the innermost switch are conditions: switch { case a > b: }.
func isCondition(above []ast.Node) bool {
	for i := len(above) - 1; i >= 0; i-- {
		if s, ok := above[i].(*ast.SwitchStmt); ok {
			return s.Tag == nil
		}
	}
	return false
}

// isBool reports whether an expression is a condition as far as its form shows.
func isBool(expr ast.Expr) bool {
	switch e := expr.(type) {
	case *ast.ParenExpr:
		return isBool(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		}
	}
	return false
}
