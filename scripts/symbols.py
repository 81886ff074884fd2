"""The compiler's symbol graphs of modules that are built."""

import functools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build/debug"
# What `import` of a module brings along. HoldfastCore and HoldfastNetwork are never imported by themselves.
EXPORTED = {"Holdfast": ["HoldfastCore", "HoldfastNetwork"]}


def graph(module):
    """The module's public symbols, without those that the compiler derives from other modules' protocols."""
    return graphs(module)[f"{module}.symbols.json"]


def graphs(module, *options):
    """The same, by the names of the files: with some options the compiler writes several."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "swift", "symbolgraph-extract", "-module-name", module, "-I", BUILD / "Modules", "-target", target(),
            "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", folder, *options,
            *(argument for path in c_modules() for argument in ("-Xcc", f"-fmodule-map-file={path}")),
        ]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"No symbol graph of {module}. Build the package first.\n{run.stderr}")
        return {file.name: json.loads(file.read_text()) for file in pathlib.Path(folder).glob("*.symbols.json")}


def kind(symbol):
    return symbol["kind"]["identifier"].removeprefix("swift.")


def is_type(symbol):
    return kind(symbol) in {"class", "struct", "enum", "protocol", "typealias"}


@functools.cache
def c_modules():
    """The maps of the modules in C that the dependencies have. GRDB has SQLite's in several places."""
    sqlite = ROOT / ".build/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap"
    checkouts = (ROOT / ".build/checkouts").glob("*/**/include/module.modulemap")
    return [sqlite, *BUILD.glob("*.build/module.modulemap"), *(path for path in checkouts if "GRDB.swift" not in path.parts)]


@functools.cache
def target():
    information = subprocess.run(["swift", "-print-target-info"], capture_output=True, text=True, check=True)
    return json.loads(information.stdout)["target"]["triple"]
