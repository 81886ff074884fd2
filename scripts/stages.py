#!/usr/bin/env python3
"""Runs the stages of a tier, and prints a table of what each took and counted: seconds, and those for
which a processor was busy with it.

    scripts/stages.py test                      what a change needs to hold: make test
    scripts/stages.py verify                    the rest of what can be checked without other people's servers: make verify
    scripts/stages.py verify --only 'browser'   the stages whose names contain a text, without what they need first
    scripts/stages.py --list                    each stage, its tier and its commands

A stage writes to .artifacts/logs. Its failure is printed when it happens, and the others run on. A stage that has written nothing
for a quarter of an hour is ended, and the tests that it had begun are named.

Stages that wait for sockets, screens and timers run beside others: STAGES says how many processors each needs. One begins when a
processor is free, in the order of the list.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / ".artifacts/logs"
TRAITS = f"--traits {os.environ.get('HOLDFAST_TRAITS', 'Tools')}"
HOLDFAST = ".build/debug/holdfast"
LAB = ".build/debug/holdfast-lab"
# These wait for real sockets and processes. The others compute on all threads that there are, and some of these keep a thread
# until a process has ended.
REAL_TIME = "^(HoldfastWebSocketTests|HoldfastNetworkTests|HoldfastCommandTests|LabCommandTests|HoldfastCompletionsTests|HoldfastMatrixTests|ExampleTests)"
# The worlds compute for minutes. Beside them a test that takes many small turns waits for each of its turns.
WORLDS = "^SimulationTests"
# These need Google's emulator.
BACKENDS = "^FirestoreTests"
PROCESSORS = 2
# Scripts take the commands that were built, and build nothing. Logs have no colours.
ENVIRONMENT = {**os.environ, "HOLDFAST": str(ROOT / HOLDFAST), "HOLDFAST_LAB": str(ROOT / LAB), "NO_COLOR": "1"}
# How long a stage may be silent, and how long a process has after it was asked to end.
SILENCE = 900
GRACE = 10


@dataclasses.dataclass(frozen=True)
class Stage:
    tier: str
    name: str
    commands: str
    # How many processors it keeps busy. Those of 0 wait for nearly all of their time, and run beside any other.
    processors: int = 2
    # The stages that have passed before it begins.
    after: tuple = ()


def swift_test(options):
    """Runs tests of the root's build. On Linux without SwiftPM, which lets one command at a time use a build, and plans it first."""
    if sys.platform == "darwin":
        return f"swift test {TRAITS} --skip-build {options}"
    return f".build/debug/holdfastPackageTests.xctest --testing-library swift-testing {options}"


UNIT_TESTS = swift_test(f"--skip '{REAL_TIME}|{WORLDS}|{BACKENDS}'")
# With two traits, SwiftPM gives the compiler their names in the order of a set, and another order compiles everything again.
BUILD = f"scripts/setup.sh iproute2 util-linux; SWIFT_DETERMINISTIC_HASHING=1 swift build {TRAITS} --build-tests"
FORMAT = "swift format lint --strict --recursive Sources Lab Tests examples Package.swift"

