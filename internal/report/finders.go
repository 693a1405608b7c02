package report

import (
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
)

// The finders below look at each thing of one sort, and take the words for it; no words: no danger.

func ofSite(words func(p *Plan, files []File) []string) finder {
	return func(p *Plan, files []File) (out []danger) {
		for _, w := range words(p, files) {
			out = append(out, danger{words: w})
		}
		return out
	}
}

func ofClusters(words func(p *Plan, c *ClusterResult) []string) finder {
	return func(p *Plan, _ []File) (out []danger) {
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
	return ofSite(func(p *Plan, files []File) (out []string) {
		for i := range files {
			if w := words(p, &files[i]); w != "" && !slices.Contains(out, w) {
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
	return func(p *Plan, _ []File) (out []danger) {
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
	return func(p *Plan, _ []File) (out []danger) {
		for i := range p.Components {
			if p.Components[i].What == what {
				out = append(out, ofCluster(p.Components[i].Cluster, p.Components[i].String()))
			}
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
