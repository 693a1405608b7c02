package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// rootCertificates returns the root certificates that Mozilla trusts, as PEM, from a module whose version go.mod
// pins: those of the machine that builds the image would make two images of one commit. A root that Mozilla trusts
// only for certificates up to some date is left out, because a file of certificates cannot say so.
func rootCertificates() ([]byte, error) {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		certificate, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, err
		}
		out.WriteString("# " + certificate.Subject.String() + "\n")
		if err := pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	if out.Len() == 0 {
		return nil, errors.New("no root certificates")
	}
	return out.Bytes(), nil
}
