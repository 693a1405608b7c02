package ironic

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// Changes refuses what may not change in an Ironic of the previous tree: its database, and with one its
// version may not go back. previous gives a file of the tree before by its path.
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
				"found another database than Ironic %s has in the tree, %s on %s: the operator does not "+
					"allow a change; create an Ironic with another name", i.Key(), was.Database.Name, was.Database.Host))
		}
		if older(i.Spec.Version, was.Version) {
			errs = append(errs, site.Problem(at+".spec.version",
				"found %s, and Ironic %s is %s in the tree: its database does not go back", i.Spec.Version,
				i.Key(), was.Version))
		}
	}
	return errors.Join(errs...)
}

// older compares two versions MAJOR.MINOR, of which latest is the newest. One that is neither, or empty, is not
// compared.
func older(version, than string) bool {
	number := func(version string) [2]int {
		n := [2]int{math.MaxInt}
		if version != "latest" {
			if found, err := fmt.Sscanf(version, "%d.%d", &n[0], &n[1]); found != 2 || err != nil {
				return [2]int{}
			}
		}
		return n
	}
	a, b := number(version), number(than)
	return a[0] > 0 && b[0] > 0 && slices.Compare(a[:], b[:]) < 0
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
