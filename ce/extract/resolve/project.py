"""Whether a tree is an application or a library, and what says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.context import Context, base_name, directory_of
from ce.extract.resolve.java.builds import BUILD_FILES, publishes, starts_program
from ce.extract.resolve.python.metadata import read_metadata
from ce.extract.resolve.rockspecs import read_rockspec
from ce.extract.resolve.roles import in_test_directory
from ce.facts.manifests import json_document, table, tables, text_at, toml_document

__all__ = ["project_kind"]

_NO_PRODUCT = ("examples/", "docs/", "doc/", "benchmarks/", "benches/", "samples/", "demos/")


def project_kind(context: Context) -> tuple[str, str]:
    """Return `application` or `library` and what decided it, in words with the place.

    The settings decide. Otherwise a tree whose packaging metadata declares no scripts is a library, every other tree an application;
    the metadata of tests, samples and documentation says nothing about the tree.
    """
    if context.inputs.project_kind:
        return context.inputs.project_kind, "`[project] kind` in ce.toml"
    packaged = ""
    for path in sorted(context.manifests, key=lambda path: (path.count("/"), path)):
        if in_test_directory(path) or path.startswith(_NO_PRODUCT):
            continue
        for says in _scripts(context, path):
            if says:
                return "application", says
            packaged = packaged or path
    if packaged:
        return "library", f"{packaged} declares no scripts"
    return "application", "no packaging metadata"


def _is_program(context: Context, path: str) -> bool:
    """Return whether the Go file belongs to a program that is part of the product."""
    if context.files[path] != "go" or path not in context.extractions or path.endswith("_test.go"):
        return False
    extra = context.extractions[path].extra
    return extra.get("package") == "main" and "ignored" not in extra and not in_test_directory(path) and not path.startswith(_NO_PRODUCT)


def _scripts(context: Context, path: str) -> Iterator[str]:
    """Yield what a packaging manifest declares to run, or one empty text when it declares nothing; nothing for another file."""
    name = base_name(path)
    data = context.manifests[path]
    ignored: list[str] = []
    if name in ("pyproject.toml", "setup.cfg", "setup.py"):
        found = read_metadata(directory_of(path), {path: data}, ignored)
        scripts = [script for script in found.scripts if script.group in ("console_scripts", "gui_scripts")]
        if scripts:
            yield f"{scripts[0].at} declares the script `{scripts[0].name}`"
        elif found.packaged:
            yield ""
    elif name == "package.json":
        document = json_document(data, path, ignored)
        if document.get("bin"):
            yield f"{path} declares `bin`"
        elif document.get("name") and document.get("private") is not True:
            yield ""
    elif name == "Cargo.toml":
        document = toml_document(data, path, ignored)
        main = directory_of(path) + "/src/main.rs"
        if tables(document.get("bin")) or context.exists(main.lstrip("/")):
            yield f"{path} has a binary target"
        elif text_at(document, "package", "name") or table(document, "lib"):
            yield ""
    elif name == "go.mod":
        program = next((path for path in context.below(directory_of(path)) if _is_program(context, path)), None)
        yield f"{program} belongs to a program" if program is not None else ""
    elif name.endswith(".rockspec"):
        yield f"{path} installs programs" if read_rockspec(data, path).programs else ""
    elif name in BUILD_FILES:
        if starts_program(context, path):
            yield f"{path} makes a program"
        elif publishes(context, path):
            yield ""
    elif name.endswith(".cabal"):
        if re.search(rb"(?mi)^executable\s", data):
            yield f"{path} has an executable"
        else:
            yield ""
    elif name == "DESCRIPTION" and data.startswith(b"Package:"):
        yield ""
