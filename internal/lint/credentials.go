package lint

import "github.com/airshipit/sipgen/internal/finding"

// credentials are those that Flux needs to read the repository by ssh.
func (c *checker) credentials() {
	if c.Site == nil || !c.Site.FluxLacksCredentials() {
		return
	}
	c.site(finding.Credentials, finding.Warning, "spec.flux.secretName",
		"missing: Flux reads the repository over ssh, but has no credentials for it",
		"name the Secret that has them; PLAN.md has the command that makes it")
}
