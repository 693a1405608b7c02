package planmd

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/text"
)

// writeNamespaces lists the namespaces of what is rendered: the engine applies nothing to one that is not there.
func (in In) writeNamespaces(out *bytes.Buffer) {
	names := map[string]bool{}
	for i := range in.Clusters {
		if c := &in.Clusters[i]; c.Rendered && !c.Gone {
			names[c.Key.Namespace] = true
		}
	}
	services := &in.Site.Spec.Services
	for i := range services.Ironic {
		names[services.Ironic[i].Namespace] = true
	}
	for i := range services.VirtualHosts {
		names[services.VirtualHosts[i].Namespace], names[services.VirtualHosts[i].HostNamespace] = true, true
	}
	for i := range services.Placement {
		names[services.Placement[i].Namespace] = true
	}
	for i := range services.Networks {
		names[services.Networks[i].Namespace] = true
	}
	delete(names, "")
	if len(names) == 0 {
		return
	}
	out.WriteString("\n## Namespaces to create\n\nsipgen renders no namespaces. Create each that is missing.\n\n")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(out, "    kubectl create namespace %s\n", text.Line(name))
	}
}
