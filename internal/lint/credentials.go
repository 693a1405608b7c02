package lint

import "github.com/airshipit/sipgen/api/v1alpha1"

// credentials are those that Flux needs to read the repository by ssh.
func (c *checker) credentials() {
	if c.Site == nil || !c.Site.FluxLacksCredentials() {
		return
	}
	const field = "spec.flux.secretName"
	var place Place
	if doc := c.Site.Document; doc != nil && !noFile(doc.File) {
		place = Place{File: doc.File, Document: doc.Index, Line: doc.LineOf(field)}
	}
	c.add(Finding{codeCredentials, Warning, place, v1alpha1.Kind + " " + c.Site.Name, field,
		"missing: Flux reads the repository over ssh, but has no credentials for it",
		"name the Secret that has them; docs/gitops.md says how to make it"})
}
