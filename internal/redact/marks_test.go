package redact

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"

	"github.com/airshipit/sipgen/hack/need"
)

// has says whether every text that an expression matches has one of the marks, in literals that follow one another.
func has(re *syntax.Regexp, marks []string) bool {
	for _, literal := range literals(re) {
		if !marked(literal, marks) {
			return false
		}
	}
	return true
}

// literals are what every match has at least, one for each way through the alternatives of an expression. A NUL stands between literals that do not
// follow one another. Of those without case, only what has none in either case counts.
func literals(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) {
					return 0
				}
				return r
			}, text)
		}
		return []string{text}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, literals(sub)...)
		}
		return all
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			var next []string
			for _, before := range all {
				for _, after := range literals(sub) {
					next = append(next, before+after)
				}
			}
			all = next
		}
		return all
	case syntax.OpCapture:
		return literals(re.Sub[0])
	case syntax.OpEmptyMatch, syntax.OpWordBoundary:
		return []string{""}
	}
	return []string{"\x00"}
}

// TestMarks: no text that a pattern matches is without what is looked for before it.
func TestMarks(t *testing.T) {
	check := func(what string, pattern *regexp.Regexp, marks []string) {
		re, err := syntax.Parse(pattern.String(), syntax.Perl)
		need.OK(t, err)
		need.That(t, has(re, marks), "%s: %s matches texts without any of %q", what, pattern, marks)
	}
	for _, token := range tokens {
		check(token.what, token.pattern, token.marks)
	}
	check("a private key", privateKey, privateKeyMarks)
	check("a login", loginInURL, []string{"@"})
	check("a user", userInURL, []string{"@"})
	check("a strict login", strictLogin, []string{"@"})
	check("a parameter", parameter, []string{"="})
	for _, text := range []string{"", strings.Repeat("a", 26), strings.Repeat("a", 27), strings.Repeat("a", 26) + "." + strings.Repeat("b", 26), "x " + strings.Repeat("aZ9+/_-", 4) + "==", "é" + strings.Repeat("a", 27)} {
		need.Equal(t, text, hasRun(text), base64Run.MatchString(text))
	}
}

// everyPattern is Text without the looks before the patterns.
func everyPattern(text string) string {
	if len(text) < 8 {
		return text
	}
	text = privateKey.ReplaceAllString(text, mask)
	for _, token := range tokens {
		text = token.pattern.ReplaceAllString(text, mask)
	}
	text = userInURL.ReplaceAllString(loginInURL.ReplaceAllString(text, "${1}"+mask+"@"), "${1}"+mask+"@")
	text = authorization.ReplaceAllString(text, "${1}"+mask)
	text = credentials.ReplaceAllStringFunc(text, func(found string) string {
		if parts := credentials.FindStringSubmatch(found); strings.Trim(parts[2], "abcdefghijklmnopqrstuvwxyz.-") != "" {
			return parts[1] + mask
		}
		return found
	})
	text = parameter.ReplaceAllString(text, "${1}"+mask)
	return base64Run.ReplaceAllStringFunc(text, func(run string) string {
		if _, found := inBase64(run, 2); found {
			return mask
		}
		return run
	})
}

func FuzzText(f *testing.F) {
	for _, text := range []string{
		"AUTHORIZATION: Basic abcdefghijklmnop1", "authorization=x1y2z3", "Bearer\tabcdefghijklmnopqr1", "https://u:p@h/x", "http://t@h", "a?token=b", "ghp_" + strings.Repeat("a", 20),
		"glpat-" + strings.Repeat("a", 16), "-----BEGIN PRIVATE KEY-----x", "aHR0cHM6Ly91c2VyOnBhc3N3b3JkQGhvc3QvcGF0aA==", "redfish://bmc-1.example.org/redfish/v1/Systems/1", "proxy-authoriZation \\\": \\\"y", "baſic abcdefghijklmnop1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { need.Equal(t, text, Text(text), everyPattern(text)) })
}
