package lint

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// IgnoreAnnotation on a SIPCluster, a BareMetalHost or the Site suppresses findings on this object, each with a
// reason: "SIP013: rack labels follow in May". Several are separated by line breaks or semicolons.
const IgnoreAnnotation = "sip.airshipit.org/lint-ignore"

var (
	ignoreField = fmt.Sprintf("metadata.annotations[%q]", IgnoreAnnotation)
	ignoreStart = regexp.MustCompile(`(?:^|[;\n])\s*(SIP\d+)`)
	ignoreOne   = regexp.MustCompile(`(?s)^(SIP\d+)\s*:\s*(.*)$`)
)

// readIgnores reads what the objects suppress, and complains about entries without effect.
func (c *checker) readIgnores() {
	c.ignored = map[finding.Ref]map[string]bool{}
	const fix = `write "SIP000: reason", with a code that sipgen lint prints, or remove the annotation`
	if c.Site != nil {
		codes, problems := parseIgnores(c.Site.Annotations[IgnoreAnnotation])
		c.ignored[siteName(c.Site)] = codes
		for _, problem := range problems {
			c.site(finding.Ignore, finding.Error, ignoreField, problem, fix)
		}
	}
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		object := clusterName(cluster)
		codes, problems := parseIgnores(cluster.Annotations[IgnoreAnnotation])
		c.ignored[object] = codes
		for _, problem := range problems {
			c.cluster(finding.Ignore, finding.Error, cluster, ignoreField, problem, fix)
		}
	}
	for i := range c.Hosts {
		host := &c.Hosts[i]
		if host.LintIgnore == "" {
			continue
		}
		codes, problems := parseIgnores(host.LintIgnore)
		c.ignored[hostName(host)] = codes
		for _, problem := range problems {
			c.host(finding.Ignore, finding.Error, host, ignoreField, problem, fix)
		}
	}
}

// maxQuoted is the longest quote of an annotation.
const maxQuoted = 40

// parseIgnores returns the codes that are suppressed with a reason, and the problems of the rest. Problems of the
// annotation itself cannot be suppressed.
func parseIgnores(given string) (codes map[string]bool, problems []string) {
	codes = map[string]bool{}
	if strings.TrimSpace(given) == "" {
		return codes, nil
	}
	starts := ignoreStart.FindAllStringSubmatchIndex(given, -1)
	if len(starts) == 0 || strings.TrimSpace(given[:starts[0][2]]) != "" {
		problems = append(problems, redact.Sprintf("found %q, want a code and a reason", text.Truncate(given, maxQuoted)))
	}
	for i, at := range starts {
		end := len(given)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		part := strings.Trim(given[at[2]:end], "; \t\r\n")
		match := ignoreOne.FindStringSubmatch(part)
		switch {
		case match == nil:
			problems = append(problems, redact.Sprintf("found %q, want a colon and a reason after the code",
				text.Truncate(part, maxQuoted)))
		case strings.TrimSpace(match[2]) == "":
			problems = append(problems, match[1]+" is not suppressed, because no reason is given")
		case finding.Find(match[1]) == nil:
			problems = append(problems, match[1]+" is not a lint code")
		case finding.Find(match[1]).Freezes:
			problems = append(problems, match[1]+" cannot be suppressed: its cluster is frozen")
		case match[1] == finding.Ignore:
			problems = append(problems, finding.Ignore+" cannot be suppressed")
		default:
			codes[match[1]] = true
		}
	}
	return codes, problems
}
