package lint

import (
	"fmt"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
)

// images are those of services whose tag is moved to newer contents: a pod that starts elsewhere runs what nobody has reviewed. Those that
// the SIP operator's samples name are warned of apart.
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

// mutable says whether an image has neither a digest nor a tag, which is "latest", or one of the tags that by custom are moved. With a digest
// what stands behind the colon is none of these.
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
