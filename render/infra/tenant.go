package infra

import (
	"cmp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/render/object"
)

// Where the tenant's API server finds its files.
const (
	authenticationFolder = "/etc/kubernetes/oidc"
	authenticationFile   = authenticationFolder + "/authentication.yaml"
	issuerCAFile         = authenticationFolder + "/issuer-ca.crt"
)

// groupsClaim is the claim in which Dex puts the groups.
const groupsClaim = "groups"

// identity is how tokens become users and groups: the one place from which every file about it is rendered.
type identity struct {
	issuer, clientID, ca          string
	usernameClaim, usernamePrefix string
	groupsPrefix                  string
}

func identityOf(dex *v1.Dex) identity {
	k := v1.DexKubernetes{}
	if dex.Kubernetes != nil {
		k = *dex.Kubernetes
	}
	id := identity{
		issuer: dex.Issuer, clientID: dex.DexClientID(), ca: strings.TrimSpace(dex.TLS.CA),
		usernameClaim: cmp.Or(k.UsernameClaim, "email"), usernamePrefix: "oidc:",
		groupsPrefix: "oidc:",
	}
	if k.UsernamePrefix != nil {
		id.usernamePrefix = *k.UsernamePrefix
	}
	if k.GroupsPrefix != nil {
		id.groupsPrefix = *k.GroupsPrefix
	}
	if id.ca != "" {
		id.ca += "\n"
	}
	return id
}

// tenantFiles tell the tenant's API server about its Dex. They are not applied to the management cluster.
func tenantFiles(dex *v1.Dex) (map[string][]byte, error) {
	id := identityOf(dex)
	config, err := object.Sorted(id.authentication())
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"authentication.yaml":      config,
		"kube-apiserver-flags.txt": []byte(strings.Join(id.flags(), "\n") + "\n"),
	}
	if id.ca != "" {
		files["issuer-ca.crt"] = []byte(id.ca)
	}
	return files, nil
}

// authentication returns the structured configuration that kube-apiserver reads by --authentication-config
// (Kubernetes 1.30 and later).
func (id identity) authentication() authenticationConfiguration {
	return authenticationConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: "apiserver.config.k8s.io/v1beta1", Kind: "AuthenticationConfiguration"},
		JWT: []jwtAuthenticator{{
			Issuer: jwtIssuer{URL: id.issuer, CertificateAuthority: id.ca, Audiences: []string{id.clientID}},
			ClaimMappings: claimMappings{
				Username: prefixedClaim{Claim: id.usernameClaim, Prefix: id.usernamePrefix},
				Groups:   prefixedClaim{Claim: groupsClaim, Prefix: id.groupsPrefix},
			},
			UserValidationRules: id.rules(),
		}},
	}
}

// rules have the API server refuse a token that names Kubernetes' own users and groups, where the prefixes do not
// exclude that. Where they do, there are none: other bytes would roll control planes.
func (id identity) rules() []userValidationRule {
	var rules []userValidationRule
	if v1.MayBeReserved(id.usernamePrefix) {
		rules = append(rules, userValidationRule{"!user.username.startsWith('" + v1.ReservedPrefix + "')",
			"the name of a user may not begin with " + v1.ReservedPrefix})
	}
	if v1.MayBeReserved(id.groupsPrefix) {
		rules = append(rules, userValidationRule{"user.groups.all(group, !group.startsWith('" + v1.ReservedPrefix + "'))",
			"the name of a group may not begin with " + v1.ReservedPrefix})
	}
	return rules
}

// The part of apiserver.config.k8s.io/v1beta1 that is rendered. The types in k8s.io/apiserver bring its feature gates
// and a Prometheus client into the program. e2e/services has a kube-apiserver read the file.
type (
	authenticationConfiguration struct {
		metav1.TypeMeta `json:",inline"`
		JWT             []jwtAuthenticator `json:"jwt"`
	}
	jwtAuthenticator struct {
		Issuer              jwtIssuer            `json:"issuer"`
		ClaimMappings       claimMappings        `json:"claimMappings"`
		UserValidationRules []userValidationRule `json:"userValidationRules,omitempty"`
	}
	userValidationRule struct {
		Expression string `json:"expression"`
		Message    string `json:"message"`
	}
	jwtIssuer struct {
		URL                  string   `json:"url"`
		CertificateAuthority string   `json:"certificateAuthority,omitempty"`
		Audiences            []string `json:"audiences"`
	}
	claimMappings struct {
		Username prefixedClaim `json:"username"`
		Groups   prefixedClaim `json:"groups"`
		// UID is empty, and rendered: the file's bytes reach the control plane's hosts, and other bytes would roll
		// them.
		UID struct{} `json:"uid"`
	}
	// prefixedClaim always has a prefix: kube-apiserver requires one with a claim, and "" is none.
	prefixedClaim struct {
		Claim  string `json:"claim"`
		Prefix string `json:"prefix"`
	}
)

// flags is the same for kube-apiserver without that file. The two exclude each other.
func (id identity) flags() []string {
	flags := []string{
		"--oidc-issuer-url=" + id.issuer,
		"--oidc-client-id=" + id.clientID,
		"--oidc-username-claim=" + id.usernameClaim,
		// "-" is how kube-apiserver spells no prefix.
		"--oidc-username-prefix=" + cmp.Or(id.usernamePrefix, "-"),
		"--oidc-groups-claim=" + groupsClaim,
	}
	if id.groupsPrefix != "" {
		flags = append(flags, "--oidc-groups-prefix="+id.groupsPrefix)
	}
	if id.ca != "" {
		flags = append(flags, "--oidc-ca-file="+issuerCAFile)
	}
	return flags
}
