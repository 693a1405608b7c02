# sipgen: `make demo` shows what it does, `make test` tests it, `make check` runs the rest of the tests.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DELETE_ON_ERROR:

GO       ?= go
TOOL     := $(GO) tool -modfile=$(CURDIR)/tools/go.mod
# Checkouts share compiled packages. What a debugger reads is a sixth of the compiler's time.
export GOFLAGS := $(GOFLAGS) -trimpath -gcflags=all=-dwarf=false
# The race detector and one engine alone need C. With one setting everywhere a package is compiled once.
export CGO_ENABLED := 0
# Where built engines and the demo go; git ignores it.
CACHE    ?= $(CURDIR)/.cache
DEMO     := $(CURDIR)/demo
FUZZTIME ?= 30s
NIGHT    ?= 10m

.PHONY: all build demo demo-site test unit main-path check slow race browser engines rows facts nightly fuzz lint \
	generate golden bench bench-live bench-sync bench-engine release archives release-check image jump-image clean

all: build

build: ## the command, in bin/
	@$(GO) build -o bin/sipgen ./cmd/sipgen

demo: build ## plan and publish examples/two-tenants into a bare repository below demo/
	@bash hack/demo.sh $(CURDIR)/bin/sipgen $(DEMO)

demo-site: build ## plan and publish examples/whole-site, with Ironic and virtual hosts, and say what would happen in which order
	@bash hack/demo-site.sh $(CURDIR)/bin/sipgen $(DEMO)/site

# What go vet finds, lint finds.
UNITS = $$($(GO) list ./... | grep -v -e /e2e -e /hack/)
# What runs Chromium.
BROWSER = ^TestBrowser$$
# Servers and logins of git that few sites have, histories, proposals that others changed, and writers that are killed
# or meet: each starts many processes of git.
GIT_TESTS = TestHTTPProxy TestHTTPS TestHTTPSLogins TestHistory TestHistoryFollowsMoves \
	TestKilledWhilePublishing TestKilledWhileWritingAFolder TestLastChange TestLastChangeOfSomeFiles \
	TestLastChangeWithoutHistory TestLockIsMentioned TestLoopLogsInOnce TestLoopSites TestLoopSitesOverHTTPS \
	TestNotesInFolders TestPackWithoutAnIndex TestProposalOfAnOlderState TestProposalOfAnotherTree \
	TestProposalWithOthersCommits TestRepositoriesWithExtensions TestRivals TestRivalsNotes TestSOCKSProxy TestSSH \
	TestSSHKeys TestSSHSignatureVerifiesInGit TestServersThatWantMultiACK TestSlowServerTimesOut \
	TestStateOfABranchEnds TestTrailer TestTrailerWithoutHistory
# What takes the processor for seconds and changes rarely: make check runs it.
SLOW_TESTS = $(GIT_TESTS) TestABigInventoryIsRead TestBesideIsNoReasonForACommit TestBrokenProgramsAreNoticed \
	TestCommandsOfThePages TestCommitRefusesAndLeavesTheBranch TestDangersAreTheSame TestDemosAreQuiet \
	TestEveryTextIsReadAsATextByAll TestFetchesWhatIsNeeded TestFewComplaints TestFleetIsAsManyRuns \
	TestFleetPublish TestFolderChangeFarDown TestFormerTreeGoesTwice TestHostIsOneSites \
	TestHostIsOneSitesOfManyBranches TestLargeSites TestLastChangeFarDown TestLeakedSecrets \
	TestLongReasonsAreBounded TestLostTree TestMarkedSecretsLeaveNoTrace TestMoveNamespace TestNeverReached \
	TestNoSecretIsPrinted TestNoSecretOfAnAnnotationIsPrinted TestNothingStaysInTheTemporaryFolder TestOlderVersion \
	TestOlderVersionOfFleet TestParseTakesNoMoreThanTwiceForTwice TestRecordOfHardShapes \
	TestRefusedSiteOfManyBranches TestReleasedTrees TestRestoringStops TestRestoringWithoutSha256sum \
	TestSecurityTable TestSizes TestTamperedTrees TestTreesAreReadOnce TestWritesAsTheLibrary
# These start shells and git at each step, or try many inputs for what is said of them.
SLOW_SCRIPTS = access backends badrepo bounds edited fleet foreign hints history history-move history-usage \
	hydrator init inputs kustomizations memory mistakes nested network nextstep night patches propose \
	repository-move review samerepository samesnapshot specsbase status stumbles successor undecodable virtualhosts
SLOW = ^$(call any,$(SLOW_TESTS))$$|^TestScripts$$/^$(call any,$(SLOW_SCRIPTS))$$
# Each package costs the linker a second, also where no test of it is slow. Most tests of the first run one by one.
SLOW_PACKAGES = ./cmd/sipgen ./publish \
	$$(grep -rlE --include='*_test.go' --exclude-dir=.cache '^func $(call any,$(SLOW_TESTS))\(' . | xargs -n1 dirname | sort -u)
