package infra

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// Where HAProxy finds the certificate authority of its backends: next to its configuration if the spec has it, so
// that a change rolls the pods; else in a folder of its own.
const (
	configFolder = "/usr/local/etc/haproxy"
	caFolder     = "/usr/local/etc/haproxy-ca"
	caFile       = "ca.crt"
)

// verification returns how the certificates of servers are verified in checks. The connections of clients are not
// ended here, so nothing else is.
func verification(ca *v1.BackendCA) string {
	if ca == nil {
		return "verify none"
	}
	folder := caFolder
	if ca.PEM != "" {
		folder = configFolder
	}
	// Without a name any certificate of the authority would do: a kubelet's, or an administrator's.
	return "verify required ca-file " + folder + "/" + caFile + " verifyhost " +
		cmp.Or(ca.ServerName, v1.DefaultServerName)
}

// caVolume mounts one key of a ConfigMap or a Secret, and nothing else of it: Cluster API keeps the authority's
// private key next to its certificate.
func caVolume(ca *v1.BackendCA) (volume corev1.Volume, mounted bool) {
	if ca == nil || ca.PEM != "" {
		return volume, false
	}
	items := []corev1.KeyToPath{{Key: cmp.Or(ca.Key, v1.DefaultCAKey), Path: caFile}}
	volume.Name = "backend-ca"
	if ca.Secret != "" {
		volume.Secret = &corev1.SecretVolumeSource{SecretName: ca.Secret, DefaultMode: ptr[int32](0o440), Items: items}
	} else {
		volume.ConfigMap = &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: ca.ConfigMap}, DefaultMode: ptr[int32](0o444), Items: items}
	}
	return volume, true
}
