package redact

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
)

// privateKey is a private key in one of its text forms, to its end or to the end of the text: PEM (RFC 7468, OpenSSH,
// PGP), in which line ends may be written as \n, PuTTY's and age's.
var privateKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)` +
	`|PuTTY-User-Key-File-\d.*` +
	`|AGE-SECRET-KEY-1[0-9A-Z]+`)

// privateKeyMarks: privateKey matches no text without one of them.
var privateKeyMarks = []string{"-----BEGIN ", "PuTTY-User-Key-File-", "AGE-SECRET-KEY-1"}

// tokens are access tokens of a recognizable form, made for scanners. GitHub: "Behind GitHub's new authentication
// token formats"; GitLab: "Token overview"; JWT: RFC 7519, whose header is base64 of {". Each has one of its marks,
// which are quicker to search.
var tokens = []struct {
	what    string
	marks   []string
	pattern *regexp.Regexp
}{
	{"an access token of GitHub", []string{"gh", "github_pat_"},
		regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,})`)},
	{"an access token of GitLab", []string{"gl"}, regexp.MustCompile(`\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{16,}`)},
	{"an access key of AWS", []string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`)},
	{"an access token of Slack", []string{"xox", "xapp-"},
		regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}`)},
	{"an API key of Google", []string{"AIza", "ya29.", "GOCSPX-"},
		regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}`)},
	{"a token of Vault", []string{"hv"}, regexp.MustCompile(`\bhv[sbr]\.[A-Za-z0-9_-]{20,}`)},
	{"an access token of Docker", []string{"dckr_"}, regexp.MustCompile(`\bdckr_[po]at_[A-Za-z0-9_-]{20,}`)},
	{"a JSON web token", []string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`)},
}

// strictLogin is an address with a password, where a slash ends the authority as RFC 3986 has it.
var strictLogin = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:"']*:[^\s/@"']+@`)

// base64Run matches a run of base64, of the standard or the URL alphabet. The shortest token has 20 bytes, which are
// 27 characters.
var base64Run = regexp.MustCompile(`[A-Za-z0-9+/_-]{27,}={0,2}`)

// Find returns the kind of secret that a text certainly holds: "a private key", "an access token of GitHub", "a URL
// with a password". A possible secret (a password by itself, a random text) is not found.
func Find(text string) (kind string, found bool) {
	return find(text, 2)
}

// find decodes nested base64 up to depth times.
func find(text string, depth int) (string, bool) {
	if len(text) < 8 {
		return "", false
	}
	if marked(text, privateKeyMarks) && privateKey.MatchString(text) {
		return "a private key", true
	}
	for _, token := range tokens {
		if marked(text, token.marks) && token.pattern.MatchString(text) {
			return token.what, true
		}
	}
	if strings.Contains(text, "@") && strictLogin.MatchString(text) {
		return "a URL with a password", true
	}
	if depth == 0 {
		return "", false
	}
	forms := []string{text}
	if strings.ContainsAny(text, "\r\n \t") { // base64 is folded into lines, too
		forms = append(forms, unfold.Replace(text))
	}
	for _, form := range forms {
		if !hasRun(form) {
			continue
		}
		for _, run := range base64Run.FindAllString(form, -1) {
			if kind, found := inBase64(run, depth); found {
				return kind, true
			}
		}
	}
	return "", false
}

var (
	unfold = strings.NewReplacer("\r", "", "\n", "", " ", "", "\t", "")
	toStd  = strings.NewReplacer("-", "+", "_", "/")
)

// marked reports whether one of the marks is in a text.
func marked(text string, marks []string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
}

// shortestRun is the shortest run that base64Run matches, in characters.
const shortestRun = 27

// hasRun reports whether base64Run matches.
func hasRun(text string) bool {
	run := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '/', c == '_', c == '-':
			if run++; run == shortestRun {
				return true
			}
		default:
			run = 0
		}
	}
	return false
}

// inBase64 returns the kind of secret in the base64 of a run of characters, or of a part of it between slashes and
// dashes, which are also separators.
func inBase64(run string, depth int) (string, bool) {
	parts := strings.FieldsFunc(run, func(r rune) bool { return strings.ContainsRune("/-_", r) })
	for _, part := range append([]string{run, strings.TrimLeft(run, "/-_")}, parts...) {
		if kind, found := inRun(part, depth); found {
			return kind, true
		}
	}
	return "", false
}

func inRun(run string, depth int) (string, bool) {
	if len(run) < shortestRun {
		return "", false
	}
	standard := toStd.Replace(strings.TrimRight(run, "="))
	content, err := base64.RawStdEncoding.DecodeString(standard[:len(standard)-len(standard)%4])
	if err != nil || len(content) == 0 {
		return "", false
	}
	if bytes.Contains(content, []byte("openssh-key-v1\x00")) || isPrivateDER(content) {
		return "a private key", true
	}
	if rest := len(standard) % 4; rest > 1 {
		if last, err := base64.RawStdEncoding.DecodeString(standard[len(standard)-rest:]); err == nil {
			content = append(content, last...)
			if isPrivateDER(content) {
				return "a private key", true
			}
		}
	}
	for _, b := range content {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' || b > '~' {
			return "", false // not the base64 of a text
		}
	}
	return find(string(content), depth-1)
}

func isPrivateDER(content []byte) bool {
	if len(content) < 32 || content[0] != 0x30 {
		return false
	}
	if _, err := x509.ParsePKCS8PrivateKey(content); err == nil {
		return true
	}
	if _, err := x509.ParsePKCS1PrivateKey(content); err == nil {
		return true
	}
	_, err := x509.ParseECPrivateKey(content)
	return err == nil
}
