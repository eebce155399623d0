"""What TypeScript's own compiler says of references, recorded in `oracle/references.json`, against the names that we tell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.names.ecmascript_names import Names, read

_ORACLE = Path(__file__).parent / "oracle"
_RECORDED: dict[str, dict[str, int]] = json.loads((_ORACLE / "references.json").read_text())


def is_inside(names: Names, owner: int, target: int) -> bool:
    """Tell whether a definition is another one or stands in its body."""
    while owner > 0 and owner != target:
        owner = names.all.definitions[owner].parent
    return owner == target


def first_references(names: Names) -> dict[str, int]:
    """Return the line of the first reference from outside to every definition by `name:line`, 0 for none."""
    definitions = names.all.definitions
    primary: dict[tuple[int, str], int] = {}
    found: dict[str, int] = {}
    keys = []
    for number, definition in enumerate(definitions):
        keys.append(f"{definition.name}:{definition.name_line}")
        primary.setdefault((definition.parent, definition.name), number)
        found.setdefault(keys[-1], 0)
    for use in names.all.uses:
        target = use.target.base
        if target <= 0 or use.kind == "reexport":
            continue
        definition = definitions[target]
        first = primary[definition.parent, definition.name]
        if use.owner == first and target != first and not use.target.steps:
            continue  # declarations of one thing stay together
        if is_inside(names, use.owner, target):
            continue
        key = keys[target]
        found[key] = min(found[key] or use.line, use.line)
    return found


def test_the_recorded_files_are_the_files() -> None:
    assert sorted(path.name for path in (_ORACLE / "files").iterdir()) == sorted(_RECORDED)


@pytest.mark.parametrize("name", sorted(_RECORDED))
def test_every_name_is_referred_to_where_the_compiler_says(name: str) -> None:
    ours = first_references(read((_ORACLE / "files" / name).read_text(), name))
    assert {key: ours.get(key, -1) for key in _RECORDED[name]} == _RECORDED[name]
