package bmh

import (
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// maxText is how much of an outside message is kept, in characters.
const maxText = 200

// clean makes a text of others fit for one line, with no secret in it that is one beyond doubt: drivers repeat the
// login that a BMC refused.
func clean(words string) string { return text.Truncate(redact.Text(text.Line(words)), maxText) }

// Clean cleans every text of the host that others wrote and that is only ever shown.
func Clean(h *inventory.Host) {
	s := &h.State
	for _, words := range []*string{&s.Provisioning, &s.Operational, &s.ErrorType, &s.ErrorMessage, &s.NodeReuse,
		&s.Cordoned, &s.Retired, &h.BootMAC} {
		*words = clean(*words)
	}
	if s.Consumer != nil {
		consumer := *s.Consumer
		for _, words := range []*string{&consumer.APIVersion, &consumer.Kind, &consumer.Namespace, &consumer.Name} {
			*words = clean(*words)
		}
		s.Consumer = &consumer
	}
	if h.Hardware != nil {
		h.Hardware.Architecture = clean(h.Hardware.Architecture)
		for i := range h.Hardware.Disks {
			h.Hardware.Disks[i].Type = clean(h.Hardware.Disks[i].Type)
		}
	}
	for _, words := range []*string{&h.BMC.Address, &h.LintIgnore} {
		*words = redact.Text(*words)
	}
	for key, words := range h.Engine {
		h.Engine[key] = redact.Text(words)
	}
	for i := range h.Faults {
		fault := &h.Faults[i]
		for _, words := range []*string{(*string)(&fault.Kind), &fault.Field, &fault.Text} {
			*words = clean(*words)
		}
	}
	for i := range h.Warnings {
		h.Warnings[i] = clean(h.Warnings[i])
	}
	for i := range h.AddressProblems {
		h.AddressProblems[i].Text = clean(h.AddressProblems[i].Text)
	}
}
