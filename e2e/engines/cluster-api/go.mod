module github.com/airshipit/sipgen/e2e/engines/cluster-api

go 1.26.0

// Only the CustomResourceDefinitions in the module's files are used, none of its packages, so that
// go mod tidy would drop the line: after a change run go mod download instead.
require sigs.k8s.io/cluster-api v1.13.4
