package main

import (
	"bytes"
	"testing"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/status"
	"github.com/stretchr/testify/assert"
)

// TestStuck: each kind of thing that is stuck is a finding, and counted under its own name.
func TestStuck(t *testing.T) {
	for _, row := range []struct {
		why  string
		is   siteStatus
		says string
		err  error
	}{
		{"all is well", siteStatus{Services: []status.Service{{Service: "Deployment a/b", Ready: true}}}, "", nil},
		{"a service", siteStatus{Services: []status.Service{{Service: "Deployment a/b", Stuck: true}}},
			"sipgen: 1 service is stuck\n", errFinding},
		{"a root and its source", siteStatus{Services: []status.Service{{Service: "Kustomization flux-system/a", Stuck: true},
			{Service: "GitRepository flux-system/a", Stuck: true}}}, "sipgen: 2 sync objects are stuck\n", errFinding},
		{"a host", siteStatus{Hosts: []status.HostStatus{{Host: "m/h", Stuck: true}}}, "sipgen: 1 host is stuck\n",
			errFinding},
	} {
		var out, said bytes.Buffer
		err := showStatus(&terminal.UI{Out: &out, Err: &said}, app.Before{}, &row.is, "json")
		assert.ErrorIs(t, err, row.err, row.why)
		assert.Equal(t, row.says, said.String(), row.why)
	}
}
