# Every target does its own set-up. The Swift toolchain is the one thing that must be there.
SWIFT_FILES = Sources Lab Tests examples Package.swift
LAB = .build/debug/holdfast-lab
# An app that depends on the package resolves two others. The command, the tests and the examples need more: this trait.
# make backends needs Firestore too: HOLDFAST_TRAITS=Tools,Firestore builds both at once.
TRAITS = --traits $(or $(HOLDFAST_TRAITS),Tools)

.PHONY: demo test verify check sim conformance backends models torture disk-faults fuzz mutants sanitize bench format docs setup build browser-test
.DEFAULT_GOAL := check

setup:
	@scripts/setup.sh

build: setup
	@echo "Building; the first time takes a few minutes."
	@swift build $(TRAITS) --product holdfast-lab

demo: build
	@$(LAB) demo $(ARGS)

# The tiers of checks: scripts/stages.py --list has their stages, and CI runs all but check.
# test: what a change needs to hold: the format, all unit and real-time tests, 20 simulated worlds, and each user story
# in a real browser. The numbers of ten worlds are drawn from the commit, because worlds that have passed for long find
# no more.
# verify: all other checks: the documentation, the printed code, Apple's types, the examples as packages, the tests of worlds and 70
# more worlds, the suite for transports, fuzzing, the other browser tests, and the views.
# check: the inner loop: two or three minutes after the first build.
test verify check: setup
	@scripts/setup.sh python3
	@scripts/stages.py $@

# make sim SEEDS=300, or make sim SEED=162 for one seed's story.
# After the first build it says nothing that differs, so that one seed prints the same bytes each time.
sim: setup
	@echo "Building, then running."
	@if [ -x $(LAB) ]; then swift build $(TRAITS) --quiet --product holdfast-lab; else $(MAKE) --no-print-directory build; fi
	@$(LAB) simulate $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),200)) $(ARGS)

# One suite of cases against every transport, under faults, counted by each server's own record, and against the transport of
# examples/Forum, with a socket that replays and one that does not, and a planted fault that the suite must find. A few minutes;
# make conformance ARGS="--transport relay --verbose" prints each case of one transport.
conformance: build
	@swift build $(TRAITS) --quiet --product Forum
	@$(LAB) conformance $(ARGS)
ifeq ($(ARGS),)
	@.build/debug/Forum
	@.build/debug/Forum --no-replay
	@! .build/debug/Forum --fault
endif

# backends: the same suite against real servers, over a network that fails: the relay, Firestore's emulator and Synapse. Needs Java
# and the emulator. The first build has gRPC, which takes minutes. ARGS="--only matrix --case file" runs some cases on one server.
# models: the chat in the terminal and the README's program against llama.cpp, with a model of 150 KB, over a network that fails. ARGS
# go to pytest.
backends models: setup
ifeq ($(ARGS),)
	@scripts/setup.sh python3
	@scripts/stages.py $@
else
	@scripts/$@.sh $(ARGS)
endif

# Real processes, sockets and signals for MINUTES; then every phone's store is compared with the server's.
torture: build
	@$(LAB) torture --minutes $(or $(MINUTES),5) $(if $(SEED),--seed $(SEED)) $(ARGS)

# A session with every kind of intent, on a disk that fails or loses the power at each of its writes. About ten minutes;
# make verify tries a part of the places, make test a few.
disk-faults: setup
	swift build $(TRAITS) --build-tests
	HOLDFAST_DISK_FAULTS=all swift test $(TRAITS) --skip-build --filter DiskFaultTests

# Damaged words for every parser of what a server, a client or another app has written, under libFuzzer and Address Sanitizer, for
# MINUTES, which the parsers share. make fuzz MINUTES=5 PARSERS="door sync" tries some of them. make verify runs half a minute.
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
	@scripts/setup.sh python3 iproute2 util-linux
	@for sanitizer in $(or $(SANITIZERS),thread address); do \
	  scripts/sanitize.sh $$sanitizer "$$(scripts/stages.py --real-time)" || exit 1; \
	done

bench: setup
	for product in holdfast open-process empty-process; do swift build $(TRAITS) -c release --product $$product || exit 1; done
	swift run $(TRAITS) -c release holdfast-bench $(ARGS)

format:
	swift format format --in-place --recursive $(SWIFT_FILES)

# Pages that open from their folder, .build-docs/html, and from any web server. Fails when DocC has a warning.
docs: setup
	swift build $(TRAITS)
	scripts/docs.py
