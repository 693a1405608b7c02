package v1

import (
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// What the SIP operator called the port of a control plane's Service, and what it is called by default.
const (
	PortNameSIP   = "http"
	PortNameHTTPS = "https"
)

// Images that the SIP operator's specs and defaults name. They do not run what is rendered today: the jump host had no kubectl and another
// user, and HAProxy 2.3 is of before 2022.
var (
	sipJumpHosts = []string{"quay.io/airshipit/jump-host"}
	sipHAProxies = []string{"haproxy:2.3.2", "library/haproxy:2.3.2", "docker.io/haproxy:2.3.2", "docker.io/library/haproxy:2.3.2"}
)

// ownJumpHost begins the tags of sipgen's own jump host images, which have the name that SIP's had.
const ownJumpHost = "sipgen-"

// SIPImage says whether an image of a service is one that the SIP operator's samples and defaults name.
func SIPImage(list, image string) bool {
	switch list {
	case ListJumpHost:
		name, digest, _ := strings.Cut(image, "@")
		tag := ""
		if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
			name, tag = name[:colon], name[colon+1:]
		}
		return digest == "" && slices.Contains(sipJumpHosts, name) && !strings.HasPrefix(tag, ownJumpHost)
	case ListControlPlane, ListWorker:
		return slices.Contains(sipHAProxies, image)
	}
	return false
}

// IsPublicKey says whether a text is one line of authorized_keys with a plain public key.
func IsPublicKey(text string) bool {
	var errs []FieldError
	publicKey(complaints{"", &errs}, text)
	return len(errs) == 0
}

// KeyFingerprint is a public key as a reviewer compares it: its type and its fingerprint, as in "ssh-ed25519 SHA256:...". Empty: the text is not a line of
// authorized_keys that a spec may have. The comment behind the key is not there: whoever writes the key writes it, too.
func KeyFingerprint(text string) string {
	if !IsPublicKey(text) {
		return ""
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(strings.TrimSpace(text)))
	if err != nil {
		return ""
	}
	return key.Type() + " " + ssh.FingerprintSHA256(key)
}
