package v1

import (
	"slices"
	"strings"
)

// What the SIP operator called the port of a control plane's Service, and what it is called by default.
const (
	PortNameSIP   = "http"
	PortNameHTTPS = "https"
)

// Images that the SIP operator's specs and defaults name. They do not run what is rendered today: the jump host had no
// kubectl and another user, and HAProxy 2.3 is of before 2022.
var (
	sipJumpHosts = []string{"quay.io/airshipit/jump-host"}
	sipHAProxies = []string{"docker.io/haproxy", "docker.io/library/haproxy"} // of version 2.3.2
)

// ownJumpHost is the prefix of the tags of sipgen's own jump host images, which share the name of the SIP
// operator's.
const ownJumpHost = "sipgen-"

// SIPImage reports whether an image is one of the SIP operator's samples and defaults.
func SIPImage(list, image string) bool {
	name, tag, digest := SplitImage(image)
	switch list {
	case ListJumpHost:
		return digest == "" && slices.Contains(sipJumpHosts, name) && !strings.HasPrefix(tag, ownJumpHost)
	case ListControlPlane, ListWorker:
		return digest == "" && tag == "2.3.2" && slices.Contains(sipHAProxies, HubName(image))
	}
	return false
}

// SIPFinalizer is the finalizer that the SIP operator put on every SIPCluster.
const SIPFinalizer = "sip.airship.airshipit.org/finalizer"