# The longest first: they wait more than they compute.
FIRST = ./publish ./cmd/sipgen ./internal/forge
# The tests on engines run the command that they build, which the cache of test results does not see: -count 1.
ENGINES_FIRST = ./e2e ./e2e/services ./e2e/forge
# What has goroutines, or is called from them. The slow tests have none of their own.
RACING = ./publish/internal/wire ./inventory/live ./internal/kustomization ./internal/manifest ./cmd/sipgen/internal/terminal
# In publish and cmd/sipgen nothing but the Sites of a fleet runs side by side, and what waits for a server or a lock.
RACING_TESTS = TestBranch TestConflictAndLoop TestEveryWaitEndsWithTheContext TestFleetPublish TestHostIsOneSites \
	TestHostIsOneSitesOfManyBranches TestHTTPS TestLockIsMentioned TestLoopSites TestRivalsNotes TestSSH
# The main path on real parts: hosts are handed out, used, replaced and let go by way of Flux, and the services answer.
ENGINES = etcd kube-apiserver kube-controller-manager kubectl baremetal-operator kustomize-controller
ROWS = ^TestFluxRows$$/^(release|deleted|failed)$$
SERVICES = ^(TestControlPlaneLoadBalancer|TestWorkerLoadBalancerKeepsThePort|TestJumpHost)$$
# Of the two ways to tell a tenant's API server of Dex, the older one.
LATER_LOGIN = ^TestLoginThroughDexReachesTheTenant$$/^by_the_flags$$
# What engines do by themselves, with files that sipgen did not render: make nightly tests it, and make check if the
# engines differ from those of the last make facts.
FACTS = ^(TestWhatEnginesDo|TestModesOfFiles|TestSteering)$$
MEASURED = sha256sum --check --status e2e/engines/measured
empty :=
space := $(empty) $(empty)
# A landing tests what protects hosts, and each part that sipgen renders on its real engine. These are for make rows,
# which make nightly calls: procedures of the pages that people follow step by step, engines that are killed, locked or
# in another cluster, Cluster API's own programs, releases and images, and what only the tests themselves rest on. Run
# them if you change such a page, hack/, or their tests.
LATER_ROWS = applied-base applied-hosts approved broken-gone disowned free-host habit handover leaving lost \
	machine-elsewhere made-anew named-namespace-moved namespace-moved on-call overlay relabeled repository-moved \
	restarted running-cluster runner several standby-unfit status
LATER_WAVES = broken-gone confined drift namespace-moved parents-gone reordered way-out
LATER_TESTS = TestClusterAPI TestDefinitionBesideSIP TestFleetInWaves TestHostWatchSeesHarm TestImage \
	TestJumpHostImage TestLockedFlux TestNamespaceMovedToAnotherCluster \
	TestPageCommands TestProcedures TestReleaseIsReproducible TestReleasedJumpHost TestRemoteArgo TestRootHangs \
	TestSiteFolders TestTakeover TestTutorial TestTwoEngines TestWholeSiteOnArgoCD
# The largest sizes of contract 32. A landing has that of 5,000 hosts with the commands that take the most.
LATER_SIZES = ^TestSizes$$/^(10,000_clusters|20,000_hosts|5,000_hosts_with_all_commands)$$
any = ($(subst $(space),|,$(strip $1)))
LATER = ^$(call any,$(LATER_TESTS))$$|^Test(Argo|Flux)Rows$$/^$(call any,$(LATER_ROWS))$$|^TestArgoWaves$$/^$(call any,$(LATER_WAVES))$$|$(LATER_LOGIN)

# Tests make more garbage than they keep: collecting it ten times as late takes a quarter off the processor's time.
unit test check rows: export GOGC := 1000

unit: ## the quick loop: everything but the real engines, the project's own tools and what is slow
	$(GO) test $(JSON) -vet=off -timeout 30m $(FIRST) $(UNITS) -skip '$(BROWSER)|$(SLOW)'

main-path: # the main path on real parts
	$(GO) run ./e2e/prepare $(ENGINES)
	$(GO) test $(JSON) -vet=off -count 1 -timeout 30m ./e2e ./e2e/services -run '$(ROWS)|$(SERVICES)'

slow:
	$(GO) test $(JSON) -vet=off -timeout 30m $(SLOW_PACKAGES) -run '$(SLOW)' -skip '$(LATER_SIZES)'
	$(GO) test $(JSON) -vet=off -timeout 30m ./hack/...

race:
	CGO_ENABLED=1 $(GO) test $(JSON) -vet=off -race -timeout 30m $(RACING) -skip '$(SLOW)'
	CGO_ENABLED=1 $(GO) test $(JSON) -vet=off -race -timeout 30m ./publish ./cmd/sipgen -run '^$(call any,$(RACING_TESTS))$$'

