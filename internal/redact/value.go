// Package redact keeps secrets out of messages. A value in a wrong field may be a private key or a token, and
// messages end up in CI logs and pull requests.
//
// There are three checks, from the careful to the certain: Value shows a value only if it looks like a name; Find
// recognizes certain secrets; Known removes known secrets from a text, in any spelling.
package redact

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostShown is the longest value that is shown, in characters: a name with its prefix, an image, an address.
const mostShown = 100

// plainValue matches the characters of names, images, branches, paths, addresses and selectors. Strong passwords have
// others, and base64 often ends in =.
var plainValue = regexp.MustCompile(`^[\pL0-9._/:@~,*=()\[\] -]*$`)

// Value returns a value for a message: in quotes where it looks like a name, else only how long it is.
func Value(value string) string {
	if kind, found := Find(value); found {
		return kind + " (not shown)"
	}
	if plainToSee(value) {
		return strconv.Quote(value)
	}
	return "a value of " + plural(utf8.RuneCountInString(value), "character") + " (not shown)"
}

// NoSecretName is the message about an invalid name of a Secret, without the value.
const NoSecretName = "found a value that is not a valid Secret name (not shown, because it may be the secret itself)"

// Plain is Value without the quotes around a value that is shown.
func Plain(value string) string {
	if shown := Value(value); shown != strconv.Quote(value) {
		return shown
	}
	return value
}

// plainToSee reports whether a value may be shown: short, of plain characters, and neither random nor a login.
func plainToSee(value string) bool {
	if utf8.RuneCountInString(value) > mostShown || !plainValue.MatchString(value) || strings.HasSuffix(value, "=") ||
		isLogin(value) || named.MatchString(value) {
		return false
	}
	for run := range strings.FieldsFuncSeq(value, func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}) {
		if looksRandom(run) {
			return false
		}
	}
	return true
}

// isLogin reports whether a value reads as user:password, by itself or in an address. A port, a tag after a
// repository's path, an IPv6 and a MAC address also have a colon, and so have Kubernetes' own names (system:masters).
func isLogin(value string) bool {
	scheme, rest, isURL := strings.Cut(value, "://")
	if !isURL {
		scheme, rest = "", value
	}
	if user, _, found := strings.Cut(rest, "@"); found &&
		(strings.Contains(user, ":") || scheme != "" && scheme != "ssh") {
		return true
	}
	if isURL || strings.Contains(rest, "@") {
		return false
	}
	before, after, found := strings.Cut(value, ":")
	if !found || before == "" || after == "" || strings.ContainsAny(before, "/.") || before == "system" ||
		isHexGroups(value) {
		return false
	}
	digits := strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })
	// not host:5000/image, image:3.2
	return digits != -1 && !(digits > 0 && strings.ContainsRune("./", rune(after[digits])))
}

func isHexGroups(value string) bool {
	value, _, _ = strings.Cut(value, "/") // the length of a prefix
	if _, err := netip.ParseAddr(value); err == nil {
		return true
	}
	for group := range strings.SplitSeq(value, ":") {
		if len(group) > 4 || strings.Trim(group, "0123456789abcdefABCDEF") != "" {
			return false
		}
	}
	return true
}

// looksRandom reports whether letters and digits look like a generated key: they alternate too often between digits,
// small and capital letters. The bounds allow camelCase, host names (r12n3cp) and versions.
func looksRandom(run string) bool {
	var length, digits, lower, upper, toDigit, toCase int
	before := rune(0)
	for _, r := range run {
		length++
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsUpper(r):
			upper++
		default:
			lower++
		}
		if before != 0 {
			if unicode.IsDigit(r) != unicode.IsDigit(before) {
				toDigit++
			} else if !unicode.IsDigit(r) && unicode.IsUpper(r) != unicode.IsUpper(before) {
				toCase++
			}
		}
		before = r
	}
	switch {
	case length > 40:
		return true
	case length < 16:
		return false
	case digits == length:
		return true
	case digits > 0 && lower > 0 && upper > 0:
		return toDigit >= 3
	case digits > 0:
		return length >= 20 && toDigit >= 5
	}
	return length >= 20 && 3*toCase >= length
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text + " " + one + "s"
}

// quoted is a text in quotes inside a message.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// Quotes redacts a library's message: each quoted text is shown as by Value.
func Quotes(message string) string {
	return Text(quoted.ReplaceAllStringFunc(message, func(text string) string {
		if plain, err := strconv.Unquote(text); err == nil {
			return Value(plain)
		}
		return Value(text[1 : len(text)-1])
	}))
}

// Sprintf returns fmt.Sprintf for messages with values from outside: %q shows a string as Value does, and other verbs
// print it redacted by Text.
func Sprintf(format string, args ...any) string {
	if false {
		_ = fmt.Sprintf(format, args...) // go vet checks the callers
	}
	return fmt.Sprintf(format, careful(args)...)
}

// Errorf is to fmt.Errorf as Sprintf is to fmt.Sprintf. An error for %w prints itself.
func Errorf(format string, args ...any) error {
	if false {
		_ = fmt.Errorf(format, args...) // go vet checks the callers
	}
	return fmt.Errorf(format, careful(args)...)
}

func careful(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		out[i] = arg
		if _, isError := arg.(error); isError {
			continue
		}
		if text, isText := textOf(arg); isText {
			out[i] = value(text)
		}
	}
	return out
}

// value is a string that prints itself with care.
type value string

func (v value) Format(state fmt.State, verb rune) {
	text := Text(string(v))
	if verb == 'q' {
		text, verb = Value(string(v)), 's'
	}
	fmt.Fprintf(state, fmt.FormatString(state, verb), text)
}
