package v1

import "fmt"

// Warnings are fields that are accepted and do nothing, or leave a service of no use: specs written for the SIP
// operator carry them.
func (c *SIPCluster) Warnings() []FieldError {
	var out []FieldError
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
