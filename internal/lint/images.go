package lint

import (
	"fmt"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
)

// images finds images of services with a moving tag: a pod on another node may run contents that were not reviewed.
// Those of the SIP operator's samples have a warning of their own.
func (c *checker) images() {
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		services := &cluster.Spec.Services
		check := func(list string, n int, image string) {
			if image == "" || v1.SIPImage(list, image) || !mutable(image) {
				return
			}
			c.cluster(finding.Mutable, finding.Warning, cluster, fmt.Sprintf("spec.services.%s[%d].image", list, n),
				fmt.Sprintf("found %q, a tag whose contents change: pods of one Deployment may run different images, and no commit records when it changed", image),
				"name a version, or a digest (@sha256:…)")
		}
		for n := range services.LoadBalancerControlPlane {
			check(v1.ListControlPlane, n, services.LoadBalancerControlPlane[n].Image)
		}
		for n := range services.LoadBalancerWorker {
			check(v1.ListWorker, n, services.LoadBalancerWorker[n].Image)
		}
		for n := range services.JumpHost {
			check(v1.ListJumpHost, n, services.JumpHost[n].Image)
		}
		for n := range services.Dex {
			check(v1.ListDex, n, services.Dex[n].Image)
		}
	}
}

// mutable reports whether an image has neither a digest nor a fixed tag: no tag means "latest", and some tags are
// moved by custom.
func mutable(image string) bool {
	_, tag, tagged := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	if !tagged {
		return true
	}
	switch tag {
	case "latest", "stable", "edge", "nightly", "dev", "devel", "main", "master":
		return true
	}
	return false
}
