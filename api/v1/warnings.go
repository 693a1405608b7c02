package v1

import (
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// Warnings are fields that are accepted and do nothing, or leave a service of no use: specs written for the SIP
// operator carry them.
func (c *SIPCluster) Warnings() []FieldError {
	var out []FieldError
	for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
		for _, known := range []string{RoleControlPlane, RoleWorker} {
			if near := manifest.Nearest(role, []string{known}); near != "" && role != known {
				out = append(out, FieldError{"spec.nodes." + role, redact.Sprintf("is a role of its own, which the load balancers do not know; did you mean %q?", known)})
			}
		}
	}
	services := &c.Spec.Services
	for i := range services.LoadBalancerWorker {
		if services.LoadBalancerWorker[i].NodePort != 0 {
			out = append(out, FieldError{fmt.Sprintf("spec.services.%s[%d].nodePort", ListWorker, i), "has no meaning here: the ports are nodePortRange's"})
		}
	}
	for i := range services.JumpHost {
		if jump := &services.JumpHost[i]; len(jump.SSHAuthorizedKeys) == 0 && jump.TrustedUserCA == "" {
			out = append(out, FieldError{fmt.Sprintf("spec.services.%s[%d].sshAuthorizedKeys", ListJumpHost, i), "missing: without a key or a trustedUserCA nobody can log in"})
		}
	}
	for i := range services.Auth {
		out = append(out, FieldError{fmt.Sprintf("spec.services.auth[%d]", i), "renders nothing: use spec.services.dex"})
	}
	return out
}
