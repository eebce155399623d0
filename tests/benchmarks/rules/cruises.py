"""The rules of dependency-cruiser as those of our manual, and what both say about one tree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.rules.contracts import Run

__all__ = ["RULES", "Cruise", "blocks", "configuration", "judged_by_manual", "read_report"]

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "from-import-linter.md"

Cruise = Mapping[str, Any]

# Our block, the name of its assertion, and the columns that a violation of dependency-cruiser has too.
RULES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "from_to": ("not_to_pages", ("F", "G")),
    "no_circular": ("no_circular", ("F", "G")),
    "no_orphans": ("no_orphans", ("F",)),
    "not_reachable": ("not_reachable", ("F", "G")),
    "must_be_reachable": ("must_be_reachable", ("G",)),
    "unresolvable": ("not_to_unresolvable", ("F", "S")),
    "deprecated_core": ("no_deprecated_core", ("F", "S")),
}

# What a project writes for itself.
_FILLED_IN = frozenset({"module", "from", "to"})


def blocks() -> dict[str, str]:
    """Return the blocks of the manual by title."""
    return dict(re.findall(r"```prolog title=(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))


def rules_of(rule: str, cruise: Cruise) -> str:
    """Return the rules file that says one rule about a tree."""
    found = blocks()
    paragraphs = [paragraph for block in ("imports", rule) for paragraph in found[block].split("\n\n")]
    text = "\n\n".join(paragraph for paragraph in paragraphs if not _fills_in(paragraph))
    text = re.sub(r"punycode\|domain\|sys\|querystring", cruise["core"], text)
    return "\n".join([text, *_facts(rule, cruise), ""])


def _fills_in(paragraph: str) -> bool:
    heads = re.findall(r"^(\w+)\(", paragraph, re.MULTILINE)
    return bool(heads) and _FILLED_IN.issuperset(heads)


def _facts(rule: str, cruise: Cruise) -> Iterator[str]:
    code = "[.]([cm]?[jt]sx?|vue|svelte)$"
    yield f'module(F) :- file(F), path_of(F, P), starts_with(P, "{cruise["src"]}"), matches(P, "{code}").'
    ends = {
        "from_to": (cruise["from"], cruise["to"]),
        "not_reachable": (cruise["reach_from"], cruise["reach_to"]),
        "must_be_reachable": (cruise["main"], cruise["src"]),
    }
    for head, path in zip(("from(F)", "to(F)"), ends.get(rule, ()), strict=False):
        yield f'{head} :- file(F), path_of(F, P), starts_with(P, "{path}").'


def judged_by_manual(rule: str, cruise: Cruise, tree: Path, run: Run) -> set[tuple[str, ...]]:
    """Return what the rule of the manual says about the tree, by the columns that both tools have."""
    (tree / "cruise.rules").write_text(rules_of(rule, cruise), encoding="utf-8")
    name, columns = RULES[rule]
    found = set()
    for goal in run(["rules", str(tree), "--file", "cruise.rules", "--format", "json"])["goals"]:
        if goal["name"] == name:
            for answer in goal["answers"]:
                value = dict(zip(goal["columns"], answer["values"], strict=True))
                found.add(tuple(str(value[column]) for column in columns))
    return found


def configuration(cruise: Cruise) -> dict[str, Any]:
    """Return the configuration of dependency-cruiser that asks the same."""
    begins = {key: f"^{re.escape(value)}" for key, value in cruise.items() if isinstance(value, str)}
    forbidden: list[dict[str, Any]] = [
        {"name": "from_to", "from": {"path": begins["from"]}, "to": {"path": begins["to"]}},
        {"name": "no_circular", "from": {}, "to": {"circular": True}},
        {"name": "no_orphans", "from": {"orphan": True}, "to": {}},
        {"name": "not_reachable", "from": {"path": begins["reach_from"]}, "to": {"path": begins["reach_to"], "reachable": True}},
        {"name": "must_be_reachable", "from": {"path": begins["main"]}, "to": {"path": begins["src"], "reachable": False}},
        {"name": "unresolvable", "from": {}, "to": {"couldNotResolve": True}},
        {"name": "deprecated_core", "from": {}, "to": {"dependencyTypes": ["core"], "path": f"^({cruise['core']})$"}},
    ]
    options = {
        "tsPreCompilationDeps": True,
        "detectJSDocImports": True,
        "doNotFollow": {"path": f"^(?!{begins['src'][1:]})"},
        "enhancedResolveOptions": {"exportsFields": ["exports"], "conditionNames": ["import", "require", "node", "default", "types"]},
    }
    return {"forbidden": [{"severity": "error", **rule} for rule in forbidden], "options": options}


def read_report(text: str, src: str) -> dict[str, set[tuple[str, ...]]]:
    """Return what dependency-cruiser says, by rule, about the modules that are cruised.

    It searches a circle by visiting every module once, and so does not tell every import on one; `on_circles` are those that are on one
    by the imports that it sees.
    """
    found: dict[str, set[tuple[str, ...]]] = {rule: set() for rule in RULES}
    imports: set[tuple[str, str]] = set()
    for module in json.loads(text)["modules"]:
        source = module["source"]
        if not source.startswith(src):
            continue
        for rule in module.get("rules", ()):
            if rule["name"] in ("no_orphans", "must_be_reachable"):
                found[rule["name"]].add((source,))
        for reached in module.get("reaches", ()):
            found["not_reachable"] |= {(source, end["source"]) for end in reached["modules"]}
        for dependency in module["dependencies"]:
            if dependency["resolved"].startswith(src):
                imports.add((source, dependency["resolved"]))
            for rule in dependency.get("rules", ()):
                is_named = rule["name"] in ("unresolvable", "deprecated_core")
                named = dependency.get("protocol", "") + dependency["module"]
                found[rule["name"]].add((source, named if is_named else dependency["resolved"]))
    return found | {"on_circles": _on_circles(imports)}


def _on_circles(imports: set[tuple[str, str]]) -> set[tuple[str, ...]]:
    followers: dict[str, set[str]] = {}
    for importer, imported in imports:
        followers.setdefault(importer, set()).add(imported)
    reached = {start: _reached(start, followers) for start in followers}
    return {(one, other) for one, other in imports if one != other and one in reached.get(other, ())}


def _reached(start: str, followers: Mapping[str, set[str]]) -> set[str]:
    seen, pending = {start}, [start]
    while pending:
        new = followers.get(pending.pop(), set()) - seen
        seen |= new
        pending += new
    return seen
