package preflight

import (
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/finding"
)

// alike is what several hosts have: one cause, and one fix but for their names.
type alike struct {
	finding.Finding
	hosts []finding.Ref
	// command is the fix with here in place of the hosts.
	command string
	// turn is after how many other fixes of a host this one comes, at most.
	turn int
}

const here = "\x00"

// Together returns the findings of many hosts with one finding for all hosts of one cause, and its fix for all of them:
// a command for each namespace. hosts are the findings of each host, in the order in which they are to be fixed, which
// the result keeps.
func Together(hosts [][]finding.Finding) []finding.Finding {
	var all []*alike
	known := map[[2]string]*alike{}
	for _, found := range hosts {
		for turn, f := range found {
			command := strings.Replace(f.Fix, target(f.Object.Namespace, f.Object.Name), here, 1)
			key := [2]string{f.Message, command}
			if known[key] == nil {
				known[key] = &alike{Finding: f, command: command}
				all = append(all, known[key])
			}
			known[key].hosts = append(known[key].hosts, f.Object)
			known[key].turn = max(known[key].turn, turn)
		}
	}
	slices.SortStableFunc(all, func(a, b *alike) int { return a.turn - b.turn })
	out := make([]finding.Finding, len(all))
	for i, a := range all {
		out[i] = a.together()
	}
	return out
}

// together returns the finding for all its hosts.
func (a *alike) together() finding.Finding {
	if len(a.hosts) == 1 {
		return a.Finding
	}
	f := a.Finding
	f.Object.Others = len(a.hosts) - 1
	if f.Fix == "" {
		return f
	}
	var namespaces []string
	names := map[string][]string{}
	for _, host := range a.hosts {
		if names[host.Namespace] == nil {
			namespaces = append(namespaces, host.Namespace)
		}
		names[host.Namespace] = append(names[host.Namespace], host.Name)
	}
	var commands []string
	for _, namespace := range namespaces {
		commands = append(commands, strings.Replace(a.command, here, target(namespace, names[namespace]...), 1))
	}
	f.Fix = strings.Join(commands, "; ")
	return f
}
