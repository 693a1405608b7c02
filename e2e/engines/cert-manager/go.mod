module github.com/airshipit/sipgen/e2e/engines/cert-manager

go 1.26.0

// Only the CustomResourceDefinitions in the module's files are used, none of its packages, so that
// go mod tidy would drop the line: after a change run go mod download instead.
require github.com/cert-manager/cert-manager v1.19.1
