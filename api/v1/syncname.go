package v1

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// SyncParts is the parts of a cluster that an engine syncs as objects of their own.
var SyncParts = []string{"infra", "hosts", "rights"}

// SyncName returns the name of the object by which an engine syncs a part of a cluster: "infra", "hosts" or
// "rights". Engines write the name into labels, so it has at most 63 characters. A longer one is cut and gets a
// digest of 32 bits; validation.ValidateHeld refuses the newcomer of two clusters with the same name.
func SyncName(namespace, name, part string) string {
	return Shorten(namespace+"."+name, validation.LabelValueMaxLength-len(part)-1) + "." + part
}

// SyncNameOf is SyncName with the name of a site in front, for sites that share one engine: no two sites have a name in
// common. Where the whole is too long there is a digest of 100 bits in place of namespace and name, which nobody can
// make another cluster's; so two clusters of a site share a name only if they share their SyncName.
func SyncNameOf(site, namespace, name, part string) string {
	switch {
	case site == "":
		return SyncName(namespace, name, part)
	case IsInSyncNameOf(site, namespace, name):
		return site + "." + namespace + "." + name + "." + part
	}
	digest := sha256.Sum256([]byte(namespace + "." + name))
	return site + "-" + strings.ToLower(base32.StdEncoding.EncodeToString(digest[:])[:syncDigest]) + "." + part
}

// IsInSyncNameOf reports whether namespace and name are in the names of a cluster's sync objects. With a site it is the
// same for all parts of the cluster.
func IsInSyncNameOf(site, namespace, name string) bool {
	if site == "" {
		return SyncName(namespace, name, "infra") == namespace+"."+name+".infra"
	}
	return len(site)+len(namespace)+len(name) <= MaxInSyncNameOf
}

const (
	// MaxInSyncNameOf is how many characters a site, a namespace and a name have together at most to be in a name.
	MaxInSyncNameOf = validation.LabelValueMaxLength - len("...rights")
	syncDigest      = 20
	// MaxSiteOfSyncName is how many characters the name of such a site has at most.
	MaxSiteOfSyncName = validation.LabelValueMaxLength - len("-.rights") - syncDigest
)

// IsSyncDigest reports whether the name of a sync object, without its part, has a digest in place of a cluster.
func IsSyncDigest(name string) bool { return syncDigestName.MatchString(name) }

var syncDigestName = regexp.MustCompile(fmt.Sprintf(`^[a-z0-9-]+-[a-z2-7]{%d}$`, syncDigest))

// Shorten cuts a name to limit characters, with a digest of the whole name at the end. Two names can become one.
func Shorten(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	digest := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:limit-9], "-.") + "-" + hex.EncodeToString(digest[:4])
}
