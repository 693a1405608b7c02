package ledger

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/schedule"
)

// namespaceUUID is the UUID of the DNS name sipgen.airshipit.org: every id here is made of it and of names that stay, so that everybody can
// compute them, and a tree that is rendered again has the same.
var namespaceUUID = uuid5([16]byte{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}, "sipgen.airshipit.org")

// uuid5 is a name's UUID of version 5 in a namespace (RFC 9562, section 5.5).
func uuid5(namespace [16]byte, name string) (id [16]byte) {
	sum := sha1.Sum(append(namespace[:], name...))
	copy(id[:], sum[:])
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return id
}

func format(id [16]byte) string {
	text := hex.EncodeToString(id[:])
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

// HostID is the UUID of a host's resource provider: of "<site>/host/<namespace>/<name>". A host that is made anew under its name has the same.
func HostID(site string, host schedule.HostKey) string {
	return format(uuid5(namespaceUUID, site+"/host/"+host.String()))
}

// ClusterID is the UUID of a cluster as a consumer: of "<site>/cluster/<namespace>/<name>".
func ClusterID(site string, cluster schedule.ClusterKey) string {
	return format(uuid5(namespaceUUID, site+"/cluster/"+cluster.String()))
}

// maxProviderName is the longest name of a resource provider, in characters (Placement API: POST /resource_providers).
const maxProviderName = 200

// ProviderName is the name of a host's resource provider: "sipgen/<site>/<namespace>/<name>". A name that is too long is cut, and ends with
// "~" and the UUID, which no host's name does.
func ProviderName(site string, host schedule.HostKey) string {
	name := fmt.Sprintf("sipgen/%s/%s", site, host)
	if len(name) <= maxProviderName {
		return name
	}
	id := HostID(site, host)
	return name[:maxProviderName-len(id)-1] + "~" + id
}
