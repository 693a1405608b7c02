package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// mark is the comment on the line above a guard: why the guard is there, and in parentheses the test, where only one with
// a real engine notices the guard's absence.
var mark = regexp.MustCompile(`^//guard(?:\((Test[^)]+)\))?: (.+)$`)

// guard is a marked piece of code, and the ways of taking it out.
type guard struct {
	file   string // from the root of the module
	line   int    // of the mark
	why    string
	engine string // the test below e2e that notices its absence, where no other does
	outs   []edit
}

func (g *guard) String() string { return fmt.Sprintf("%s:%d: %s", g.file, g.line, g.why) }

// edit replaces the bytes of a file from start up to end.
type edit struct {
	start, end int
	text       string
}

func (e edit) apply(src []byte) []byte {
	return bytes.Join([][]byte{src[:e.start], []byte(e.text), src[e.end:]}, nil)
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
				found = append(found, guard{file: name, line: line - 1, why: match[2], engine: match[1], outs: outs})
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

func (e editor) text(n ast.Node) string { return string(e.src[e.at(n.Pos()):e.at(n.End())]) }

func (e editor) at(p token.Pos) int { return int(p) - e.base }

func (e editor) replace(n ast.Node, text string) edit {
	return edit{e.at(n.Pos()), e.at(n.End()), text}
}

// takeOut says how n is taken out, or gives nil if n is no guard. A condition becomes false in one edit and true in
// the other: one of the two is the guard's absence, and tests notice the other one anyway. The operand of && becomes
// true, that of || false. An element of a list or a map goes, and so does a statement: in a block that never runs, so
// that what the statement uses stays in use. A function answers with a zero value. What does not compile is no way (verdict).
func (e editor) takeOut(n ast.Node, above []ast.Node) []edit {
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
		var outs []edit
		for _, expr := range n.List {
			outs = append(outs, e.decide(expr)...)
		}
		return outs
	case *ast.ReturnStmt:
		return e.answer(n)
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt, *ast.GoStmt, *ast.RangeStmt, *ast.SwitchStmt:
		return []edit{e.never(n)}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return []edit{e.never(n)}
		}
		if len(n.Rhs) == 1 && isBool(n.Rhs[0]) {
			return e.decide(n.Rhs[0])
		}
	case ast.Expr:
		return e.part(n, above)
	}
	return nil
}

// answer has a function answer with a zero value. The return stays, so that what it uses stays in use.
func (e editor) answer(n *ast.ReturnStmt) []edit {
	outs := []edit{e.never(n)}
	if len(n.Results) != 1 {
		return outs
	}
	if isBool(n.Results[0]) {
		return e.decide(n.Results[0])
	}
	for _, zero := range []string{"nil", `""`, "0", "false", "true"} {
		outs = append(outs, e.replace(n, "if true {\nreturn "+zero+"\n}\n"+e.text(n)))
	}
	return outs
}

// part takes an operand of && or ||, an element of a list or an argument out.
func (e editor) part(n ast.Expr, above []ast.Node) []edit {
	if len(above) == 0 {
		return nil
	}
	switch p := above[len(above)-1].(type) {
	case *ast.BinaryExpr:
		if p.Op == token.LAND {
			return []edit{e.replace(n, "(true || "+e.text(n)+")")}
		}
		if p.Op == token.LOR {
			return []edit{e.replace(n, "(false && "+e.text(n)+")")}
		}
	case *ast.CompositeLit:
		if n != p.Type {
			return []edit{e.element(n)}
		}
	case *ast.CallExpr:
		if n != p.Fun && n != p.Args[0] {
			return []edit{e.element(n)}
		}
	}
	return nil
}

// never puts a statement into a block that never runs.
func (e editor) never(n ast.Node) edit { return e.replace(n, "if false {\n"+e.text(n)+"\n}") }

// decide makes a condition false, then true.
func (e editor) decide(cond ast.Expr) []edit {
	text := e.text(cond)
	return []edit{e.replace(cond, "false && ("+text+")"), e.replace(cond, "true || ("+text+")")}
}

// element takes an element of a list out, with its comma.
func (e editor) element(n ast.Node) edit {
	out := e.replace(n, "")
	if out.end < len(e.src) && e.src[out.end] == ',' {
		out.end++
	}
	return out
}

// isCondition says whether the cases of the innermost switch are conditions: switch { case a > b: }.
func isCondition(above []ast.Node) bool {
	for i := len(above) - 1; i >= 0; i-- {
		if s, ok := above[i].(*ast.SwitchStmt); ok {
			return s.Tag == nil
		}
	}
	return false
}

// isBool says whether an expression is a condition as far as its form shows.
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
