package validation

import (
	"crypto/rsa"
	"strings"
	"unicode"

	"golang.org/x/crypto/ssh"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/redact"
)

func validateJumpHosts(c *v1.SIPCluster, root complaints) {
	for i := range c.Spec.Services.JumpHost {
		jump := &c.Spec.Services.JumpHost[i]
		at := root.at(".%s[%d]", v1.ListJumpHost, i)
		checkServiceName(c, at, v1.ListJumpHost, i)
		validateService(&jump.Service, at, v1.DefaultReplicas(v1.ListJumpHost))
		validateNetworkID(at, jump.NodeInterface)
		checkHeadless(&jump.Service, at, jump.NodePort)
		for j, key := range jump.SSHAuthorizedKeys {
			checkPublicKey(at.at(".sshAuthorizedKeys[%d]", j), key)
		}
		if jump.TrustedUserCA != "" {
			checkPublicKey(at.at(".trustedUserCA"), jump.TrustedUserCA)
		}
		checkSecretName(at.at(".nodeSSHPrivateKeys"), jump.NodeSSHPrivateKeys, false)
		checkSecretName(at.at(".hostKeys"), jump.HostKeys, false)
	}
}

// checkSecretName complains about an invalid name of a Secret. It does not print the name, which may be a pasted
// secret.
func checkSecretName(at complaints, name string, required bool) {
	if name == "" {
		if required {
			at.add("missing: the name of a Secret in the cluster's namespace")
		}
		return
	}
	for _, message := range validation.IsDNS1123Subdomain(name) {
		at.add("%s: %s", redact.NoSecretName, message)
	}
}

// checkPublicKey complains about a text that is not one line of authorized_keys with a plain public key. It does not
// print the text, which may be a pasted private key.
func checkPublicKey(at complaints, line string) {
	line = strings.TrimSpace(line)
	if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
		at.add("more than one line, or a control character, want one public key as in \"ssh-ed25519 AAAA... name\"")
		return
	}
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		at.add("not a public key, want one as in \"ssh-ed25519 AAAA... name\"")
		return
	}
	// With options sshd runs a command in place of the shell, opens tunnels, sets variables or believes an authority.
	// None is needed here.
	if len(options) > 0 {
		at.add("%d options before the key, want the key alone: the jump host decides what a login may do",
			len(options))
		return
	}
	// The parser goes by the type within the key; sshd wants the word before it to be the same, and passes over the
	// line otherwise.
	if words := strings.Fields(line); words[0] != key.Type() {
		at.add("it does not begin with its own type, want one as in \"ssh-ed25519 AAAA... name\"")
		return
	}
	if _, isCertificate := key.(*ssh.Certificate); isCertificate {
		at.add("a certificate, want a plain public key; certificates are trusted by trustedUserCA")
		return
	}
	if key.Type() == "ssh-dss" {
		at.add("a DSA key, which sshd refuses; want ed25519, ecdsa or rsa")
	}
	if wrapped, ok := key.(ssh.CryptoPublicKey); ok {
		if public, ok := wrapped.CryptoPublicKey().(*rsa.PublicKey); ok && public.N.BitLen() < 2048 {
			at.add("an RSA key of %d bits, want at least 2048", public.N.BitLen())
		}
	}
}

// IsPublicKey reports whether a text is one line of authorized_keys with a plain public key.
func IsPublicKey(text string) bool {
	var errs []FieldError
	checkPublicKey(complaints{"", &errs}, text)
	return len(errs) == 0
}

// KeyFingerprint returns type and fingerprint of a public key, as in "ssh-ed25519 SHA256:...", without its comment,
// which its owner chose. Empty if the text is not a valid line of authorized_keys.
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
