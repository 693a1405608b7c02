package overlay

import (
	"reflect"
	"strings"
	"testing"
)

// What is built is what is written: an overlay without the entry for an image, and one with fewer patches than the tenant has, are refused.
func TestCheckLooksAtWhatIsWritten(t *testing.T) {
	const mirror = "registry.example.org/mirror"
	f := bank(t)
	if _, errs := Check(written(t, f), 0, mirror); len(errs) > 0 {
		t.Errorf("as it is: %v", errs)
	}
	f.Kustomization.Images = f.Kustomization.Images[1:]
	if _, errs := Check(written(t, f), 0, mirror); len(errs) == 0 || !strings.Contains(errs[0].Error(), "registryMirror") {
		t.Errorf("an image from elsewhere: got %v", errs)
	}
	if _, errs := Check(written(t, bank(t)), 1, mirror); len(errs) != 1 || !strings.Contains(errs[0].Error(), "0 patches, want the tenant's 1") {
		t.Errorf("a patch that is not there: got %v", errs)
	}
}

// What Check gives is what is built of the files, with the images of the mirror and with their own names.
func TestCheckGivesWhatIsBuilt(t *testing.T) {
	const mirror = "registry.example.org/mirror"
	with := bank(t).with(operations(balancer, `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`))
	for _, patches := range []int{0, 1} {
		got, errs := Check(written(t, with), patches, mirror)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		want, err := with.Build()
		if err != nil || !reflect.DeepEqual(got.Objects, want) {
			t.Errorf("%d patches: the objects differ from what is built, %v", patches, err)
		}
		own := with
		own.Kustomization.Images = nil
		if want, err = own.Build(); err != nil || patches > 0 && !reflect.DeepEqual(got.OwnImages, want) {
			t.Errorf("%d patches: the objects with their own images differ from what is built without the mirror, %v", patches, err)
		}
		if len(outsideMirror(got.OwnImages, mirror)) == 0 && patches > 0 {
			t.Error("no image has its own name")
		}
	}
}
