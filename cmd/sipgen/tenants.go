package main

import (
	"errors"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/schedule"
)

func keyOf(c *v1.SIPCluster) schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}
}

// grantable says whether a grant would allow what is wrong: none allows a port beyond the site's range, or makes an image.
func grantable(err error) bool {
	var beyond *admit.BeyondError
	return errors.As(err, &beyond) && (strings.Contains(err.Error(), " grant") || strings.Contains(err.Error(), "may have at most"))
}
