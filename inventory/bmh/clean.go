package bmh

import (
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// maxText is how much of an outside message is kept, in characters.
const maxText = 200

// clean makes a message fit for one line, with no secret in it that is one beyond doubt.
func clean(words string) string { return text.Truncate(redact.Text(text.Line(words)), maxText) }

// free is clean for a free text of others: drivers repeat the login that a BMC refused.
func free(words string) string { return text.Truncate(redact.FreeText(text.Line(words)), maxText) }

// Clean cleans every text of the host that others wrote and that is only ever shown.
func Clean(h *inventory.Host) {
	s := &h.State
	for _, words := range []*string{&s.Provisioning, &s.Operational, &s.ErrorType, &s.ErrorMessage, &s.NodeReuse,
		&s.Cordoned, &s.Retired, &h.BootMAC} {
		*words = free(*words)
	}
	if s.Consumer != nil {
		consumer := *s.Consumer
		for _, words := range []*string{&consumer.APIVersion, &consumer.Kind, &consumer.Namespace, &consumer.Name} {
			*words = free(*words)
		}
		s.Consumer = &consumer
	}
	if h.Hardware != nil {
		for _, words := range []*string{&h.Hardware.Vendor, &h.Hardware.Model, &h.Hardware.Architecture} {
			*words = free(*words)
		}
		for i := range h.Hardware.Disks {
			h.Hardware.Disks[i].Type = free(h.Hardware.Disks[i].Type)
		}
	}
	for _, words := range []*string{&h.BMC.Address, &h.BMC.CredentialsName, &h.LintIgnore} {
		*words = redact.FreeText(*words)
	}
	for key, words := range h.Engine {
		h.Engine[key] = redact.FreeText(words)
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
