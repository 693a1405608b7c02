package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// listed is a service in a list that the SIP operator had, too.
type listed struct {
	*v1.Service
	list, path string
}

// isFromSIP reports whether the fields of a spec show that it was written for the SIP operator.
func isFromSIP(c *v1.SIPCluster) bool {
	worker := func(lb v1.LoadBalancerWorker) bool { return lb.NodePort != 0 }
	return slices.Contains(c.Finalizers, v1.SIPFinalizer) || len(c.Spec.Services.Auth) > 0 ||
		slices.ContainsFunc(c.Spec.Services.LoadBalancerWorker, worker) ||
		slices.ContainsFunc(allServices(c), func(s listed) bool { return v1.SIPImage(s.list, s.Image) })
}

func allServices(c *v1.SIPCluster) []listed {
	var out []listed
	add := func(list string, i int, s *v1.Service) {
		out = append(out, listed{s, list, fmt.Sprintf("spec.services.%s[%d]", list, i)})
	}
	services := &c.Spec.Services
	for i := range services.LoadBalancerControlPlane {
		add(v1.ListControlPlane, i, &services.LoadBalancerControlPlane[i].Service)
	}
	for i := range services.LoadBalancerWorker {
		add(v1.ListWorker, i, &services.LoadBalancerWorker[i].Service)
	}
	for i := range services.JumpHost {
		add(v1.ListJumpHost, i, &services.JumpHost[i].Service)
	}
	return out
}

// Warnings returns fields that are accepted and have no effect, or make a service useless, as in specs for the SIP
// operator. In a file, a deletionTimestamp is one, too: it releases hosts.
func Warnings(c *v1.SIPCluster) []FieldError {
	var out []FieldError
	if c.DeletionTimestamp != nil && (c.Document == nil || !c.Document.Live) {
		out = append(out, FieldError{Path: "metadata.deletionTimestamp",
			Message: "marks the cluster as being deleted: its hosts are released, unless the cluster is frozen; if the " +
				"cluster is to stay, remove this line (only an API server should set it)"})
	}
	out = append(out, unreadAnnotations(c)...)
	for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
		if set := c.Spec.Nodes[role]; set.Count == nil {
			out = append(out, FieldError{Path: "spec.nodes." + role + ".count",
				Message: "missing: the role asks for no host, and releases those that it has; write count: {active: 0} if " +
					"that is what you want"})
		}
		if set := c.Spec.Nodes[role]; set.Count != nil && set.Count.Active == 0 && set.Count.Standby > 0 {
			out = append(out, FieldError{Path: "spec.nodes." + role + ".count",
				Message: redact.Sprintf("asks for %s and no active one: a standby host replaces an active one of its role, "+
					"and there is none to replace", text.Count(set.Count.Standby, "standby host"))})
		}
		if known := nearestKnownRole(role); known != "" &&
			len(validation.IsValidLabelValue(role)) == 0 { // else it is refused
			out = append(out, FieldError{Path: "spec.nodes." + role, Message: redact.Sprintf("is a role that no load balancer serves; did you mean %q?", known)})
		}
	}
	services := &c.Spec.Services
	old := isFromSIP(c)
	for _, s := range allServices(c) {
		if old && s.ClusterIP != nil {
			out = append(out, FieldError{Path: s.path + ".clusterIP", Message: "was ignored by the SIP operator; here the Service asks for that address, and the API server " +
				"refuses one that is taken or outside its service range"})
		}
		if old && len(s.NodeLabels) > 0 {
			out = append(out, FieldError{Path: s.path + ".nodeLabels",
				Message: "was ignored by the SIP operator; here the pods run on nodes with these labels only"})
		}
		if v1.SIPImage(s.list, s.Image) {
			out = append(out, FieldError{Path: s.path + ".image", Message: "is of the SIP operator's time and cannot run what is rendered now: the Site's image is used"})
		}
	}
	for i := range services.LoadBalancerWorker {
		if services.LoadBalancerWorker[i].NodePort != 0 {
			out = append(out, FieldError{Path: fmt.Sprintf("spec.services.%s[%d].nodePort", v1.ListWorker, i),
				Message: "has no meaning here: the ports are nodePortRange's"})
		}
	}
	for _, path := range c.HAProxyLines() {
		out = append(out, FieldError{Path: path, Message: "sipgen does not check these lines. HAProxy checks them when new pods " +
			"start; if it rejects them, the old pods keep running"})
	}
	for i := range services.JumpHost {
		if jump := &services.JumpHost[i]; len(jump.SSHAuthorizedKeys) == 0 && jump.TrustedUserCA == "" {
			out = append(out, FieldError{Path: fmt.Sprintf("spec.services.%s[%d].sshAuthorizedKeys", v1.ListJumpHost, i),
				Message: "missing: without a key or a trustedUserCA no user can log in"})
		}
	}
	for i := range services.Auth {
		out = append(out, FieldError{Path: fmt.Sprintf("spec.services.auth[%d]", i),
			Message: "renders nothing: use spec.services.dex"})
	}
	return out
}

// unreadAnnotations returns annotations with a key of sipgen that sipgen does not read.
func unreadAnnotations(c *v1.SIPCluster) []FieldError {
	var out []FieldError
	read := []string{v1.AcceptLossAnnotation, v1.ApproveReleaseAnnotation, v1.DecommissionAnnotation,
		v1.LintIgnoreAnnotation, v1.RemoveAnnotation}
	for _, key := range slices.Sorted(maps.Keys(c.Annotations)) {
		near, stray := manifest.StrayAnnotation(key, read)
		switch path := redact.Sprintf("metadata.annotations[%q]", key); {
		case !stray || len(out) == manifest.MaxProblems:
		case near != "":
			out = append(out, FieldError{Path: path, Message: fmt.Sprintf("sipgen reads no such annotation, did you mean %q?",
				near)})
		default:
			out = append(out, FieldError{Path: path, Message: "sipgen reads no such annotation of a SIPCluster, only " +
				strings.Join(read, ", ")})
		}
	}
	return out
}
