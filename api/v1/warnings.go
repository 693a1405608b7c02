package v1

import "fmt"

// Warnings are fields that are accepted and do nothing: specs written for the SIP operator carry them.
func (c *SIPCluster) Warnings() []FieldError {
	var out []FieldError
	services := &c.Spec.Services
	for i := range services.LoadBalancerWorker {
		if services.LoadBalancerWorker[i].NodePort != 0 {
			out = append(out, FieldError{fmt.Sprintf("spec.services.%s[%d].nodePort", ListWorker, i), "has no meaning here: the ports are nodePortRange's"})
		}
	}
	for i := range services.Auth {
		out = append(out, FieldError{fmt.Sprintf("spec.services.auth[%d]", i), "renders nothing: use spec.services.dex"})
	}
	return out
}
