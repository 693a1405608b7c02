package inventory

import (
	"strings"
	"unicode"

	"github.com/airshipit/sipgen/redact"
)

// maxText is how much of a message of others is kept, in characters.
const maxText = 200

// plain makes a text of others fit for one line of a terminal, a table or a commit message: no
// line ends, control characters, escape sequences or characters that turn the direction of writing, and no secret that is
// one beyond doubt: drivers repeat the login that a BMC refused.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	text = redact.Text(strings.Join(strings.Fields(text), " "))
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "…"
	}
	return text
}

// plainTexts makes every text of the host plain that others wrote and that is only ever shown.
func (h *Host) plainTexts() {
	s := &h.State
	for _, text := range []*string{&s.Provisioning, &s.Operational, &s.ErrorType, &s.ErrorMessage, &s.NodeReuse, &h.BootMAC} {
		*text = plain(*text)
	}
	if s.Consumer != nil {
		consumer := *s.Consumer
		for _, text := range []*string{&consumer.APIVersion, &consumer.Kind, &consumer.Namespace, &consumer.Name} {
			*text = plain(*text)
		}
		s.Consumer = &consumer
	}
	for _, text := range []*string{&h.BMC.Address, &h.LintIgnore} {
		*text = redact.Text(*text)
	}
	for key, text := range h.Engine {
		h.Engine[key] = redact.Text(text)
	}
	for i := range h.Warnings {
		h.Warnings[i] = plain(h.Warnings[i])
	}
	for i := range h.AddressProblems {
		h.AddressProblems[i].Text = plain(h.AddressProblems[i].Text)
	}
}
