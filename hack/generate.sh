#!/usr/bin/env bash
# Generates config/crd, the same as JSON for sipgen itself, the definition of an Ironic, the references docs/cli.md,
# docs/lint.md, docs/sipcluster.md and docs/site.md, the table of docs/runbooks/host-states.md, and the Dockerfile of the
# jump host's image; with --check says what is not current and changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The definition of an Ironic, from upstream's API module, as its operator's build does, without descriptions. The module with the file cannot be had.
mkdir -p "$work/out/api/upstream/crds"
go tool -modfile="$PWD/tools/go.mod" controller-gen crd:maxDescLen=0 \
  paths=github.com/metal3-io/ironic-standalone-operator/api/v1alpha1 output:crd:dir="$work/ironic"
cp "$work/ironic/ironic.metal3.io_ironics.yaml" "$work/out/api/upstream/crds/ironics.yaml"

# The CRDs that are installed have short descriptions: kubectl apply keeps a second copy of them, in an annotation of limited size.
crds() { # MAXDESCLEN FOLDER
  go tool -modfile="$PWD/tools/go.mod" controller-gen "crd:crdVersions=v1$1" \
    paths=./api/v1/... paths=./api/v1alpha1/... output:crd:dir="$2"
  # A list of unknown form is a string or a list of strings (api/v1.Names): no type, and the bound of the string.
  sed -i '/^ *type: array$/{N;s/type: array\(\n *x-kubernetes-preserve-unknown-fields: true\)$/maxLength: 128\1/;P;D}' \
    "$2"/*.yaml
}
mkdir -p "$work/out/docs/runbooks"
crds ,maxDescLen=300 "$work/out/config/crd"
crds '' "$work/whole"
mkdir -p "$work/out/internal/fields/definitions"
for kind in sipcluster site; do
  go run ./hack/crdjson <"$(echo "$work"/out/config/crd/*_${kind}s.yaml)" >"$work/out/internal/fields/definitions/$kind.json"
done
go run ./hack/clidoc >"$work/out/docs/cli.md"
go run ./hack/findingdoc >"$work/out/docs/lint.md"
go run ./hack/statedoc >"$work/out/docs/runbooks/host-states.md"
go build -o "$work/apidoc" ./hack/apidoc
"$work/apidoc" "$work"/whole/*_sipclusters.yaml examples/single/cluster.yaml >"$work/out/docs/sipcluster.md"
"$work/apidoc" "$work"/whole/*_sites.yaml examples/single/site.yaml >"$work/out/docs/site.md"
mkdir -p "$work/out/images/jump-host"
kubectl=$(go -C e2e/engines/kubernetes list -m -f '{{.Version}}' k8s.io/kubernetes)
(cd hack/image && go run . -print dockerfile "$kubectl") >"$work/out/images/jump-host/Dockerfile"

status=0
for file in $(cd "$work/out" && find . -type f | sort); do
  if [ "${1-}" = --check ]; then
    cmp -s "$work/out/$file" "$file" || { echo "$file is not current: make generate" >&2; status=1; }
  else
    mkdir -p "$(dirname "$file")"
    cp "$work/out/$file" "$file"
  fi
done
exit $status