STAGES = [
    Stage("check", "format", FORMAT, 1),
    Stage("check", "mutants fit", "scripts/mutants.py --check", 1),
    Stage("check", "rules", "scripts/rules.py --check", 1),
    Stage("check", "sizes", "scripts/sizes.py --check", 1),
    Stage("check", "build", BUILD),
    Stage("check", "public symbols", "scripts/api.py --check", 1, after=("build",)),
    Stage("check", "printed blocks", "scripts/printed.py", 1, after=("build",)),
    Stage("check", "unit tests", f"HOLDFAST_DISK_FAULTS=few {UNIT_TESTS}", after=("build",)),
    Stage("check", "worlds", f"scripts/simulate.sh {LAB} 10 1", after=("build",)),

    Stage("test", "format", FORMAT, 1),
    Stage("test", "sizes", "scripts/sizes.py --check", 1),
    Stage("test", "build", BUILD),
    Stage("test", "browser and Synapse", "scripts/browser-environment.sh; scripts/matrix.sh", 0),
    Stage("test", "unit tests", f"HOLDFAST_DISK_FAULTS=few {UNIT_TESTS}", 1, after=("build",)),
    Stage("test", "real-time tests", swift_test(f"--no-parallel --filter '{REAL_TIME}'"), 0, after=("build",)),
    Stage("test", "user stories", "scripts/browser-test.sh -v -m walk", 1, after=("build", "browser and Synapse")),
    Stage("test", "statements", ".build/debug/holdfast-bench statements", 1, after=("build",)),
    Stage("test", "worlds", f"scripts/simulate.sh {LAB} 10 1; scripts/simulate.sh {LAB} 10 $(scripts/fresh-seed.sh)",
          after=("build",)),

    Stage("verify", "build", BUILD),
    Stage("verify", "browser", "scripts/browser-environment.sh", 0),
    Stage("verify", "conformance",
          f"{LAB} conformance --verbose; .build/debug/Forum; .build/debug/Forum --no-replay; ! .build/debug/Forum --fault >/dev/null", 0, after=("build",)),
    Stage("verify", "hostile clients", "scripts/hostile-clients.py", 1, after=("build",)),
    Stage("verify", "browser tests", "scripts/browser-test.sh -v -m 'not walk'", 1, after=("build", "browser")),
    Stage("verify", "mutants fit", "scripts/mutants.py --check", 1),
    Stage("verify", "rules", "scripts/rules.py --check", 1),
    Stage("verify", "public symbols", "scripts/api.py --check", 1, after=("build",)),
    Stage("verify", "printed blocks", "scripts/printed.py --self-test; scripts/printed.py", 1, after=("build",)),
    Stage("verify", "documentation", "scripts/docs.py", 1, after=("build",)),
    Stage("verify", "app's dependencies", "scripts/app-dependencies.sh", 1),
    Stage("verify", "Apple's types", "scripts/type-check-apple.sh", after=("build",)),
    Stage("verify", "start article", "scripts/start.py"),
    Stage("verify", "examples", "scripts/examples.sh"),
    Stage("verify", "kept inputs", "scripts/fuzz.sh --replay", 1, after=("build",)),
    Stage("verify", "fuzzing", "scripts/fuzz.sh 0.5 frames door streams sync"),
    Stage("verify", "views", "scripts/view-test.sh -v", 1, after=("build", "browser")),
    Stage("verify", "disk faults", swift_test("--filter DiskFaultTests"), after=("build",)),
    Stage("verify", "tests of worlds", swift_test(f"--filter '{WORLDS}'"), after=("build",)),
    Stage("verify", "worlds", f"scripts/simulate.sh {LAB} 70 $(($(scripts/fresh-seed.sh) + 10))", after=("build",)),

    Stage("models", "build",
          f"export SWIFT_DETERMINISTIC_HASHING=1; for p in holdfast holdfast-lab ModelChat; do swift build {TRAITS} --product $p; done"),
    Stage("models", "models", "scripts/models.sh", after=("build",)),

    Stage("backends", "build", "scripts/backends.sh build"),
    Stage("backends", "Synapse", "scripts/matrix.sh", 0),
    Stage("backends", "browser", "scripts/browser-environment.sh", 0),
    Stage("backends", "cases on the relay", "scripts/backends.sh cases relay", 0, after=("build",)),
    Stage("backends", "cases on Firestore", "scripts/backends.sh cases firestore", 0, after=("build",)),
    Stage("backends", "cases on Matrix", "scripts/backends.sh cases matrix", 0, after=("build", "Synapse")),
    Stage("backends", "tests on Firestore", "scripts/backends.sh tests", 1, after=("build",)),
    Stage("backends", "Matrix in a browser", "scripts/backends.sh browser matrix", 1, after=("build", "browser", "Synapse")),
    Stage("backends", "Firestore in a browser", "scripts/backends.sh browser firestore", 1, after=("build", "browser")),
    Stage("backends", "two who write", "scripts/backends.sh writers", 1, after=("build",)),
    Stage("backends", "Matrix is killed", "scripts/backends.sh kills", 1, after=("build", "Synapse")),
]


