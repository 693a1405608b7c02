package publish

import (
	"errors"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish/internal/wire"
)

// What a git server says reaches a terminal and a CI log: no line of it is a command, and no secret is in it however it is laid out.
func TestServersWords(t *testing.T) {
	r := &remote{target: &Target{Auth: Auth{Password: "two  blanks and\ta tab", Token: "t0ken-value"}}}
	for _, row := range []struct{ why, in, one, masked string }{
		{"lines", "remote: a\r\nremote: b\n", "remote: a; remote: b", "remote: a\nremote: b"},
		{"an escape sequence", "\x1b]0;title\x07\x1b[2Jred", "]0;title[2Jred", "]0;title[2Jred"},
		{"C1 controls", "\u009b2Jx", "2Jx", "2Jx"},
		{"GitHub's and Azure's commands", "::error::x\n##[error]y\n##vso[task]z", ": :error::x; ## [error]y; ##vso [task]z", ": :error::x\n## [error]y\n##vso [task]z"},
		{"a line that Unicode ends", "a\u2028::stop-commands::x\u2029b\u0085c", "a; : :stop-commands::x; b; c", "a\n: :stop-commands::x\nb\nc"},
		{"text that turns its direction", "a\u202eexe.gpj\u2066", "aexe.gpj", "aexe.gpj"},
		{"a secret with blanks", "no: two  blanks and\ta tab!", "no: two blanks and a tab!", "no: ***!"},
		{"a secret in parts", "no: t0ken\x1b-va\u200blue!", "no: t0ken-value!", "no: ***!"},
	} {
		if got := wire.OneLine(row.in); got != row.one {
			t.Errorf("%s: OneLine(%q) = %q, want %q", row.why, row.in, got, row.one)
		}
		if got := r.masked(errors.New(row.in)).Error(); got != row.masked {
			t.Errorf("%s: masked(%q) = %q, want %q", row.why, row.in, got, row.masked)
		}
	}
	if got := wire.OneLine(strings.Repeat("endless ", 1000)); len([]rune(got)) > 2000 || text.Line(got) != got {
		t.Errorf("%d characters", len([]rune(got)))
	}
}
