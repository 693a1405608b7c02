// Package placement has the script that loads a site's ledger into OpenStack Placement, for the tests that run it.
package placement

import _ "embed"

// Loader is load.sh.
//
//go:embed load.sh
var Loader []byte