class Run:
    """A stage that has begun, and what came of it."""

    def __init__(self, stage, folder):
        self.stage = stage
        self.log = folder / f"{stage.name.replace(' ', '-')}.log"
        self.began = time.monotonic()
        self.seconds = self.busy = 0
        self.status = None
        self.is_silent = False
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", stage.commands], cwd=ROOT, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True)

    def has_ended(self):
        """Whether it is over. One that is silent for too long is ended."""
        if not self.reap():
            if time.time() - self.log.stat().st_mtime < SILENCE:
                return False
            self.is_silent = True
            self.end()
        self.conclude()
        return True

    def reap(self):
        """Whether its shell has ended: takes its exit code, and the time for which processors were busy with it."""
        if self.status is None:
            process, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if process:
                self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
                self.busy = usage.ru_utime + usage.ru_stime
        return self.status is not None

    def end(self):
        """Ends the stage's processes."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            deadline = time.monotonic() + GRACE
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                pass
            while not self.reap() and time.monotonic() < deadline:
                time.sleep(0.1)

    def conclude(self):
        self.seconds = time.monotonic() - self.began
        text = self.log.read_text(errors="replace")
        self.passed, self.failed, parts = 0, 0, []
        for noun, good, bad in COUNTS:
            numbers, wrong = sum(map(int, good.findall(text))), len(set(bad.findall(text)))
            if not numbers and not wrong:
                continue
            # Swift's runner counts those that failed too.
            right = numbers - wrong if noun == "tests" else numbers
            self.passed, self.failed = self.passed + right, self.failed + wrong
            parts.append(f"{right + wrong:,} {noun}")
        # A filter that names no test finds nothing, and succeeds.
        is_empty = not parts and any(good.search(text) for _, good, _ in COUNTS)
        if self.status != 0 or is_empty:
            self.failed = max(self.failed, 1)
        elif not parts:
            self.passed = 1
        self.counted = ", ".join(parts) or "1 check"

    def explain(self, count):
        """Prints what a person wants to see first of a stage that failed: its last lines, and some of those that tell of a failure."""
        text = self.log.read_text(errors="replace")
        if self.is_silent:
            print(f"\n{self.stage.name} was silent for {SILENCE // 60} minutes, and was ended. Begun, and not finished:")
            print("\n".join(f"  {name}" for name in unfinished(text)))
        lines = text.rstrip("\n").split("\n")
        marked = [line for line in lines[:-count] if MARKED.search(line)]
        print(f"\n{self.stage.name} failed. Its log is {self.log.relative_to(ROOT)}:")
        print("\n".join(marked[:count] + ["…"] * bool(marked) + lines[-count:]), end="\n\n", flush=True)


# What the runners print, and what they count: the noun, a number of what passed, a line for each that failed.
COUNTS = [
    ("tests", re.compile(r"^\S+ +Test run with (\d+) tests?", re.M), re.compile(r"^\S+ +Test (?!run with|case)(.+) failed after", re.M)),
    ("browser tests", re.compile(r"^=*.*?\b(\d+) passed.* in [\d.]+s", re.M), re.compile(r"^(?:FAILED|ERROR) (\S+::\S+)", re.M)),
    ("worlds", re.compile(r"^Seeds: (\d+) passed, \d+ failed", re.M), re.compile(r"^seed (\d+) broke a promise", re.M)),
    ("cases", re.compile(r"^\w+: (\d+) cases passed", re.M), re.compile(r"^  failed: (.+)", re.M)),
]
MARKED = re.compile(r"^✘|error:|^FAILED|^ERROR|broke a promise|^  failed|: failed")


def unfinished(text):
    """The tests that have begun, and not ended."""
    begun = re.findall(r"^\S+ +Test (?!run|case)(.+) started\.$", text, re.M)
    ended = re.findall(r"^\S+ +Test (?!run|case)(.+?) (?:with \d+ test cases? )?(?:passed|failed) after ", text, re.M)
    return [name for name in begun if name not in set(ended)]


class Tier:
    """The stages of a tier, while they run."""

    def __init__(self, stages, folder):
        self.waiting = list(stages)
        self.folder = folder
        self.running, self.ended, self.left_out = [], [], []
        self.began = time.monotonic()

    def run(self):
        """Runs all of them. The exit code."""
        try:
            while self.waiting or self.running:
                self.begin()
                time.sleep(0.2)
                self.show_progress()
                for run in [run for run in self.running if run.has_ended()]:
                    self.running.remove(run)
                    self.ended.append(run)
                    if run.failed:
                        clear_line()
                        run.explain(60)
        except KeyboardInterrupt:
            for run in self.running:
                run.end()
                run.conclude()
            self.ended += self.running
            self.left_out += self.waiting
        return self.conclude()

    def begin(self):
        """Begins what may begin, in the order of the list."""
        names = {stage.name for stage in self.waiting} | {run.stage.name for run in self.running}
        failed = {run.stage.name for run in self.ended if run.failed} | {stage.name for stage in self.left_out}
        busy = sum(run.stage.processors for run in self.running)
        for stage in list(self.waiting):
            if failed.intersection(stage.after):
                self.waiting.remove(stage)
                self.left_out.append(stage)
            elif not names.intersection(stage.after) and (busy < PROCESSORS or not stage.processors):
                busy += stage.processors
                self.waiting.remove(stage)
                clear_line()
                print(f"[{clock(time.monotonic() - self.began)}] {stage.name}", flush=True)
                self.running.append(Run(stage, self.folder))

    def show_progress(self):
        """In a terminal, the newest line of what runs."""
        if not sys.stdout.isatty() or not self.running:
            return
        run = self.running[0]
        with run.log.open("rb") as log:
            log.seek(max(0, run.log.stat().st_size - 2_000))
            lines = log.read().decode(errors="replace").splitlines()
        line = f"[{clock(time.monotonic() - self.began)}] {run.stage.name}: {lines[-1].strip() if lines else ''}"
        print(f"\r\x1b[K{line[:shutil.get_terminal_size().columns - 1]}", end="", flush=True)

    def conclude(self):
        clear_line()
        print(f"\n{'stage':28}{'seconds':>8}{'busy':>8}  counted")
        for run in self.ended:
            print(f"{run.stage.name:28}{run.seconds:8.0f}{run.busy:8.0f}  {run.counted}{f', {run.failed} failed' if run.failed else ''}")
        for stage in self.left_out:
            print(f"{stage.name:28}{'-':>8}{'-':>8}  not run")
        print(f"{'in all':28}{time.monotonic() - self.began:8.0f}{sum(run.busy for run in self.ended):8.0f}\n")
        # Once more, for who reads the end of a long log.
        for run in self.ended:
            if run.failed:
                run.explain(5)
        failed = sum(run.failed for run in self.ended) + len(self.left_out)
        print(f"{sum(run.passed for run in self.ended)} passed, {failed} failed", flush=True)
        return int(failed > 0)


def clock(seconds):
    return f"{int(seconds) // 60:2}:{int(seconds) % 60:02}"


def clear_line():
    if sys.stdout.isatty():
        print("\r\x1b[K", end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tier", nargs="?", choices=list(dict.fromkeys(stage.tier for stage in STAGES)))
    parser.add_argument("--only", default="", help="a part of the names of the stages that run")
    parser.add_argument("--list", action="store_true", help="print the stages")
    parser.add_argument("--real-time", action="store_true", help="print the pattern of the tests that wait for sockets and processes")
    options = parser.parse_args()
    if options.real_time:
        return print(REAL_TIME)
    if options.list:
        for stage in STAGES:
            print(f"{stage.tier:9}{stage.name:28}{stage.commands}")
        return
    stages = [stage for stage in STAGES if stage.tier == options.tier and options.only in stage.name]
    if not stages:
        parser.error("no stage has that name, or no tier was named; --list prints them")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = LOGS / options.tier
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    sys.exit(Tier(stages, folder).run())


if __name__ == "__main__":
    main()
