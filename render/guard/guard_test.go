package guard

import (
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

func TestCELListKeepsStringsInside(t *testing.T) {
	need.Equal(t, "", celList([]string{`it's`, `back\slash`}), `['it\'s', 'back\\slash']`)
}
