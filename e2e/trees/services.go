package trees

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/airshipit/sipgen/internal/overlay"
)

// served is what serves a cluster's tenants: its services as they are built.
type served struct {
	services    map[string]*corev1.Service
	deployments map[string]*appsv1.Deployment
	configs     map[string]*corev1.ConfigMap
	policies    map[string]*networkingv1.NetworkPolicy
}

// Interrupted says what a tree makes of the services in the one that is live that those who use them would notice. A Service is as it was in all that
// its spec says: addresses, ports, node ports, whom it selects. So is the Deployment behind it, replicas and images first of all, but for its limits of
// storage, and the configuration of HAProxy. And something is behind each port of a Service, and no NetworkPolicy is before it.
func Interrupted(live, next map[string][]byte) ([]string, error) {
	before, err := allServed(live)
	if err != nil {
		return nil, err
	}
	after, err := allServed(next)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, folder := range slices.Sorted(maps.Keys(before)) {
		for _, what := range before[folder].interrupted(after[folder]) {
			out = append(out, folder+": "+what)
		}
	}
	return out, nil
}

// allServed builds the overlays of all clusters, by folder.
func allServed(tree map[string][]byte) (map[string]*served, error) {
	out := map[string]*served{}
	for name := range tree {
		folder := path.Dir(name)
		if path.Base(name) != "kustomization.yaml" || path.Base(folder) != "infra" || !strings.HasPrefix(name, "clusters/") {
			continue
		}
		files := map[string][]byte{}
		for name, content := range tree {
			if file, within := strings.CutPrefix(name, folder+"/"); within {
				files[file] = content
			}
		}
		parsed, err := overlay.Parse(files)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		built, err := parsed.Build()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		s := &served{map[string]*corev1.Service{}, map[string]*appsv1.Deployment{}, map[string]*corev1.ConfigMap{}, map[string]*networkingv1.NetworkPolicy{}}
		for _, o := range built {
			text, err := json.Marshal(o.Fields)
			if err != nil {
				return nil, err
			}
			switch o.Kind {
			case "Service":
				err = decode(text, o.Name, s.services)
			case "Deployment":
				err = decode(text, o.Name, s.deployments)
			case "ConfigMap":
				err = decode(text, o.Name, s.configs)
			case "NetworkPolicy":
				err = decode(text, o.Name, s.policies)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", folder, &o, err)
			}
		}
		out[folder] = s
	}
	return out, nil
}

func decode[T any](text []byte, name string, into map[string]*T) error {
	into[name] = new(T)
	return json.Unmarshal(text, into[name])
}

func (s *served) interrupted(after *served) (out []string) {
	if after == nil {
		return []string{"is gone"}
	}
	for _, name := range slices.Sorted(maps.Keys(s.services)) {
		is := after.services[name]
		if is == nil {
			out = append(out, "Service "+name+" is gone")
			continue
		}
		out = append(out, differ("Service "+name, s.services[name].Spec, is.Spec)...)
		out = append(out, differ("Service "+name+" annotations", s.services[name].Annotations, is.Annotations)...)
		out = append(out, after.unreachable(is)...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.deployments)) {
		is := after.deployments[name]
		if is == nil {
			out = append(out, "Deployment "+name+" is gone")
			continue
		}
		out = append(out, differ("Deployment "+name, s.kept(s.deployments[name]), after.kept(is))...)
	}
	return out
}

// kept is a Deployment's spec without what an upgrade may change: limits of storage, and the names and the text of configurations, but for HAProxy's.
func (s *served) kept(d *appsv1.Deployment) appsv1.DeploymentSpec {
	spec := *d.Spec.DeepCopy()
	pod := &spec.Template.Spec
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			delete(containers[i].Resources.Limits, corev1.ResourceEphemeralStorage)
			delete(containers[i].Resources.Requests, corev1.ResourceEphemeralStorage)
		}
	}
	for i := range pod.Volumes {
		volume := &pod.Volumes[i]
		if volume.EmptyDir != nil {
			volume.EmptyDir.SizeLimit = nil
		}
		if volume.ConfigMap == nil {
			continue
		}
		config := s.configs[volume.ConfigMap.Name]
		switch {
		case config == nil:
			volume.ConfigMap.Name = "which the folder does not have: " + volume.ConfigMap.Name
		case config.Data["haproxy.cfg"] != "":
			volume.ConfigMap.Name = config.Data["haproxy.cfg"]
		default:
			volume.ConfigMap.Name = ""
		}
	}
	return spec
}

