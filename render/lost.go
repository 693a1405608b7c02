package render

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

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
// Role of a jump host, its table and what its sshd forwards to. A host that was created anew can be anybody's. All else stays as it is, a load
// balancer's backends too, of which ForeignBackends warns. files are by their paths in the tree, and are left as they are.
func (s *site) withoutLost(c *schedule.Cluster, files Tree) (Tree, error) {
	lost := s.lostBy(c)
	out := Tree{}
	for name, content := range files {
		out[name] = content
		switch {
		case strings.HasSuffix(name, ".yaml"):
			changed, err := lost.roles(string(content))
			if err != nil {
				return nil, err
			}
			out[name] = []byte(changed)
		case path.Base(name) == "hosts":
			out[name] = []byte(lost.table(string(content)))
		case path.Base(name) == "sshd_config":
			out[name] = []byte(lost.forwards(string(content), string(files[path.Join(path.Dir(name), "hosts")])))
		}
	}
	return out, nil
}

// roles takes the hosts out of the Roles of a file. A rule without names would be one for all hosts: it goes whole.
func (lost lostHosts) roles(file string) (string, error) {
	documents := strings.Split(file, "\n---\n")
	for i, document := range documents {
		if !strings.Contains("\n"+document, "\nkind: Role\n") {
			continue
		}
		var role struct {
			Metadata struct{ Namespace string }
		}
		var fields map[string]any
		text, err := yaml.YAMLToJSON([]byte(document))
		if err == nil {
			err = json.Unmarshal(text, &role)
		}
		if err == nil {
			err = json.Unmarshal(text, &fields)
		}
		if err != nil {
			return "", err
		}
		if !lost.rules(role.Metadata.Namespace, fields) {
			continue
		}
		written, err := object.Marshal(fields)
		if err != nil {
			return "", err
		}
		head := ""
		if strings.HasPrefix(document, object.Header) {
			head = object.Header
		}
		end := strings.TrimSuffix(string(written), "\n")
		if i == len(documents)-1 {
			end += "\n"
		}
		documents[i] = head + strings.TrimPrefix(end, object.Header)
	}
	return strings.Join(documents, "\n---\n"), nil
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
