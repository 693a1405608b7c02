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
		for _, entry := range cluster.Entries() {
			switch {
			case entry.Image != "" && mutable(entry.Image):
				c.cluster(finding.Mutable, finding.Warning, cluster, entry.Path+".image",
					fmt.Sprintf("found %q, a tag whose contents change: pods of one Deployment may run different images, and no commit records when it changed", entry.Image),
					"name a version, or a digest (@sha256:…)")
			case entry.Image != "" && c.ByDigest && tagged(entry.Image):
				c.cluster(finding.Undigested, finding.Warning, cluster, entry.Path+".image", undigested(entry.Image),
					"add the digest that you have read")
			}
		}
	}
}

// siteImages finds the Site's own images with a moving tag, and without a digest those that a service or the runner
// uses, defaults among them.
func (c *checker) siteImages() {
	if c.Site == nil {
		return
	}
	images := &c.Site.Spec.Images
	used := c.defaultsUsed()
	check := func(field, image string, used bool) {
		switch {
		case image == "":
		case mutable(image):
			c.site(finding.Mutable, finding.Warning, field,
				fmt.Sprintf("found %q, a tag whose contents change: pods of one Deployment may run different images, and no commit records when it changed", image),
				"name a version, or a digest (@sha256:…)")
		case c.ByDigest && used && tagged(image):
			c.site(finding.Undigested, finding.Warning, field, undigested(image),
				"set "+field+" to the image with the digest that you have read")
		}
	}
	check("spec.images.haproxy", images.HAProxy, used[v1.ListControlPlane] || used[v1.ListWorker])
	check("spec.images.jumpHost", images.JumpHost, used[v1.ListJumpHost])
	check("spec.images.dex", images.Dex, used[v1.ListDex])
	if c.ByDigest && c.Site.Spec.Runner != nil {
		check("spec.runner.image", c.Site.Spec.Runner.Image, true)
	}
}

// defaultsUsed returns the lists of services with an entry that names no image.
func (c *checker) defaultsUsed() map[string]bool {
	used := map[string]bool{}
	for i := range c.Clusters {
		for _, entry := range c.Clusters[i].Entries() {
			list, _, _ := strings.Cut(strings.TrimPrefix(entry.Path, "spec.services."), "[")
			used[list] = used[list] || entry.Image == ""
		}
	}
	return used
}

func undigested(image string) string {
	return fmt.Sprintf("found %q, an image without a digest: users with push access to the registry can replace it", image)
}

func tagged(image string) bool { return !strings.Contains(image, "@") }

// mutable reports whether an image has neither a digest nor a fixed tag: no tag means "latest", and some tags are
// moved by custom.
func mutable(image string) bool {
	_, tag, digest := v1.SplitImage(image)
	if digest != "" {
		return false
	}
	switch tag {
	case "", "latest", "stable", "edge", "nightly", "dev", "devel", "main", "master":
		return true
	}
	return false
}
