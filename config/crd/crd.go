// Package crd is the CustomResourceDefinitions of SIPCluster and Site, as make generate writes them.
package crd

import _ "embed"

// SIPCluster and Site are the definitions as YAML.
var (
	//go:embed airship.airshipit.org_sipclusters.yaml
	SIPCluster []byte
	//go:embed sipgen.airshipit.org_sites.yaml
	Site []byte
)
