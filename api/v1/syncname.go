package v1

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// SyncParts are the parts of a cluster that an engine syncs by objects of their own.
var SyncParts = []string{"infra", "hosts", "rights"}

// SyncName names the object by which an engine syncs a part of a cluster: "infra", "hosts" or "rights". Engines write the name into labels,
// and so it has at most 63 characters. Namespace and name are DNS labels without dots, so that names that fit differ. One that is too long is
// cut, with a digest of 32 bits at its end: whoever chooses names can make two of them the same, and validation.ValidateHeld complains about the newcomer.
func SyncName(namespace, name, part string) string {
	return Shorten(namespace+"."+name, validation.LabelValueMaxLength-len(part)-1) + "." + part
}

// Shorten cuts a name that has more than limit characters, and puts a digest of all of it at its end. Two names can become one.
func Shorten(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	digest := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:limit-9], "-.") + "-" + hex.EncodeToString(digest[:4])
}
