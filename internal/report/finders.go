package report

import (
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
)

// The finders below look at each thing of one sort, and take the words for it; no words: no danger.

func ofSite(words func(p *Plan) []string) finder {
	return func(p *Plan) (out []danger) {
		for _, w := range words(p) {
			out = append(out, danger{words: w})
		}
		return out
	}
}

func ofClusters(words func(p *Plan, c *ClusterResult) []string) finder {
	return func(p *Plan) (out []danger) {
		for i := range p.Clusters {
			for _, w := range words(p, &p.Clusters[i]) {
				out = append(out, ofCluster(p.Clusters[i].Key(), w))
			}
		}
		return out
	}
}

// ofRoles puts the cluster and the role before the words.
func ofRoles(words func(p *Plan, c *ClusterResult, r *RoleResult) string) finder {
	return ofClusters(func(p *Plan, c *ClusterResult) (out []string) {
		for i := range c.Roles {
			if w := words(p, c, &c.Roles[i]); w != "" {
				out = append(out, c.Key()+" "+c.Roles[i].Name+w)
			}
		}
		return out
	})
}

func ofSlots(words func(s *Slot) string) finder {
	return ofClusters(func(_ *Plan, c *ClusterResult) (out []string) {
		for i := range c.Roles {
			for j := range c.Roles[i].Slots {
				if w := words(&c.Roles[i].Slots[j]); w != "" {
					out = append(out, c.Key()+" "+c.Roles[i].Name+w)
				}
			}
		}
		return out
	})
}

// ofFiles returns words that several files have once.
func ofFiles(words func(p *Plan, f *File) string) finder {
	return ofSite(func(p *Plan) (out []string) {
		for i := range p.Files {
			if w := words(p, &p.Files[i]); w != "" && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
		return out
	})
}

// below reports whether the file is in a folder of the tree.
func (f *File) below(folder string) bool { return strings.HasPrefix(f.Path, folder+"/") }

// first reports whether the file comes with a first tree.
func (f *File) first(p *Plan) bool { return f.Kind == "added" && !p.HasTree && p.NoTree == "" }

func ofServices(words func(s *ServiceChanges) []string) finder {
	return func(p *Plan) (out []danger) {
		for i := range p.Services {
			for _, w := range words(&p.Services[i]) {
				out = append(out, ofCluster(p.Services[i].Cluster, w))
			}
		}
		return out
	}
}

// ofObjects puts the cluster and the object before the words.
func ofObjects(words func(o *objdiff.Effect) string) finder {
	return ofServices(func(s *ServiceChanges) (out []string) {
		for i := range s.Objects {
			if w := words(&s.Objects[i]); w != "" {
				out = append(out, s.Cluster+": "+s.Objects[i].Object+w)
			}
		}
		return out
	})
}

func ofComponents(what string) finder {
	return func(p *Plan) (out []danger) {
		for i := range p.Components {
			if p.Components[i].What == what {
				out = append(out, ofCluster(p.Components[i].Cluster, p.Components[i].String()))
			}
		}
		return out
	}
}

// ofReplicas finds the numbers of machines that grow, or the others.
func ofReplicas(grow bool) finder {
	return func(p *Plan) (out []danger) {
		for i := range p.Replicas {
			if r := &p.Replicas[i]; r.grows() == grow {
				out = append(out, ofCluster(r.Cluster, r.String()))
			}
		}
		return out
	}
}

// hostsOf names the hosts of some slots in one line, behind which comes what becomes of one or of many.
func hostsOf(is func(c *ClusterResult, s *Slot) bool, one, many string) finder {
	return ofSite(func(p *Plan) []string {
		var hosts []string
		for i := range p.Clusters {
			for j := range p.Clusters[i].Roles {
				for k := range p.Clusters[i].Roles[j].Slots {
					if s := &p.Clusters[i].Roles[j].Slots[k]; is(&p.Clusters[i], s) {
						hosts = append(hosts, s.Host)
					}
				}
			}
		}
		if len(hosts) == 0 {
			return nil
		}
		return []string{text.Count(len(hosts), "host") + " " + sentence.Verb(len(hosts), one, many) + ": " + some(hosts)}
	})
}

// mostAlike is how many clusters a sentence names that is about several.
const mostAlike = 3

// once says what is so of several clusters in one sentence, where the first of them stands: one new image of all load
// balancers is one danger. What differs in the names of the cluster and its namespace alone is the same.
func once(find finder) finder {
	return func(p *Plan) (out []danger) {
		alike := map[string][]danger{}
		var order []string
		for _, d := range find(p) {
			what := d.what()
			if len(alike[what]) == 0 {
				order = append(order, what)
			}
			alike[what] = append(alike[what], d)
		}
		for _, what := range order {
			same := alike[what]
			if len(same) == 1 {
				same[0].open = unnamed(what)
				out = append(out, same[0])
				continue
			}
			tenants, clusters := map[string]bool{}, make([]string, 0, len(same))
			merged := danger{open: unnamed(what)}
			for _, d := range same {
				merged.tenant = p.tenantOf(d.cluster)
				tenants[merged.tenant] = true
				clusters = append(clusters, d.cluster)
			}
			if len(tenants) > 1 {
				merged.tenant = ""
			}
			merged.words = text.Some(clusters, mostAlike) + ": " + merged.open
			out = append(out, merged)
		}
		return out
	}
}

// when returns words if something is so, else none.
func when(is bool, words string) string {
	if is {
		return words
	}
	return ""
}

func nonempty(words string) []string {
	if words == "" {
		return nil
	}
	return []string{words}
}
