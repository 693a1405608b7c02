package render

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/airshipit/sipgen/schedule"
)

// maxName is the longest name of a sync object: engines write it into labels.
const maxName = 63

// accounts are the names of a site's accounts and of their roles, some of which are cluster-scoped.
type accounts struct {
	// hosts is the ServiceAccount that host patches are applied as.
	hosts string
	// reader is the account that sipgen reads a live cluster with, and networkData the role by which it reads network data.
	reader, networkData string
}

// ownAccounts are those of the site.
func (s *site) ownAccounts() accounts {
	prefix := "sipgen-" + s.Site.Name + "-"
	return accounts{prefix + "hosts", prefix + "reader", prefix + "network-data"}
}

// sharedAccounts are those that all sites on an API server shared.
var sharedAccounts = accounts{"sipgen-hosts", "sipgen-reader", "sipgen-network-data"}

func (s *site) rootName() string      { return "sipgen-" + s.Site.Name }
func (s *site) policyName() string    { return "sipgen-" + s.Site.Name + "-policy" }
func (s *site) siteName() string      { return "sipgen-" + s.Site.Name + "-site" }
func (s *site) siteHostsName() string { return "sipgen-" + s.Site.Name + "-hosts" }

// syncName names the sync object of one half of a cluster, "infra" or "hosts". Namespace and name
// are DNS labels without dots, so no two clusters share a name; what is too long is cut and told apart by a digest.
func (s *site) syncName(c schedule.ClusterKey, half string) string {
	return shorten(c.Namespace+"."+c.Name, maxName-len(half)-1) + "." + half
}

func shorten(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	digest := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:limit-9], "-.") + "-" + hex.EncodeToString(digest[:4])
}
