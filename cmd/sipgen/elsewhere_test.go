package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// TestAssignmentsOfOthersAreBounded: whoever writes another folder of the branch makes no run take gigabytes, and the largest cluster can be read.
func TestAssignmentsOfOthersAreBounded(t *testing.T) {
	const head = "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Assignments\nmetadata: {name: a, namespace: b}\n"
	for why, content := range map[string]string{
		"values": head + "x:\n" + strings.Repeat("- a\n", 10_000),
		"bytes":  head + "x: " + strings.Repeat("a", 1<<20) + "\n",
	} {
		if _, err := assignmentsIn("other/assignments.yaml", []byte(content), 1); err == nil || !strings.HasSuffix(err.Error(), ", for 1 host") {
			t.Errorf("%s: %v", why, err)
		}
	}
	// The largest is not parsed: what this process takes counts for the programs that other tests start and measure.
	if problem := limitsOf(v1.MaxCount).CheckOne(assignmentsOf(head, v1.MaxCount)); problem != "" {
		t.Error(problem)
	}
	const many = 2_000
	if file, err := assignmentsIn("other/assignments.yaml", assignmentsOf(head, many), many); err != nil || len(file.Hosts) != many {
		t.Errorf("found %d hosts, %v", len(file.Hosts), err)
	}
}

func assignmentsOf(head string, hosts int) []byte {
	file := bytes.NewBufferString(head + "hosts:\n")
	file.Grow(hosts * 300)
	for i := range hosts {
		fmt.Fprintf(file, "- addresses:\n    management:\n    - 198.51.100.11\n    - 2001:db8::1234:5678:9abc:def0\n    storage:\n    - 198.51.100.11\n  domain: left\n  name: server-%d\n  namespace: metal3\n  role: Worker\n  standby: true\n  uid: 40dd7804-a61d-5a1d-82f7-04ff294cfe27\n", i)
	}
	return file.Bytes()
}
