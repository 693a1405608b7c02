package render

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// lostHosts says of a host whether it is another cluster's now, seen from one that is frozen or leaves.
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

// rights takes the hosts out of the Roles of a file of rights, and leaves all else as it is. A rule without resource names would be one for
// all hosts: it goes whole.
func (lost lostHosts) rights(name string, content []byte) ([]byte, error) {
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
		if docs[i].Kind == "Role" {
			//guard: a frozen tenant switches off a host that is another one's
			found = lost.rules(docs[i].Namespace, fields) || found
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
