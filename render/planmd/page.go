// Package planmd renders the pages PLAN.md: who has which host, where services are reached, and the commands that a
// person has to run. The site's is an overview; each cluster has a page in its folder.
package planmd

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/assignments"
	"github.com/airshipit/sipgen/schedule"
)

// maxReason bounds what one reason takes in PLAN.md, in characters.
const maxReason = 500

// maxWords bounds what one line of words from outside takes, in characters: a shortage of many roles is long.
const maxWords = 20_000

// About is the first words of PLAN.md.
const About = "Rendered by sipgen from the SIPCluster specs and the host inventory. Do not edit."

// title begins the first line of PLAN.md, which ends with the Site's name.
const title = "# Hosts and tenants of "

// SiteOf returns the name of the Site of which a PLAN.md is, "" if the text is none.
func SiteOf(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	name, is := bytes.CutPrefix(line, []byte(title))
	if !is {
		return ""
	}
	return string(name)
}

// In is what the page is of.
type In struct {
	// Site, defaulted and valid.
	Site *v1alpha1.Site
	// Namespace is where the engine and the site's accounts are.
	Namespace string
	// Clusters of the placement, in its order.
	Clusters []Cluster
}

// Cluster is one of the placement.
type Cluster struct {
	*schedule.Cluster
	// Spec is nil for one that has none.
	Spec *v1.SIPCluster
	// Rendered: it has something in the tree. New: its services are rendered again, and Notes describes them.
	Rendered, New bool
	Notes         string
	// HostsDoNotWait: the Site asks for hosts that wait for services, and this cluster's do not.
	HostsDoNotWait bool
}

// Name is the file's name of each page.
const Name = "PLAN.md"

// Page renders the site's page. Of a cluster with a folder it has the number of hosts alone, those that are leaving it
// included: it is another one only if hosts are handed out or free. It has nothing that differs between two runs with
// the same outcome: not
// which hosts are new, how many are free, or why a cluster is short.
func Page(in In) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s%s\n\n%s\n", title, in.Site.Name, About)
	in.writeOverview(&out)
	for i := range in.Clusters {
		if c := &in.Clusters[i]; !c.Rendered {
			fmt.Fprintf(&out, "\n## %s\n\n", outside(c.Key.String()))
			c.write(&out)
		}
	}
	writeServices(&out, in.Site)
	in.writeNamespaces(&out)
	writeSecrets(&out, append(in.gitSecrets(), in.serviceSecrets()...), in.Site.FluxLacksCredentials())
	return out.Bytes()
}

// ClusterPage renders the page of a cluster that has a folder.
func ClusterPage(c *Cluster) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n\n", outside(c.Key.String()), About)
	c.write(&out)
	if c.New {
		writeSecrets(&out, tenantSecrets(c.Spec), false)
	}
	return out.Bytes()
}

// writeOverview lists the clusters that have folders, with their numbers of hosts.
func (in In) writeOverview(out *bytes.Buffer) {
	if !slices.ContainsFunc(in.Clusters, func(c Cluster) bool { return c.Rendered }) {
		out.WriteString("\nNo cluster has a host.\n")
		return
	}
	out.WriteString("\n" + text.TableHead("cluster", "hosts"))
	for i := range in.Clusters {
		c := &in.Clusters[i]
		if !c.Rendered {
			continue
		}
		hosts := 0
		for j := range c.Roles {
			hosts += len(c.Roles[j].Assigned) + len(c.Roles[j].Releasing)
		}
		page := fmt.Sprintf("[%s](%s/%s)", c.Key, assignments.Folder(c.Key), Name) // names of Kubernetes: they end no link
		out.WriteString(text.TableRow(page, strconv.Itoa(hosts)))
	}
}

// writePatches describes what a cluster has that only the grant patches: any allows.
func writePatches(out *bytes.Buffer, spec *v1.SIPCluster) {
	if spec == nil {
		return
	}
	if len(spec.Spec.Patches) > 0 {
		out.WriteString("**Any patches:** its patches may change everything in its services but kinds, names, namespaces and accounts.\n\n")
	}
	if paths := spec.HAProxyLines(); len(paths) > 0 {
		fmt.Fprintf(out, "**Lines of HAProxy:** they may do anything in its load balancers: `%s`.\n\n",
			strings.Join(paths, "`, `"))
	}
}

