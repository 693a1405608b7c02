package validation

import (
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// maxCACertificates is the most certificates of a BackendCA.
const maxCACertificates = 16

func validateBackendCA(ca *v1.BackendCA, at complaints) {
	if ca == nil {
		return
	}
	given := 0
	for _, value := range []string{ca.PEM, ca.ConfigMap, ca.Secret} {
		if value != "" {
			given++
		}
	}
	if given != 1 {
		at.add("found %d of pem, configMap and secret, want one", given)
	}
	if ca.PEM != "" {
		checkAuthorities(at.at(".pem"), ca.PEM)
	}
	for _, field := range []struct{ name, value string }{{"configMap", ca.ConfigMap}, {"secret", ca.Secret}} {
		for _, message := range validation.IsDNS1123Subdomain(field.value) {
			if field.value != "" {
				at.at(".%s", field.name).add("found %q: %s", field.value, message)
			}
		}
	}
	if ca.Key != "" {
		if ca.PEM != "" {
			at.at(".key").add("has no meaning with pem")
		}
		at.at(".key").check(ca.Key, validation.IsConfigMapKey)
	}
	if ca.ServerName != "" {
		at.at(".serverName").check(ca.ServerName, validation.IsDNS1123Subdomain)
	}
}

// checkAuthorities complains about what is not certificates of certificate authorities. HAProxy does not start with a
// file that it cannot read.
func checkAuthorities(at complaints, text string) {
	found, ok := parseCertificates(at, text)
	switch {
	case !ok:
		return
	case len(found) > maxCACertificates:
		at.add("found %d certificates, want at most %d", len(found), maxCACertificates)
		return
	}
	for i, c := range found {
		if !c.IsCA || !c.BasicConstraintsValid {
			at.add("certificate %d is not of a certificate authority: want the one that signed the API servers' "+
				"certificates", i+1)
		}
	}
}
