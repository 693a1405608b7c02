# sipgen: `make demo` shows what it does, `make test` runs every test there is.
SHELL := /bin/bash
.DELETE_ON_ERROR:

GO       ?= go
TOOL     := $(GO) tool -modfile=$(CURDIR)/tools/go.mod
# Where built engines and the demo go; git ignores it.
CACHE    ?= $(CURDIR)/.cache
DEMO     := $(CURDIR)/demo

.PHONY: all build demo test unit e2e lint generate golden bench clean

all: build

build: ## the command, in bin/
	@$(GO) build -trimpath -o bin/sipgen ./cmd/sipgen

demo: build ## plan and publish examples/two-tenants into a bare repository below demo/
	@bash hack/demo.sh $(CURDIR)/bin/sipgen $(DEMO)

unit: ## the quick loop: everything but the real engines
	$(GO) test $$($(GO) list ./... | grep -v '/e2e')

test: lint ## every test there is
	$(GO) test -race $$($(GO) list ./... | grep -v '/e2e')
	$(GO) test -timeout 40m ./e2e/...

e2e: ## the real engines only
	$(GO) test -timeout 40m -v ./e2e/...

lint: ## formatting, vet, staticcheck, generated files, known vulnerabilities
	@bash hack/lint.sh

generate: ## CRDs and the command reference
	@bash hack/generate.sh

golden: ## render the golden trees again; review the diff
	$(GO) test ./golden -update

bench: ## load, plan, render, publish at several sizes, with allocations
	$(GO) test -run '^$$' -bench . -benchmem ./schedule ./inventory ./render ./publish ./cmd/sipgen

clean:
	rm -rf bin demo
