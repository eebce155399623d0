"""Print `ce/extract/names/data/stdlib_members.json`: the public classes of the standard library of Python with their members.

`members` are lists of members with spaces between, `classes` the number of the list of each.

    python3.13 ce/extract/names/data/generate_stdlib_members.py python3.11 python3.12 > ce/extract/names/data/stdlib_members.json

The interpreters named as arguments are asked as well as the one that runs this; what any of them has is in the table. A class stands
under each public name that it has, with its own members and those of its bases, `object` aside.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import pkgutil
import subprocess
import sys
import warnings

# Importing these does something, or takes long; they have no classes that anyone derives from.
_UNWANTED = frozenset(
    {"antigravity", "this", "idlelib", "lib2to3", "test", "turtledemo", "pip", "setuptools", "ensurepip", "__main__", "pydoc_data"}
)


def main(arguments: list[str]) -> None:
    """Write the table, or with `--one` what this interpreter alone knows."""
    if arguments == ["--one"]:
        print(json.dumps(_known()))
        return
    parts = [
        _known(),
        *(json.loads(subprocess.run([name, __file__, "--one"], capture_output=True, check=True).stdout) for name in arguments),
    ]
    classes: dict[str, set[str]] = {}
    for part in parts:
        for name, members in part["classes"].items():
            classes.setdefault(name, set()).update(members)
    lists = sorted({" ".join(sorted(members)) for members in classes.values()})
    number = {members: at for at, members in enumerate(lists)}
    table = {
        "sources": sorted(part["version"] for part in parts),
        "modules": " ".join(sorted({name for part in parts for name in part["modules"]})),
        "members": lists,
        "classes": {name: number[" ".join(sorted(members))] for name, members in sorted(classes.items())},
    }
    json.dump(table, sys.stdout, indent=0)
    print()


def _known() -> dict[str, object]:
    plain = {*dir(object), "__dict__", "__module__", "__weakref__", "__annotations__", "__slots__", "_abc_impl"}
    modules: list[str] = []
    classes: dict[str, list[str]] = {}
    for name in _module_names():
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                module = importlib.import_module(name)
            except BaseException:  # whatever a module does that this system lacks the means for
                continue
        modules.append(name)
        listed = getattr(module, "__all__", None)
        for member in sorted(set(listed or vars(module)) | set(vars(module))):
            found = vars(module).get(member)
            if member.startswith("_") or not inspect.isclass(found):
                continue
            if listed is not None and member not in listed and found.__module__ != name:
                continue
            classes[f"{name}.{member}"] = sorted(set(dir(found)) - plain)
    return {"version": f"CPython {sys.version.split()[0]}", "modules": modules, "classes": classes}


def _module_names() -> list[str]:
    names = {name for name in sys.stdlib_module_names if not name.startswith("_") and name not in _UNWANTED}
    for name in sorted(names):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                module = importlib.import_module(name)
            except BaseException:
                continue
        for found in pkgutil.walk_packages(getattr(module, "__path__", []), f"{name}.", onerror=lambda _: None):
            parts = found.name.split(".")
            if not any(part.startswith("_") or part in ("test", "tests", "__main__", "idle_test") for part in parts):
                names.add(found.name)
    return sorted({*names, "os.path"})


if __name__ == "__main__":
    main(sys.argv[1:])
