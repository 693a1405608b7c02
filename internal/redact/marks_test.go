package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHasRun(t *testing.T) {
	run := strings.Repeat("a", 26)
	for _, text := range []string{"", run, run + "a", run + "." + run + "b", "x " + strings.Repeat("aZ9+/_-", 4) + "==",
		"é" + run + "a"} {
		assert.Equal(t, base64Run.MatchString(text), hasRun(text), text)
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
		if parts := credentials.FindStringSubmatch(found); strings.Trim(parts[2],
			"abcdefghijklmnopqrstuvwxyz.-") != "" {
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
		"AUTHORIZATION: Basic abcdefghijklmnop1", "authorization=x1y2z3", "Bearer\tabcdefghijklmnopqr1",
		"https://u:p@h/x", "http://t@h", "a?token=b", "ghp_" + strings.Repeat("a", 20),
		"glpat-" + strings.Repeat("a", 16), "-----BEGIN PRIVATE KEY-----x",
		"aHR0cHM6Ly91c2VyOnBhc3N3b3JkQGhvc3QvcGF0aA==", "redfish://bmc-1.example.org/redfish/v1/Systems/1",
		"proxy-authoriZation \\\": \\\"y", "baſic abcdefghijklmnop1",
	} {
		f.Add(text)
	}
	// Each way through the patterns, so that none lacks its mark.
	begins := "ghu_ github_pat_ gldt- AKIA ASIA xoxb- xapp- AIza ya29. GOCSPX- hvs. dckr_pat_ AGE-SECRET-KEY-1 PuTTY-User-Key-File-3:"
	for _, begin := range strings.Fields(begins) {
		f.Add(begin + strings.Repeat("AB2", 30)[:35]) // as long as Google's
		f.Add(begin + strings.Repeat("AB2", 30)[:16]) // as long as AWS's
	}
	f.Add("eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UifQ.x")
	f.Fuzz(func(t *testing.T, text string) { assert.Equal(t, everyPattern(text), Text(text), text) })
}
