package redact

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// mask replaces a removed secret.
const mask = "***"

var (
	// A login in an address. A password that is not escaped may hold nearly any character.
	loginInURL = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/@:"'<>]*:[^\s@"'<>]*@`)
	userInURL  = regexp.MustCompile(`(?i)(https?://)[^\s/@:"'<>]+@`)
	// A header that a server or a library repeats.
	authorization = regexp.MustCompile(`(?i)(authorization\\?["']?\s*[:=]\s*\[?\\?["']?(?:(?:basic|bearer|token|negotiate)\s+)?)[^\s"'\\,;\]}<]+`)
	credentials   = regexp.MustCompile(`\b((?i:basic|bearer)\s+)([A-Za-z0-9+/=_.~-]{16,})`)
	// A parameter of an address, or a field of JSON, by its name.
	parameter = regexp.MustCompile(`(?i)([?&;](?:access_token|private_token|job_token|auth_token|token|password|passwd|secret|client_secret|api_?key|signature|sig)=)[^&\s"'<>;]+`)
)

// named is the name of a secret and the value behind it: "password: X", "BMC_TOKEN=X", "{'secret': 'X'}",
// {\"api_key\":\"X\"}, password%3DX. A quoted value ends at its quote or with the text, and another one at a blank.
var named = regexp.MustCompile(`(?i)((?:pass(?:word|wd|phrase|code)|\bpass|pwd|secret|token|credential|` +
	`(?:api|access|private|secret)[ _-]?key)s?` +
	`\\*["']?\s*(?::?=>?|:|%3[ad])\s*)` +
	`(?:(\\+")(?s:.*?)(\\+"|$)|(")(?:[^"\\]|\\.)*("|$)|([bu]?')(?:[^']|'')*('|$)|\S+)`)

// FreeText is Text for the free text of a host, such as an error of its driver or a reason in an annotation. It also
// removes each value that follows the name of a secret: "password: X". Text leaves it: "spec.x.secret: found a list".
func FreeText(text string) string {
	text = Text(text)
	if !strings.ContainsAny(text, ":=%") {
		return text
	}
	return named.ReplaceAllString(text, "${1}${2}${4}${6}"+mask+"${3}${5}${7}")
}

// Text removes certain secrets from a text: private keys, access tokens of known forms, the logins in addresses and
// headers, and the base64 of any of these. It is for texts of libraries, servers and users. Before each pattern it
// searches for a part that every match has: nearly all texts have none.
func Text(text string) string {
	if len(text) < 8 {
		return text
	}
	if marked(text, privateKeyMarks) {
		text = privateKey.ReplaceAllString(text, mask)
	}
	for _, token := range tokens {
		if marked(text, token.marks) {
			text = token.pattern.ReplaceAllString(text, mask)
		}
	}
	if strings.Contains(text, "@") {
		text = loginInURL.ReplaceAllString(text, "${1}"+mask+"@")
		text = userInURL.ReplaceAllString(text, "${1}"+mask+"@")
	}
	if strings.ContainsAny(text, "zZ") && strings.ContainsAny(text, ":=") {
		text = authorization.ReplaceAllString(text, "${1}"+mask)
	}
	if strings.ContainsAny(text, "bB") && strings.ContainsAny(text, " \t\n\f\r") {
		text = credentials.ReplaceAllStringFunc(text, func(found string) string {
			parts := credentials.FindStringSubmatch(found)
			if strings.Trim(parts[2], "abcdefghijklmnopqrstuvwxyz.-") == "" {
				return found // words
			}
			return parts[1] + mask
		})
	}
	if strings.Contains(text, "=") {
		text = parameter.ReplaceAllString(text, "${1}"+mask)
	}
	if !hasRun(text) {
		return text
	}
	return base64Run.ReplaceAllStringFunc(text, func(run string) string {
		if _, found := inBase64(run, 2); found {
			return mask
		}
		return run
	})
}

// textOf returns the text of an argument that is a string type or a Stringer.
func textOf(arg any) (string, bool) {
	if raw, ok := arg.([]byte); ok {
		return string(raw), true
	}
	if stringer, ok := arg.(fmt.Stringer); ok {
		if v := reflect.ValueOf(arg); v.Kind() == reflect.Pointer && v.IsNil() {
			return "", false
		}
		return stringer.String(), true
	}
	if v := reflect.ValueOf(arg); v.IsValid() && v.Kind() == reflect.String {
		return v.String(), true
	}
	return "", false
}
