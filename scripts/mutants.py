#!/usr/bin/env python3
"""Takes one guard out at a time from a scratch copy, and expects the simulated worlds to notice.

    scripts/mutants.py                      every mutant of Tests/Mutants/mutants.toml
    scripts/mutants.py lane-order page-gap  these
    scripts/mutants.py --check              only whether every mutant still fits the sources
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time

try:
    import tomllib
except ModuleNotFoundError:
    sys.exit("Python 3.11 or newer is needed.")

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".build-mutants"
MUTATED = SCRATCH / ".build/debug/holdfast-lab"
HEALTHY = SCRATCH / ".build/debug/holdfast-lab-healthy"
COPIED = ["Sources", "Lab", "Tests", "examples", "Package.swift"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="the mutants to run; all when none is named")
    parser.add_argument("--seeds", type=int, default=200, help="how many seeds each may take to be caught")
    parser.add_argument("--check", action="store_true", help="apply nothing, build nothing")
    options = parser.parse_args()

    mutants = tomllib.loads((ROOT / "Tests/Mutants/mutants.toml").read_text())["mutant"]
    for mutant in mutants:
        for change in mutant["changes"]:
            mutated(change)
    unknown = set(options.names) - {mutant["name"] for mutant in mutants}
    if unknown:
        sys.exit(f"There is no mutant named {', '.join(sorted(unknown))}.")
    if options.check:
        return print(f"{len(mutants)} mutants fit the sources")

    copy_sources()
    print("Building the scratch copy; the first time takes a few minutes.", flush=True)
    if not build():
        sys.exit("The sources do not build without a mutant.")
    HEALTHY.unlink(missing_ok=True)
    shutil.copy2(MUTATED, HEALTHY)
    healthy = simulate(HEALTHY, ["--seeds", "20"])
    if healthy:
        sys.exit(f"The worlds fail without a mutant: {healthy}")
    chosen = [mutant for mutant in mutants if not options.names or mutant["name"] in options.names]
    width = max(len(mutant["name"]) for mutant in chosen)
    survivors = [mutant["name"] for mutant in chosen if not is_caught(mutant, options.seeds, width)]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutants caught")
    if survivors:
        sys.exit(f"Not caught: {', '.join(survivors)}")


def mutated(change):
    """The file's text with the guard taken out."""
    text = (ROOT / change["file"]).read_text()
    count = text.count(change["find"])
    if count != 1:
        sys.exit(f"{change['file']} has this {count} times; mend Tests/Mutants/mutants.toml:\n{change['find']}")
    return text.replace(change["find"], change["replace"])


def copy_sources():
    """Only what differs is written, so that the build stays incremental."""
    for name in COPIED:
        source = ROOT / name
        for file in [source] if source.is_file() else sorted(source.rglob("*")):
            # An example is a package of its own, and may have been built in its folder.
            if file.is_file() and not {"__pycache__", ".build"} & set(file.relative_to(ROOT).parts):
                write(SCRATCH / file.relative_to(ROOT), file.read_bytes())
    for name in COPIED:
        for file in sorted((SCRATCH / name).rglob("*")):
            if file.is_file() and not (ROOT / file.relative_to(SCRATCH)).exists():
                file.unlink()


def write(file, contents):
    if file.exists() and file.read_bytes() == contents:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(contents)


def is_caught(mutant, seeds, width):
    """Applies a mutant, runs the seeds, and puts the sources back."""
    start = time.monotonic()
    healthy = {change["file"]: (SCRATCH / change["file"]).read_bytes() for change in mutant["changes"]}
    try:
        for change in mutant["changes"]:
            text = (SCRATCH / change["file"]).read_text()
            write(SCRATCH / change["file"], text.replace(change["find"], change["replace"]).encode())
        builds = build()
        built = time.monotonic()
        verdict, caught = judge(mutant, seeds) if builds else ("does not build; mend Tests/Mutants/mutants.toml", False)
    finally:
        for file, contents in healthy.items():
            write(SCRATCH / file, contents)
    seconds = f"{time.monotonic() - built:.0f} s, and {built - start:.0f} s to build"
    print(f"{mutant['name']:{width}}  {verdict}  ({seconds})", flush=True)
    return caught


def judge(mutant, seeds):
    """What the worlds say of a mutant, and whether they caught it: the same seed must pass without it."""
    options = mutant.get("options", [])
    story = simulate(MUTATED, ["--seeds", str(seeds), *options])
    if not story:
        return f"NOT CAUGHT in {seeds} seeds", False
    seed = re.match(r"seed (\d+) ", story)
    if seed and simulate(HEALTHY, ["--seed", seed[1], *options]):
        return f"{story}, AND WITHOUT THE MUTANT TOO", False
    return story, True


def build():
    result = subprocess.run(
        ["swift", "build", "--traits", "Tools", "--product", "holdfast-lab"], cwd=SCRATCH, capture_output=True, text=True)
    if result.returncode != 0:
        print("\n".join(line for line in (result.stdout + result.stderr).splitlines() if "error" in line))
    return result.returncode == 0


def simulate(executable, options):
    """The first seed that fails, and the promise that it broke. None when every promise was kept."""
    result = subprocess.run(
        [executable, "simulate", "--until-failure", *options], capture_output=True, text=True, timeout=1800)
    if result.returncode == 0:
        return None
    story = re.search(r"^seed (\d+):? (broke a promise: .*|two runs differ.*)$", result.stdout, re.MULTILINE)
    if story:
        return f"seed {story[1]} {story[2]}"
    return f"the worlds end with status {result.returncode}"


if __name__ == "__main__":
    shutil.which("swift") or sys.exit("swift is not in PATH.")
    main()
