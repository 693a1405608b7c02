package report

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// names are those of one Site.
type names struct {
	site  string
	hosts map[string]bool
}

func namesOf(p *Plan) *names {
	n := &names{site: p.Site, hosts: map[string]bool{}}
	add := func(host string) {
		n.hosts[host] = true
		if _, name, found := strings.Cut(host, "/"); found {
			n.hosts[name] = true
		}
	}
	for i := range p.Hosts {
		add(p.Hosts[i].Host)
	}
	for i := range p.Clusters {
		for _, role := range p.Clusters[i].Roles {
			for j := range role.Slots {
				add(role.Slots[j].Host)
			}
		}
	}
	return n
}

// strip replaces the names of the Site, of a cluster, of hosts, and addresses in a text.
func (n *names) strip(words, namespace, name string) string {
	var out strings.Builder
	for len(words) > 0 {
		at := strings.IndexFunc(words, isOfName)
		if at < 0 {
			at = len(words)
		}
		out.WriteString(words[:at])
		words = words[at:]
		end := strings.IndexFunc(words, func(r rune) bool { return !isOfName(r) })
		if end < 0 {
			end = len(words)
		}
		out.WriteString(n.word(words[:end], namespace, name))
		words = words[end:]
	}
	return out.String()
}

// isOfName reports whether a character can be in a name or an address.
func isOfName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._:/@%+", r)
}

// word is strip for one word without blanks.
func (n *names) word(word, namespace, name string) string {
	bare := strings.TrimRight(word, ".:/")
	rest := word[len(bare):]
	switch {
	case bare == "":
		return word
	case n.hosts[bare]:
		return "HOST" + rest
	}
	if bare[0] >= '0' && bare[0] <= '9' || strings.Contains(bare, ":") {
		if _, err := netip.ParseAddr(bare); err == nil {
			return "ADDRESS" + rest
		}
		if prefix, err := netip.ParsePrefix(bare); err == nil {
			return fmt.Sprintf("ADDRESS/%d%s", prefix.Bits(), rest)
		}
		if both, err := netip.ParseAddrPort(bare); err == nil {
			return fmt.Sprintf("ADDRESS:%d%s", both.Port(), rest)
		}
	}
	for _, one := range [][2]string{{name, "NAME"}, {namespace, "NAMESPACE"}, {n.site, "SITE"}} {
		if one[0] != "" {
			word = text.Renamed(word, one[0], one[1])
		}
	}
	return word
}
