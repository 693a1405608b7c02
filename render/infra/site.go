package infra

import (
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// SiteObjects renders what is needed once per site.
func SiteObjects(site *v1alpha1.Site, clusters []v1.SIPCluster) (map[string][]byte, error) {
	return nil, nil
}
