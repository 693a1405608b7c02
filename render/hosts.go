package render

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/flux"
	"github.com/airshipit/sipgen/render/guard"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// guards returns the annotations of a host patch, per engine.
func guards(engine v1alpha1.Engine) map[string]string {
	if engine == v1alpha1.EngineArgoCD {
		return map[string]string{argocd.SyncOptions: "Prune=false,Delete=false,ServerSideApply=true",
			argocd.CompareOptions: "IgnoreExtraneous"}
	}
	return map[string]string{flux.SSA: "Merge", flux.Prune: "disabled"}
}

// hostPatch is a BareMetalHost cut down to what sipgen sets. It has no spec on purpose: an apply
// of it must never say anything about a host's spec.
type hostPatch struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        hostMetadata `json:"metadata"`
}

type hostMetadata struct {
	Namespace   string            `json:"namespace"`
	Name        string            `json:"name"`
	UID         string            `json:"uid,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// renderHosts renders a cluster's host patches: a kustomization of partial objects, or with
// apply: overlay a kustomize component whose patches a site-wide overlay applies to the base.
func (s *rendering) renderHosts(c *schedule.Cluster, folder string) error {
	merge := s.Site.Spec.Hosts.Apply == v1alpha1.ApplyMerge
	var (
		errs  []error
		files []string
	)
	keep := func(name string) {
		if was, found := s.Previous[folder+"/"+name]; found {
			files = append(files, name)
			s.tree[folder+"/"+name] = was
		}
	}
	put := func(host *inventory.Host, labels map[string]string, wave string, approved bool) {
		name := hostFile(host)
		if host.Untouchable() {
			keep(name)
			return
		}
		if (merge || approved) && host.UID == "" {
			s.nameless = append(s.nameless, nameless{c.Key, host})
			return
		}
		patch := hostPatch{
			TypeMeta: metav1.TypeMeta{APIVersion: "metal3.io/v1alpha1", Kind: "BareMetalHost"},
			Metadata: hostMetadata{Namespace: host.Namespace, Name: host.Name, Labels: labels},
		}
		if merge {
			patch.Metadata.UID = host.UID
			patch.Metadata.Annotations = guards(s.Site.Spec.Engine)
			if wave != "" {
				patch.Metadata.Annotations[argocd.Wave] = wave
			}
		}
		if approved {
			if patch.Metadata.Annotations == nil {
				patch.Metadata.Annotations = map[string]string{}
			}
			patch.Metadata.Annotations[guard.ReleaseOf] = guard.ReleaseToken(host)
		}
		content, err := object.Marshal(patch)
		errs = append(errs, err)
		files = append(files, name)
		s.tree[folder+"/"+name] = s.once(folder+"/"+name, content)
	}
	// With another order there is nothing to come after.
	var afterServices string
	if s.waves() {
		afterServices = hostWave
	}
	for i := range c.Roles {
		role := &c.Roles[i]
		for _, a := range role.Assigned {
			labels := s.labels(c.Key, role.Name, a.Standby)
			if !a.Standby {
				maps.Copy(labels, s.takenOver(a.Host, s.Site.Spec.LabelKeys.Standby))
			}
			put(a.Host, labels, afterServices, false)
		}
		for _, r := range role.Releasing {
			if r.Host.Old() {
				keep(hostFile(r.Host))
				continue
			}
			// With an overlay the base is the whole object: leaving the patch out drops the labels of the engine
			// alone. Only an approval and labels of another manager take a patch.
			_, approved := r.Reason.(schedule.Approved)
			keys := s.Site.Spec.LabelKeys
			labels := s.takenOver(r.Host, keys.ClusterNamespace, keys.ClusterName, keys.NodeType, keys.Standby)
			if merge || approved || len(labels) > 0 {
				put(r.Host, labels, "", approved)
			}
		}
	}
	// kustomize refuses to build an overlay with nothing in it; see hasHosts.
	if len(files) == 0 {
		return errors.Join(errs...)
	}
	slices.Sort(files)
	kustomization := object.NewKustomization(files...)
	if !merge {
		kustomization = object.NewComponent()
		for _, file := range files {
			kustomization.Patches = append(kustomization.Patches, object.Patch{Path: file})
		}
	}
	content, err := object.Marshal(kustomization)
	s.tree[folder+"/kustomization.yaml"] = content
	return errors.Join(append(errs, err)...)
}

// HostFile returns the name of the file, in a cluster's hosts/, that holds a host's patch. A host's name is a DNS
// subdomain and its namespace a DNS label without dots: no two hosts share a file.
func HostFile(host schedule.HostKey) string { return host.Namespace + "." + host.Name + ".yaml" }

func hostFile(host *inventory.Host) string {
	return HostFile(schedule.KeyOfHost(host))
}

// nameless is a host without a uid, and the cluster that a patch would be for.
type nameless struct {
	cluster schedule.ClusterKey
	host    *inventory.Host
}

// shownNameless is how many hosts without a uid are named.
const shownNameless = 5

// allNamed reports, once for all clusters, hosts without a uid.
func (s *rendering) allNamed() error {
	if len(s.nameless) == 0 {
		return nil
	}
	whose := s.nameless[0].cluster.String()
	clusters := map[schedule.ClusterKey]bool{}
	var hosts []string
	for _, n := range s.nameless {
		clusters[n.cluster] = true
		hosts = append(hosts, fmt.Sprintf("%s (%s)", n.host.Key(), n.host.Source))
	}
	if len(clusters) > 1 {
		whose = fmt.Sprintf("%d clusters, %s the first", len(clusters), whose)
	}
	why := "with hosts.apply merge a patch without it would create a host that does not exist; read the inventory from " +
		"the cluster or from a snapshot, or use hosts.apply overlay"
	if !s.merge() {
		why = "the approval of a release names the host by it; read the inventory from the cluster or from a snapshot"
	}
	return fmt.Errorf("%s: %s without metadata.uid: %s; want one: %s", whose, text.Count(len(hosts), "host"),
		text.Some(hosts, shownNameless), why)
}

// takenOver returns those of sipgen's labels that are to leave a host and that another manager also owns, as the SIP
// operator does, or a person who labeled a standby host: dropping such a label leaves it on the host. Another value,
// the empty one, makes the engine its only owner, and the next commit drops it.
func (s *rendering) takenOver(host *inventory.Host, leave ...string) map[string]string {
	engine := flux.Manager
	if s.Site.Spec.Engine == v1alpha1.EngineArgoCD {
		engine = argocd.Manager
	}
	var labels map[string]string
	for _, key := range leave {
		if _, carried := host.Labels[key]; !carried {
			continue
		}
		shared := slices.ContainsFunc(host.Managers, func(m inventory.Manager) bool {
			return m.Name != engine && slices.Contains(m.Labels, key)
		})
		if shared {
			if labels == nil {
				labels = map[string]string{}
			}
			labels[key] = ""
		}
	}
	return labels
}

// hasHosts reports whether a cluster has host patches. Without any it has no overlay, and nothing syncs it.
func (s *rendering) hasHosts(c *schedule.Cluster) bool {
	_, found := s.tree[Folder(c.Key)+"/hosts/kustomization.yaml"]
	return found
}

func (s *rendering) labels(c schedule.ClusterKey, role string, standby bool) map[string]string {
	keys := s.Site.Spec.LabelKeys
	labels := map[string]string{
		keys.ClusterNamespace: c.Namespace,
		keys.ClusterName:      c.Name,
		keys.NodeType:         role,
	}
	if standby {
		labels[keys.Standby] = "true"
	}
	return labels
}

// renderOverlay renders hosts/, with apply: overlay: the hosts' manifests as the base, and every
// cluster's patches over them. One overlay for the site, so that each host is in exactly one.
func (s *rendering) renderOverlay() error {
	if s.merge() {
		return nil
	}
	up := strings.Repeat("../", 1+depth(s.Site.Spec.Repository.Path))
	kustomization := object.NewKustomization(up + s.Site.Spec.Hosts.Base)
	for _, c := range s.clusters {
		if !s.hasHosts(c) {
			continue
		}
		kustomization.Components = append(kustomization.Components, path.Join("..", Folder(c.Key), "hosts"))
	}
	content, err := object.Marshal(kustomization)
	s.tree["hosts/kustomization.yaml"] = content
	return err
}

// depth counts the folders of a relative path, 0 for the root.
func depth(folder string) int {
	if folder == "" {
		return 0
	}
	return 1 + strings.Count(folder, "/")
}

func (s *rendering) hasSiteObjects() bool {
	_, found := s.tree["site/kustomization.yaml"]
	return found
}
