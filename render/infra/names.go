package infra

import (
	"maps"
	"strconv"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// Label keys that Kubernetes recommends for every application.
const (
	nameLabel      = "app.kubernetes.io/name"
	instanceLabel  = "app.kubernetes.io/instance"
	componentLabel = "app.kubernetes.io/component"
	partOfLabel    = "app.kubernetes.io/part-of"
	managedByLabel = "app.kubernetes.io/managed-by"
)

// service is one entry of a list of services: its name and labels.
type service struct {
	// list of the spec that the entry is of, and the entry's field path.
	list, path string
	// name of every object of the entry; see v1.ServiceName.
	name string
	// app and component as the SIP operator labeled them.
	app, component string
}

func named(list string, i int, cluster, app, component string) service {
	return service{
		list:      list,
		path:      "spec.services." + list + "[" + strconv.Itoa(i) + "]",
		name:      v1.ServiceName(list, i, cluster),
		app:       app,
		component: component,
	}
}

// selector returns the labels that select the entry's pods. They are those of the SIP operator's Deployments,
// whose selector cannot be changed: an installation of SIP is taken over in place.
func (s service) selector() map[string]string {
	return map[string]string{
		nameLabel:      s.app,
		instanceLabel:  s.name,
		componentLabel: s.component,
		partOfLabel:    "sip",
	}
}

// own returns the label that tells the entry's pods from all others of their namespace: names of services are unique
// there.
func (s service) own() map[string]string { return map[string]string{instanceLabel: s.name} }

// labels returns the selector and who manages the object.
func (s service) labels() map[string]string {
	labels := maps.Clone(s.selector())
	labels[managedByLabel] = "sipgen"
	return labels
}