// write writes what a reader has to know of a cluster.
func (c *Cluster) write(out *bytes.Buffer) {
	switch {
	case c.Gone:
		out.WriteString("Being decommissioned: its hosts are released.\n\n")
	case len(c.Refused) > 0:
		out.WriteString("**Frozen:** it keeps what it has, as it is, and gets nothing new.\n\n")
		for _, why := range sentence.Refusals(c.Refused) {
			// Indented it is code, in which no forge makes anything of what tenants write.
			fmt.Fprintf(out, "    %s\n", text.Truncate(text.Line(why), maxReason))
		}
		out.WriteString("\n")
	case c.Unschedulable:
		out.WriteString("**Unschedulable:** it keeps what it has and gets nothing new.\n\n")
	}
	writePatches(out, c.Spec)
	if c.HostsDoNotWait {
		fmt.Fprintf(out, "**Does not wait:** the hosts of `%s` do not wait for its services: its names are too long for that of its Application, "+
			"which is cut and does not show its owner.\n\n", c.Key)
	}
	var rows [][]string
	for i := range c.Roles {
		role := &c.Roles[i]
		for _, a := range role.Assigned {
			rows = append(rows, []string{a.Host.Key(), role.Name, orDash(a.Domain), c.addresses(role.Name, a), slot(a)})
		}
		for _, r := range role.Releasing {
			rows = append(rows, []string{r.Host.Key(), role.Name, "-", "-", "released: sipgen's labels are removed"})
		}
	}
	if len(rows) == 0 {
		out.WriteString("No hosts.\n")
	} else {
		out.WriteString(text.TableHead("host", "role", "domain", "addresses", "slot"))
		for _, row := range rows {
			for i := range row {
				row[i] = escapeCell(row[i])
			}
			out.WriteString(text.TableRow(row...))
		}
	}
	for i := range c.Roles {
		role := &c.Roles[i]
		if role.ShortActive+role.ShortStandby > 0 {
			fmt.Fprintf(out, "\n%s: want %d active and %d standby; short %d active and %d standby.\n",
				outside(role.Name), role.Active, role.Standby, role.ShortActive, role.ShortStandby)
		}
	}
	if notes := strings.TrimSpace(c.Notes); notes != "" {
		fmt.Fprintf(out, "\n%s\n", notes)
	}
}

// slot returns "active" or "standby", and what is pending. What is wrong with the host is not in the page: hosts that
// are older than the tree do not say it, and a second run with the same hosts would change the page.
func slot(a schedule.Assignment) string {
	words := "active"
	if a.Standby {
		words = "standby"
	}
	if a.Pending {
		words += ", release pending"
	}
	return words
}

// addresses returns those the cluster's services use, each network's behind its id.
func (c *Cluster) addresses(role string, a schedule.Assignment) string {
	if len(c.Refused) > 0 {
		// Its spec may be unreadable, or name other networks than its services have.
		return addressesOn(a.Host, slices.Sorted(maps.Keys(assignments.Kept(a.Host, nil))))
	}
	if c.Spec == nil {
		return "-"
	}
	return addressesOn(a.Host, c.Spec.Networks(role))
}

func addressesOn(host *inventory.Host, networks []string) string {
	var parts []string
	for _, network := range networks {
		for _, address := range host.On(network) {
			parts = append(parts, network+" "+address.String())
		}
	}
	return orDash(strings.Join(parts, ", "))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// outside keeps words from outside in their line, as text: they are one line, and no longer than they need be, and
// none of them begins an element or a link.
func outside(words string) string {
	return text.Truncate(textEscaper.Replace(text.Line(words)), maxWords)
}

var (
	textEscaper = strings.NewReplacer("<", "&lt;", "](", `]\(`)
	cellEscaper = strings.NewReplacer("|", `\|`, "<", "&lt;", "](", `]\(`)
)

// escapeCell keeps a value from outside inside its cell: it is one line, and a bar or an angle bracket is escaped.
func escapeCell(cell string) string {
	return cellEscaper.Replace(text.Line(cell))
}
