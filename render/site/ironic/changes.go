package ironic

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// Changes refuses another database, or none, for an Ironic of the previous tree: Ironic has the state of its hosts
// there. previous has the files of that tree by path.
func Changes(site *v1alpha1.Site, previous map[string][]byte) error {
	var errs []error
	for n := range site.Spec.Services.Ironic {
		i := &site.Spec.Services.Ironic[n]
		was := before(File(i), previous[Folder+"/"+File(i)])
		if was == nil || was.Database == nil {
			continue
		}
		at := fmt.Sprintf("spec.services.ironic[%d]", n)
		switch is := i.Database(); {
		case is == nil:
			errs = append(errs, site.Problem(at+".spec.database",
				"missing: Ironic %s has database %s in the tree, and forgets all hosts without it",
				i.Key(), was.Database.Host))
		case !reflect.DeepEqual(is, was.Database):
			errs = append(errs, site.Problem(at+".spec.database",
				"found another database than Ironic %s has in the tree, %s on %s, and Ironic forgets all hosts with "+
					"it; create an Ironic with another name", i.Key(), was.Database.Name, was.Database.Host))
		}
	}
	return errors.Join(errs...)
}

// before returns the spec of the Ironic in a file that sipgen rendered, nil if there is none. A file with an error
// has none.
func before(name string, content []byte) *v1alpha1.IronicSpec {
	docs, _ := manifest.Parse(name, content)
	for i := range docs {
		var found struct {
			Spec v1alpha1.IronicSpec `json:"spec"`
		}
		if docs[i].Kind == upstream.Ironic.Kind && json.Unmarshal(docs[i].JSON, &found) == nil {
			return &found.Spec
		}
	}
	return nil
}
