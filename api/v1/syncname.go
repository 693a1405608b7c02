package v1

import (
	"crypto/sha256"
	"encoding/hex"
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

// Shorten cuts a name to limit characters, with a digest of the whole name at the end. Two names can become one.
func Shorten(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	digest := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:limit-9], "-.") + "-" + hex.EncodeToString(digest[:4])
}
