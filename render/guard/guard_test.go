package guard

import "testing"

func TestCELListKeepsStringsInside(t *testing.T) {
	if found := celList([]string{`it's`, `back\slash`}); found != `['it\'s', 'back\\slash']` {
		t.Errorf("found %s", found)
	}
}
