# Every target does its own set-up. The Swift toolchain is the one thing that must be there.
SWIFT_FILES = Sources Tests examples Package.swift Benchmarks/Sources
HOLDFAST = .build/debug/holdfast
# An app that depends on the package resolves two others. The command, the tests and the examples need more: this trait.
TRAITS = --traits Tools
# These wait for real sockets and processes, and so have the machine to themselves, one after the other: the others compute
# for minutes, on all threads that there are, and some of these keep a thread until a process has ended.
REAL_TIME = ^(HoldfastWebSocketTests|HoldfastNetworkTests|HoldfastCommandTests|HoldfastCompletionsTests|HoldfastMatrixTests|ExampleTests)
# The worlds compute for minutes. Beside them a test that takes many small turns waits for each of its turns.
WORLDS = ^SimulationTests
# What a test needs that plays with the kernel's network.
NAMESPACE_TOOLS = iproute2 util-linux

.PHONY: demo test check sim conformance backends models torture disk-faults fuzz mutants sanitize bench format docs setup build browser-test
.DEFAULT_GOAL := check

setup:
	@scripts/setup.sh

build: setup
	@echo "Building; the first time takes a few minutes."
	@swift build $(TRAITS) --product holdfast

demo: build
	@$(HOLDFAST) demo $(ARGS)

# Everything: unit tests, simulated worlds, and the demo in a real browser. Worlds that have passed for long find no more,
# so each commit also runs 80 that nobody has seen; a failure prints the command that replays it.
test: build
	@scripts/setup.sh python3 $(NAMESPACE_TOOLS)
	scripts/rules.py --check
	swift build $(TRAITS) --build-tests
	scripts/api.py --check
	scripts/printed.py --self-test
	scripts/printed.py
	@scripts/beside.sh '$(HOLDFAST) conformance' scripts/docs.py scripts/type-check-apple.sh scripts/app-dependencies.sh \
	  scripts/start.py scripts/examples.sh
	swift test $(TRAITS) --skip-build --no-parallel --filter '$(REAL_TIME)'
	swift test $(TRAITS) --skip-build --skip '$(REAL_TIME)|$(WORLDS)'
	swift test $(TRAITS) --skip-build --filter '$(WORLDS)'
	scripts/simulate.sh $(HOLDFAST) 10 1
	scripts/simulate.sh $(HOLDFAST) 80 $$(scripts/fresh-seed.sh)
	scripts/fuzz.sh --replay
	scripts/fuzz.sh 0.5 frames door streams sync
	.build/debug/holdfast-bench statements
	scripts/browser-test.sh
	scripts/view-test.sh

# The inner loop: two or three minutes after the first build. What waits for real time, the tests of worlds, Apple's types and the
# browser are left to make test.
check: build
	swift format lint --strict --recursive $(SWIFT_FILES)
	@scripts/setup.sh python3
	scripts/mutants.py --check
	scripts/rules.py --check
	swift build $(TRAITS) --build-tests
	scripts/api.py --check
	scripts/printed.py
	HOLDFAST_DISK_FAULTS=few swift test $(TRAITS) --skip-build --skip '$(REAL_TIME)|$(WORLDS)'
	scripts/simulate.sh $(HOLDFAST) 10 1

# make sim SEEDS=300, or make sim SEED=162 for one seed's story.
# After the first build it says nothing that differs, so that one seed prints the same bytes each time.
sim: setup
	@echo "Building, then running."
	@if [ -x $(HOLDFAST) ]; then swift build $(TRAITS) --quiet --product holdfast; else $(MAKE) --no-print-directory build; fi
	@$(HOLDFAST) simulate $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),200)) $(ARGS)

# One suite of cases against every transport, under faults, counted by each server's own record, and against the transport of
# examples/Forum, whose planted fault the suite must find. About two minutes;
# make conformance ARGS="--transport relay --verbose" prints each case of one transport.
conformance: build
	@swift build $(TRAITS) --quiet --product Forum
	@$(HOLDFAST) conformance $(ARGS)
ifeq ($(ARGS),)
	@.build/debug/Forum
	@! .build/debug/Forum --fault
endif

# The same suite against real servers, over a network that fails: the relay, Firestore's emulator and Synapse. Needs Java and the
# emulator. About fifteen minutes, of which the first build of gRPC takes up to ten.
backends:
	@scripts/backends.sh $(ARGS)

# The chat in the terminal and the README's program against llama.cpp, with a model of 150 KB, over a network that fails. A minute
# after the first build. ARGS go to pytest.
models:
	@scripts/models.sh $(ARGS)

# Real processes, sockets and signals for MINUTES; then every phone's store is compared with the server's.
torture: build
	@$(HOLDFAST) torture --minutes $(or $(MINUTES),5) $(if $(SEED),--seed $(SEED)) $(ARGS)

# A session with every kind of intent, on a disk that fails or loses the power at each of its writes. About ten minutes;
# make test tries a part of the places.
disk-faults: setup
	swift build $(TRAITS) --build-tests
	HOLDFAST_DISK_FAULTS=all swift test $(TRAITS) --skip-build --filter DiskFaultTests

# Damaged words for every parser of what a server, a client or another app has written, under libFuzzer and Address Sanitizer, for
# MINUTES, which the parsers share. make fuzz MINUTES=5 PARSERS="door sync" tries some of them. make test runs half a minute.
#
# Of the importer's files FILES are imported instead, from the number FROM on, each twice. A million take about an hour. make test
# imports a few hundred. make fuzz FILES=1 FROM=4711 imports one again; .build-fuzz/debug/fuzz-import show 4711 writes it out.
fuzz: setup
ifneq ($(FILES),)
	swift build $(TRAITS) --sanitize=address --scratch-path .build-fuzz --product fuzz-import
	ASAN_OPTIONS=malloc_context_size=1:quarantine_size_mb=8 .build-fuzz/debug/fuzz-import $(FILES) $(or $(FROM),0)
else ifneq ($(MINUTES),)
	@scripts/fuzz.sh $(MINUTES) $(PARSERS)
else
	@echo "How long? make fuzz MINUTES=60 tries every parser; make fuzz FILES=1000000 imports damaged files." >&2; exit 2
endif

# Takes one guard out at a time from a scratch copy: the simulated worlds must notice. About fifteen minutes;
# make mutants ARGS="lane-order page-gap" runs some of them.
mutants: setup
	@scripts/setup.sh python3
	@scripts/mutants.py $(ARGS)

# The tests under Thread Sanitizer, then under Address Sanitizer, each with a build of its own. About an hour.
# make sanitize SANITIZERS=thread runs one of them.
sanitize: setup
	@scripts/setup.sh python3 $(NAMESPACE_TOOLS)
	@for sanitizer in $(or $(SANITIZERS),thread address); do scripts/sanitize.sh $$sanitizer '$(REAL_TIME)' || exit 1; done

bench: setup
	for product in holdfast open-process empty-process; do swift build $(TRAITS) -c release --product $$product || exit 1; done
	swift run $(TRAITS) -c release holdfast-bench $(ARGS)

format:
	swift format format --in-place --recursive $(SWIFT_FILES)

# Pages that open from their folder, .build-docs/html, and from any web server. Fails when DocC has a warning.
docs: setup
	swift build $(TRAITS)
	scripts/docs.py
