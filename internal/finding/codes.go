package finding

import (
	_ "embed" // codes.yaml
	"slices"
	"sync"

	"sigs.k8s.io/yaml"
)

// The codes. codes.yaml has their meanings.
const (
	NodePort        = "SIP001"
	NodePortRange   = "SIP002"
	Address         = "SIP003"
	NoHost          = "SIP005"
	BMC             = "SIP006"
	MAC             = "SIP007"
	HostAddress     = "SIP008"
	IssuerShared    = "SIP010"
	IssuerPlace     = "SIP011"
	DexNamespace    = "SIP012"
	NoDomain        = "SIP013"
	Secret          = "SIP014"
	Deprecated      = "SIP015"
	Useless         = "SIP016"
	Ignore          = "SIP017"
	NoNetwork       = "SIP018"
	UnknownKey      = "SIP019"
	NoAddress       = "SIP020"
	Apart           = "SIP022"
	NoMeeting       = "SIP023"
	NoSurge         = "SIP024"
	Even            = "SIP025"
	Object          = "SIP026"
	UID             = "SIP027"
	Network         = "SIP028"
	Grant           = "SIP029"
	Mutable         = "SIP030"
	Powerless       = "SIP031"
	Credentials     = "SIP032"
	Backendless     = "SIP033"
	Empty           = "SIP034"
	Unmanageable    = "SIP035"
	Unread          = "SIP036"
	Emptied         = "SIP037"
	Nameless        = "SIP038"
	Ownerless       = "SIP039"
	Alike           = "SIP040"
	Reserved        = "SIP042"
	Invalid         = "SIP043"
	Absent          = "SIP044"
	Strange         = "SIP045"
	Loss            = "SIP046"
	Build           = "SIP047"
	Unpatchable     = "SIP048"
	Crossing        = "SIP049"
	Guards          = "SIP051"
	Leftover        = "SIP052"
	Blind           = "SIP053"
	Mislabelled     = "SIP054"
	Missing         = "SIP055"
	Recreated       = "SIP056"
	Statusless      = "SIP057"
	NoEffect        = "SIP058"
	Readdressed     = "SIP059"
	Uneven          = "SIP060"
	NoHardware      = "SIP061"
	ForeignBackend  = "SIP062"
	InDoubt         = "SIP063"
	Remade          = "SIP064"
	Disputed        = "SIP065"
	WrongMachines   = "SIP066"
	TooMuchReserved = "SIP067"
	UnknownState    = "SIP068"
	Edited          = "SIP069"
	NoTree          = "SIP070"
	Unchecked       = "SIP071"
	Undigested      = "SIP072"
	Unrendered      = "SIP073"
	WiderRole       = "SIP074"
	Unfit           = "SIP075"
	Slow            = "SIP076"
	Crosses         = "SIP077"
	NoSelector      = "SIP078"
	NoBase          = "SIP079"
	OtherSite       = "SIP080"
	OtherVersion    = "SIP081"
)

// Code is the entry of a code in the table.
type Code struct {
	Code  string `json:"code"`
	Title string `json:"title"`
	// Severities are those that it may have, in words.
	Severities string `json:"severities"`
	// Freezes: the cluster that it is about is frozen.
	Freezes bool `json:"freezes"`
	// Meaning is the problem with its effect, and Remedy what to do, in markdown.
	Meaning string `json:"meaning"`
	Remedy  string `json:"remedy"`
}

//go:embed codes.yaml
var table []byte

// Codes are all codes, in their order.
var Codes = sync.OnceValue(func() []Code {
	var codes []Code
	if err := yaml.UnmarshalStrict(table, &codes); err != nil {
		panic(err) // TestTable reads it
	}
	return codes
})

// Find returns the row of a code, nil for none.
func Find(code string) *Code {
	codes := Codes()
	if i := slices.IndexFunc(codes, func(c Code) bool { return c.Code == code }); i >= 0 {
		return &codes[i]
	}
	return nil
}
