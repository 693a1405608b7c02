package render

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// lostHosts says of a host whether it is another cluster's now, seen from one whose services stay as they are.
type lostHosts func(namespace, name string) bool

// lostBy are the hosts that clusters other than c have.
func (s *site) lostBy(c *schedule.Cluster) lostHosts {
	if s.owners == nil {
		s.owners = map[schedule.HostKey]schedule.ClusterKey{}
		for i := range s.Placement.Clusters {
			for j := range s.Placement.Clusters[i].Roles {
				for _, a := range s.Placement.Clusters[i].Roles[j].Assigned {
					s.owners[schedule.HostKey{Namespace: a.Host.Namespace, Name: a.Host.Name}] = s.Placement.Clusters[i].Key
				}
			}
		}
	}
	return func(namespace, name string) bool {
		owner, has := s.owners[schedule.HostKey{Namespace: namespace, Name: name}]
		return has && owner != c.Key
	}
}

// withoutLost takes from the services that a cluster keeps what gives power over a host that is another cluster's now, and the way to it: the
// Role of a jump host, its table, its names for hosts and what its sshd forwards to, and the backends of load balancers, which ForeignBackends
// reports. A host that was created anew, or labelled by hand, can be anybody's: that it is handed out cannot be prevented here, so it is the
// services that know it no more. All else stays as it is. files are by their paths in the tree, and are left as they are.
func (s *site) withoutLost(c *schedule.Cluster, files Tree) (Tree, error) {
	lost, foreign := s.lostBy(c), foreignTo(s.Placement.Clusters, c)
	out := Tree{}
	for name, content := range files {
		out[name] = content
		switch {
		case strings.HasSuffix(name, ".yaml"):
			var err error
			if out[name], err = lost.objects(name, content); err != nil {
				return nil, err
			}
		case strings.HasSuffix(name, ".cfg"):
			out[name] = []byte(withoutForeign(string(content), foreign))
		case path.Base(name) == "ssh_config":
			out[name] = []byte(lost.names(string(content)))
		case path.Base(name) == "hosts":
			out[name] = []byte(lost.table(string(content)))
		case path.Base(name) == "sshd_config":
			out[name] = []byte(lost.forwards(string(content), string(files[path.Join(path.Dir(name), "hosts")])))
		}
	}
	return out, nil
}

// objects takes the hosts out of the Roles of a file, and out of the names that pods have for hosts. A rule without resource names would be one
// for all hosts: it goes whole.
func (lost lostHosts) objects(name string, content []byte) ([]byte, error) {
	docs, err := manifest.Parse(name, content)
	if err != nil {
		return nil, err
	}
	found, objects := false, make([]any, len(docs))
	for i := range docs {
		decoder := json.NewDecoder(bytes.NewReader(docs[i].JSON))
		decoder.UseNumber()
		var fields map[string]any
		if err := decoder.Decode(&fields); err != nil {
			return nil, err
		}
		objects[i] = fields
		switch docs[i].Kind {
		case "Role":
			found = lost.rules(docs[i].Namespace, fields) || found
		case "Deployment":
			found = lost.aliases(fields) || found
		}
	}
	if !found {
		return content, nil
	}
	return object.Marshal(objects...)
}

// rules takes the hosts out of the rules of a Role, and says whether there were any.
func (lost lostHosts) rules(namespace string, role map[string]any) bool {
	rules, _ := role["rules"].([]any)
	kept, found := []any{}, false
	for _, rule := range rules {
		fields, _ := rule.(map[string]any)
		names, _ := fields["resourceNames"].([]any)
		left := slices.DeleteFunc(slices.Clone(names), func(name any) bool {
			text, _ := name.(string)
			return lost(namespace, text)
		})
		if len(left) == len(names) {
			kept = append(kept, rule)
			continue
		}
		found = true
		if len(left) > 0 {
			fields["resourceNames"] = left
			kept = append(kept, fields)
		}
	}
	role["rules"] = kept
	return found
}

// aliases takes the hosts out of the hostAliases of a Deployment's pods, and says whether there were any.
func (lost lostHosts) aliases(deployment map[string]any) bool {
	spec, _ := deployment["spec"].(map[string]any)
	template, _ := spec["template"].(map[string]any)
	pod, _ := template["spec"].(map[string]any)
	entries, _ := pod["hostAliases"].([]any)
	kept := slices.DeleteFunc(slices.Clone(entries), func(entry any) bool {
		fields, _ := entry.(map[string]any)
		names, _ := fields["hostnames"].([]any)
		return slices.ContainsFunc(names, func(name any) bool {
			text, _ := name.(string)
			//guard: a frozen cluster's jump host knows another tenant's machine by its host's name
			return lost.alias(text)
		})
	})
	if len(kept) == 0 {
		delete(pod, "hostAliases")
	} else {
		pod["hostAliases"] = kept
	}
	return len(kept) < len(entries)
}

// alias says whether "name.namespace" is a lost host's. A namespace has no dots.
func (lost lostHosts) alias(name string) bool {
	dot := strings.LastIndex(name, ".")
	return dot > 0 && lost(name[dot+1:], name[:dot])
}

// names takes the hosts out of an ssh_config: each is a block that begins with Host and ends where the next one does.
func (lost lostHosts) names(config string) string {
	var out strings.Builder
	gone := false
	for line := range strings.Lines(config) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "Host" {
			gone = slices.ContainsFunc(words[1:], lost.alias)
		}
		if !gone {
			out.WriteString(line)
		}
	}
	return out.String()
}

// row says whether a line of a jump host's table is of a lost host: name.namespace, name, namespace, name, role, standing, address and more.
func (lost lostHosts) row(line string) ([]string, bool) {
	fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	return fields, len(fields) > 6 && lost(fields[2], fields[3])
}

func (lost lostHosts) table(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if _, gone := lost.row(line); !gone {
			out.WriteString(line)
		}
	}
	return out.String()
}

// forwards takes the names and addresses of lost hosts out of PermitOpen, but those that a host that stays has, too. table is the one beside it.
func (lost lostHosts) forwards(sshd, table string) string {
	gone := map[string]bool{}
	for _, stays := range []bool{false, true} {
		for line := range strings.Lines(table) {
			if fields, is := lost.row(line); len(fields) > 6 && is != stays {
				for _, at := range []string{fields[0], fields[1], fields[6], "[" + fields[6] + "]"} {
					gone[at+":22"] = !stays
				}
			}
		}
	}
	var out strings.Builder
	for line := range strings.Lines(sshd) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "PermitOpen" || !slices.ContainsFunc(words, func(word string) bool { return gone[word] }) {
			out.WriteString(line)
			continue
		}
		words = slices.DeleteFunc(words, func(word string) bool { return gone[word] })
		if len(words) == 1 {
			words = append(words, "none")
		}
		out.WriteString(strings.Join(words, " ") + "\n")
	}
	return out.String()
}
