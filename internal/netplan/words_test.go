package netplan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/airshipit/sipgen/inventory"
)

// TestOriginField: a conflict names the field that the address was read from, so that the operator corrects that one.
func TestOriginField(t *testing.T) {
	for origin, want := range map[inventory.AddressOrigin]string{
		inventory.FromHostAnnotation:  `metadata.annotations["` + inventory.AddressAnnotationKey + `oam"]`,
		inventory.FromPreprovisioning: "spec.preprovisioningNetworkDataName",
		inventory.FromHardware:        "status.hardware.nics",
		inventory.FromNetworkData:     "spec.networkData",
	} {
		assert.Equal(t, want, originField(&inventory.Address{Network: "oam", Origin: origin}))
	}
}

// TestWantOfAConflict: what is wanted instead depends on what overlaps.
func TestWantOfAConflict(t *testing.T) {
	for kind, want := range map[ClaimKind]string{
		Addresses: ": want addresses of its own, or networks that never meet in the Site's spec.services.addressSpaces",
		MACs:      ": want MAC addresses of its own", Ports: ": want a port outside the Site's spec.nodePorts",
	} {
		at, with := &Claim{Kind: kind}, &Claim{Kind: kind}
		assert.Contains(t, words(&Conflict{At: at, With: with}, "here"), "(here)"+want)
	}
}