// unreachable are the ports of a Service that nothing answers, as far as the objects say.
func (s *served) unreachable(service *corev1.Service) (out []string) {
	say := func(format string, args ...any) {
		out = append(out, "Service "+service.Name+": "+fmt.Sprintf(format, args...))
	}
	selected := 0
	for _, name := range slices.Sorted(maps.Keys(s.deployments)) {
		d := s.deployments[name]
		pod := labels.Set(d.Spec.Template.Labels)
		if len(service.Spec.Selector) == 0 || !labels.SelectorFromSet(service.Spec.Selector).Matches(pod) {
			continue
		}
		if selected++; d.Spec.Replicas != nil && *d.Spec.Replicas < 1 {
			say("Deployment %s has no replicas", name)
		}
		for _, port := range service.Spec.Ports {
			target := targetPort(port, d.Spec.Template.Spec.Containers)
			if target == 0 {
				say("port %d: no container of %s has port %s", port.Port, name, port.TargetPort.String())
				continue
			}
			if policy := s.denies(pod, target); policy != "" {
				say("port %d: NetworkPolicy %s lets not everybody in at port %d", port.Port, policy, target)
			}
			if config := s.haproxy(d); config != "" && !listens(config, target) {
				say("port %d: HAProxy does not listen at port %d", port.Port, target)
			}
		}
	}
	if selected == 0 {
		say("selects no pod")
	}
	return out
}

// haproxy is the configuration that a Deployment's HAProxy has, "" for another program.
func (s *served) haproxy(d *appsv1.Deployment) string {
	for _, volume := range d.Spec.Template.Spec.Volumes {
		if volume.ConfigMap != nil && s.configs[volume.ConfigMap.Name] != nil && s.configs[volume.ConfigMap.Name].Data["haproxy.cfg"] != "" {
			return s.configs[volume.ConfigMap.Name].Data["haproxy.cfg"]
		}
	}
	return ""
}

var bind = regexp.MustCompile(`(?m)^\s*bind \S*:(\d+)(?:-(\d+))?(?:\s|$)`)

// listens says whether a configuration of HAProxy binds a port, alone or in a range.
func listens(config string, port int32) bool {
	return slices.ContainsFunc(bind.FindAllStringSubmatch(config, -1), func(found []string) bool {
		first, err := strconv.Atoi(found[1])
		last, errOfLast := strconv.Atoi(cmp.Or(found[2], found[1]))
		return err == nil && errOfLast == nil && first <= int(port) && int(port) <= last
	})
}

// targetPort is the number that a Service's port leads to, 0 if it leads to a name that no container's port has. A number needs none.
func targetPort(port corev1.ServicePort, containers []corev1.Container) int32 {
	if port.TargetPort.Type == intstr.Int {
		return cmp.Or(port.TargetPort.IntVal, port.Port)
	}
	for _, container := range containers {
		for _, p := range container.Ports {
			if p.Name == port.TargetPort.StrVal {
				return p.ContainerPort
			}
		}
	}
	return 0
}

// denies names a NetworkPolicy that is for a pod, where none of those that are lets everybody in at a port.
func (s *served) denies(pod labels.Set, port int32) (policy string) {
	for _, name := range slices.Sorted(maps.Keys(s.policies)) {
		p := s.policies[name]
		selector, err := metav1.LabelSelectorAsSelector(&p.Spec.PodSelector)
		if err != nil || !selector.Matches(pod) || !slices.Contains(p.Spec.PolicyTypes, networkingv1.PolicyTypeIngress) {
			continue
		}
		policy = name
		for _, rule := range p.Spec.Ingress {
			open := len(rule.Ports) == 0 || slices.ContainsFunc(rule.Ports, func(p networkingv1.NetworkPolicyPort) bool {
				first := p.Port.IntValue()
				last := first
				if p.EndPort != nil {
					last = int(*p.EndPort)
				}
				return p.Port == nil || first <= int(port) && int(port) <= last
			})
			if open && len(rule.From) == 0 {
				return ""
			}
		}
	}
	return policy
}

// differ compares two structs or maps field by field: what differs is named, and not all that does not.
func differ(what string, was, is any) (out []string) {
	a, b := reflect.ValueOf(was), reflect.ValueOf(is)
	if a.Kind() != reflect.Struct {
		if a.Len()+b.Len() > 0 && !reflect.DeepEqual(was, is) {
			out = append(out, fmt.Sprintf("%s: %v, was %v", what, is, was))
		}
		return out
	}
	for i := range a.NumField() {
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			out = append(out, fmt.Sprintf("%s: %s is %s, was %s", what, a.Type().Field(i).Name, inJSON(y), inJSON(x)))
		}
	}
	return out
}

func inJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
