package lint

// The codes. A code that is no longer found is not used again.
const (
	codeNodePort      = "SIP001"
	codeNodePortRange = "SIP002"
	codeAddress       = "SIP003"
	codeCompete       = "SIP004"
	codeNoHost        = "SIP005"
	codeBMC           = "SIP006"
	codeMAC           = "SIP007"
	codeHostAddress   = "SIP008"
	codeShort         = "SIP009"
	codeIssuerShared  = "SIP010"
	codeIssuerPlace   = "SIP011"
	codeDexNamespace  = "SIP012"
	codeNoDomain      = "SIP013"
	codeSecret        = "SIP014"
	codeDeprecated    = "SIP015"
	codeUseless       = "SIP016"
	codeIgnore        = "SIP017"
	codeNoNetwork     = "SIP018"
	codeUnknownKey    = "SIP019"
	codeNoAddress     = "SIP020"
	codeFailed        = "SIP021"
	codeApart         = "SIP022"
	codeNoMeeting     = "SIP023"
	codeNoSurge       = "SIP024"
	codeEven          = "SIP025"
	codeObject        = "SIP026"
	codeUID           = "SIP027"
	codeNetwork       = "SIP028"
	codeGrant         = "SIP029"
	codeMutable       = "SIP030"
	codePowerless     = "SIP031"
	codeCredentials   = "SIP032"
	codeBackendless   = "SIP033"
	codeEmpty         = "SIP034"
	codeUnmanageable  = "SIP035"
	codeUnread        = "SIP036"
	codeEmptied       = "SIP037"
	codeNameless      = "SIP038"
	codeOwnerless     = "SIP039"
	codeAlike         = "SIP040"
	codeRenamed       = "SIP041"
	codeReserved      = "SIP042"
)

// Code is what a code means.
type Code struct{ Code, Title string }

// Codes are all codes, in their order. docs/lint.md has a section for each.
func Codes() []Code {
	return []Code{
		{codeNodePort, "A node port is claimed twice"},
		{codeNodePortRange, "A node port lies outside the site's range"},
		{codeAddress, "An address is claimed twice"},
		{codeCompete, "Roles compete for too few hosts"},
		{codeNoHost, "A selector matches no host"},
		{codeBMC, "Two hosts have the same BMC"},
		{codeMAC, "Two hosts have the same boot MAC address"},
		{codeHostAddress, "Two hosts have the same address"},
		{codeShort, "A role cannot be filled"},
		{codeIssuerShared, "Two clusters have one token issuer"},
		{codeIssuerPlace, "The issuer is not where Dex is exposed"},
		{codeDexNamespace, "Two Dexes share a namespace"},
		{codeNoDomain, "Hosts without the topology key"},
		{codeSecret, "A referenced Secret is missing"},
		{codeDeprecated, "A deprecated field"},
		{codeUseless, "A field that has no useful effect"},
		{codeIgnore, "A lint-ignore annotation that suppresses nothing"},
		{codeNoNetwork, "A network that no host has an address on"},
		{codeUnknownKey, "A topology key that no host carries"},
		{codeNoAddress, "A host's address cannot be read"},
		{codeFailed, "A cluster's host has failed"},
		{codeApart, "A cluster's hosts are in several namespaces"},
		{codeNoMeeting, "No host is in the namespaces that a role names"},
		{codeNoSurge, "A standby host that no rollout can use"},
		{codeEven, "An even number of control planes"},
		{codeObject, "A host's object is wrong"},
		{codeUID, "Two hosts have the same uid"},
		{codeNetwork, "A host has an address of the site's services"},
		{codeGrant, "More than the tenant is granted"},
		{codeMutable, "An image whose contents change"},
		{codePowerless, "A host that cannot be powered on"},
		{codeCredentials, "Flux cannot read the repository"},
		{codeBackendless, "A load balancer without a backend"},
		{codeEmpty, "A file of specs with nothing in it"},
		{codeUnmanageable, "An unusable BMC or MAC address"},
		{codeUnread, "An annotation that nobody reads"},
		{codeEmptied, "A host whose spec was emptied"},
		{codeNameless, "Hosts without a uid"},
		{codeOwnerless, "A host labelled for a cluster that is not there"},
		{codeAlike, "Failure domains that differ in capital letters"},
		{codeRenamed, "A renamed cluster or role"},
		{codeReserved, "Tokens may name Kubernetes' own users or groups"},
	}
}

func knownCode(code string) bool {
	for _, known := range Codes() {
		if known.Code == code {
			return true
		}
	}
	return false
}
