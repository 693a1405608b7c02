package v1alpha1_test

import (
	"fmt"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// A Site is read from a file's text, and has its defaults then.
func ExampleParse() {
	site, err := v1alpha1.Parse("site.yaml", []byte(`
apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: lab}
spec:
  repository: {url: ssh://git@git.example.org/fleet.git}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(site.Name, site.Spec.Engine, site.Spec.Repository.Branch)
	// Output:
	// lab flux main
}
