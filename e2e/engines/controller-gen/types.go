// Package types keeps the API whose CustomResourceDefinitions are generated in this module's requirements.
package types

import _ "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
