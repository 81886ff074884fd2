#!/usr/bin/env python3
"""Measures the tree: lines of Swift, conformances of which one is enough, and words that have a common term.

  scripts/sizes.py           prints the measures with their limits
  scripts/sizes.py --check   fails when a measure is above its limit
  scripts/sizes.py --lower   lowers the limits to what is measured

The limits are in scripts/sizes.toml. A change that needs a higher one writes it there, and its commit says why.
"""

import argparse
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMITS = ROOT / "scripts/sizes.toml"
SHIPPED, PROOF, TESTS = ["Sources"], ["Lab"], ["Tests"]
# Words that a reader would have to learn, each with the term that he knows.
WORDS = {
    "told, tells, telling": r"\b(?:told|tells?|telling)\b",
    "handover": r"\b[hH]and-?[oO]vers?\b",
    "departure": r"[dD]epart(?:ure|ed)",
    "fate": r"\b[fF]ates?\b",
    "door": r"[dD]oors?\b",
    "noun": r"\b[nN]ouns?\b",
    "chore": r"[cC]hores?\b",
    "settle": r"\b[sS]ettl(?:e|es|ed|ing)\b",
    "stand": r"\b[sS]tand(?:s|ing|ings)?\b",
    "sift": r"\bsift\w*",
    "goOn": r"\bgoOn\b",
    "carrier": r"Carrier|HTTPExchange",
    "offer": r"\bOffers?\b|Acts\b",
    "in vain, left in peace": r"\bin vain\b|left in peace|makes good",
    "is none, any more": r"\bis none\b|\bany more\b",
}


def sources(*folders):
    """The Swift files of folders, without what is generated or linked."""
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.swift")):
            if ".build" not in file.parts and not file.is_symlink() and not file.name.endswith((".pb.swift", ".grpc.swift")):
                yield file


def lines(*folders):
    return sum(len(file.read_text().splitlines()) for file in sources(*folders))


def count(pattern, *folders):
    """The number of lines that have the pattern."""
    pattern = re.compile(pattern)
    return sum(bool(pattern.search(line)) for file in sources(*folders) for line in file.read_text().splitlines())


def measures():
    everywhere = SHIPPED + PROOF + TESTS
    composers = ["Sources/Holdfast/Engine/Composers"]
    models = [file for file in sources("Sources/Holdfast/Presentation") if file.name.startswith("ComposerModel")]
    yield "lines in Sources", lines(*SHIPPED)
    yield "lines in Sources and Lab", lines(*SHIPPED, *PROOF)
    yield "lines of HoldfastTesting", lines("Sources/HoldfastTesting")
    yield "lines of HoldfastCommand", lines("Sources/HoldfastCommand")
    yield "lines of the composers", lines(*composers) + sum(len(file.read_text().splitlines()) for file in models)
    yield "files of the composers", len(list(sources(*composers))) + len(models)
    yield "lines of the largest module of tests", max(lines(f"Tests/{folder.name}") for folder in (ROOT / "Tests").iterdir() if folder.is_dir())
    yield "imports of the server in the kit", count(r"^import (?:ChatServer|HoldfastRescue)$", "Sources/HoldfastTesting")
    for name in ("CommitGate", "FrameChannel"):
        yield f"conformances to {name}", count(rf"(?:class|struct|actor) [^{{]*:[^{{]*\b{name}\b", *everywhere)
    yield "citations of SPEC", count(r"//.*\bSPEC\b", *everywhere)
    yield "lines over 120 columns", count(r"^.{121}", *everywhere)
    for word, pattern in WORDS.items():
        yield f"lines with {word}", count(pattern, *everywhere)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--lower", action="store_true")
    options = parser.parse_args()
    limits = tomllib.loads(LIMITS.read_text()) if LIMITS.exists() else {}
    found = dict(measures())
    above = [name for name, value in found.items() if value > limits.get(name, 0)]
    if options.lower:
        lowered = {name: min(value, limits.get(name, value)) for name, value in found.items()}
        LIMITS.write_text("".join(f'"{name}" = {value}\n' for name, value in lowered.items()))
    if not options.check:
        for name, value in found.items():
            print(f"{name:40} {value:7,}  limit {limits.get(name, 0):7,}")
    if above and not options.lower:
        sys.exit("\n".join(f"{name}: {found[name]:,}, and the limit is {limits.get(name, 0):,}." for name in above)
                 + "\nMake it smaller, or raise the limit in scripts/sizes.toml and say why in the commit.")
    if options.check:
        print(f"{len(found)} measures are within their limits")


if __name__ == "__main__":
    main()