browser:
	$(GO) test $(JSON) -vet=off ./internal/picture -run '$(BROWSER)'

engines:
	$(GO) run ./e2e/prepare $(ENGINES) argocd gitea kustomize $$($(MEASURED) || echo source-controller)
	$(GO) test $(JSON) -vet=off -count 1 -timeout 60m $(ENGINES_FIRST) ./e2e/... \
		-skip '$(ROWS)|$(SERVICES)|$(LATER)'"$$($(MEASURED) && echo '|$(FACTS)')"

# What is to be counted.
COUNTED = | $(GO) run ./hack/tally
test check rows: export JSON := -json
# Side by side, what waits and what uses one processor leave less of the processors idle.
BESIDE = MAKE='$(MAKE)' bash hack/beside.sh

test: ## the quick loop, and the main path on real parts; the last line counts the tests
	@$(BESIDE) unit main-path $(COUNTED)

check: ## the rest of a landing: lint, slow units, the race detector, all engines; the last line counts the tests
	@{ $(BESIDE) slow race lint browser && $(MAKE) --no-print-directory --silent engines; } $(COUNTED)

rows: ## procedures of the pages on the engines, releases and images; the last line counts the tests
	@{ $(GO) run ./e2e/prepare \
		&& $(GO) test $(JSON) -vet=off -count 1 -timeout 60m ./e2e ./e2e/services ./e2e/ci ./e2e/forge ./e2e/engine \
			-run '$(LATER)' \
		&& $(GO) test $(JSON) -vet=off ./cmd/sipgen -run '$(LATER_SIZES)'; } $(COUNTED)

facts: ## what Flux and Argo CD do by themselves; e2e/engines/measured keeps for which engines the tests passed
	CI=true $(GO) test ./e2e -count 1 -timeout 30m -run '$(FACTS)'
	sha256sum e2e/engines/kubernetes/go.mod >e2e/engines/measured

nightly: rows facts bench-sync ## rows, engines, every kind of secret in every field, all kills and rivals, and placements against the oracles: each for NIGHT (10m) on random sites
	SIPGEN_CANARIES=all $(GO) test ./cmd/sipgen -count 1 -timeout 2h -run NoSecretIsPrinted
	SIPGEN_NIGHTLY=$(NIGHT) $(GO) test ./publish -count 1 -run 'Killed|Rivals|NothingStays'
	SIPGEN_NIGHTLY=$(NIGHT) $(GO) test ./schedule -count 1 -v -timeout 6h -run Agree
	SIPGEN_NIGHTLY=$(NIGHT) $(GO) test ./schedule/lives -count 1 -v -timeout 6h -run TestLives

fuzz: ## every fuzz target for FUZZTIME each; inputs that fail go to testdata/fuzz
	@bash hack/fuzz.sh $(FUZZTIME)

lint: ## formatting, vet, staticcheck, generated files, known vulnerabilities
	@bash hack/lint.sh

generate: ## CRDs, and the references of commands and fields
	@bash hack/generate.sh

golden: ## render the golden trees again; review the diff
	$(GO) test ./golden -update

bench: ## load, plan, render, publish at several sizes, with allocations
	$(GO) test -run '^$$' -bench . -benchmem -timeout 30m ./schedule/record ./cmd/sipgen

bench-live: ## sipgen and kubectl on 10,000 live hosts, side by side: minutes
	$(GO) test -tags bench ./e2e -run '^TestBenchLive$$' -count 1 -v -timeout 30m

bench-sync: ## how long it takes from a commit to the labels on the hosts, with each engine: a minute
	$(GO) test -tags bench ./e2e -run '^TestHowLong$$' -count 1 -v

bench-engine: ## what Flux and the API server do with many clusters: half an hour; SIPGEN_CLUSTERS=500 for other numbers
	$(GO) test -tags bench ./e2e -run '^TestManyClusters$$' -count 1 -v -timeout 3h

release: archives image ## all of a release, in out/: make release VERSION=v1.2.3

archives: ## archives, bills of materials and SHA256SUMS in out/release: make archives VERSION=v1.2.3
	@bash hack/release.sh '$(VERSION)' out/release

release-check: ## the release of this commit, made twice in two folders, is the same: minutes
	@bash hack/release-check.sh $(VERSION)

image: ## the container image as an OCI layout in out/image, the jump host's in out/jump-image; PUSH=registry/name:tag, PUSH_JUMP=... push them
	@bash hack/image.sh '$(VERSION)' out/image $(PUSH)
	@DEBIAN_CACHE='$(CACHE)/debian' bash hack/jump-image.sh '$(VERSION)' out/jump-image $(PUSH_JUMP)

jump-image: ## the jump host's image alone
	@DEBIAN_CACHE='$(CACHE)/debian' bash hack/jump-image.sh '$(VERSION)' out/jump-image $(PUSH_JUMP)

clean:
	rm -rf bin demo out
