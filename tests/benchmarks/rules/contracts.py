"""Contracts of import-linter as our rules, and what both tools say about one package.

The rules are the shipped files: the paragraphs that name the directories of a project are taken out, those of the contract put in.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = [
    "RULES",
    "Contract",
    "Import",
    "Judgement",
    "Run",
    "command_of",
    "judged_by_import_linter",
    "judged_by_rules",
    "module_of",
    "rules_of",
]

REPOSITORY = Path(__file__).parents[3]

# Contract type to the shipped file that says it, and the predicates by which a project fills it in.
RULES: Mapping[str, tuple[str, frozenset[str]]] = {
    "layers": ("layers.rules", frozenset({"layer", "exempt"})),
    "forbidden": ("forbidden.rules", frozenset({"kept_apart", "out_of_bounds", "exempt", "forbidden_package"})),
    "independence": ("independence.rules", frozenset({"parent_of_independent", "sibling", "within", "part", "exempt"})),
    "protected": ("protected.rules", frozenset({"protected", "allowed", "allowed_by_place", "around_internal"})),
    "private_modules": ("privacy.rules", frozenset({"exempt"})),
    "acyclic_siblings": ("acyclic-siblings.rules", frozenset({"ancestor"})),
}

# import-linter sees the modules of the root package alone, without stubs and without packages that have no `__init__.py`.
_SEEN = """
seen(F, L, G) :- written(F, L, G), module(F), module(G).
module(F) :- in(F, "{package}/**/*.py"), in_dir(F, D), regular(D).
regular(D) :- in(F, "{package}/__init__.py"), in_dir(F, D).
regular(D) :- regular(P), parent(D, P), in_dir(F, D), base_of(F, "__init__.py").
"""

# Importer, imported, line.
Import = tuple[str, str, int]
Contract = Mapping[str, object]
Link = Mapping[str, Any]

# Runs `ce` with these words and returns the JSON document that it prints.
Run = Callable[[list[str]], dict[str, Any]]


@dataclass(slots=True)
class Judgement:
    """What a tool says: imports that break the contract themselves, and ways through other modules.

    A way is (importer, line, first module on it, module at its end). import-linter tells some of all there are; `cut` are the links of
    those. `cycles` are the packages whose children go in a circle. `imports` are all that were looked at, and `stops` the modules at
    which a way ends; both of our side alone.
    """

    direct: set[Import] = field(default_factory=set)
    ways: set[tuple[str, int, str, str]] = field(default_factory=set)
    cut: set[tuple[str, str]] = field(default_factory=set)
    cycles: set[str] = field(default_factory=set)
    imports: set[tuple[str, str]] = field(default_factory=set)
    stops: set[str] = field(default_factory=set)


def module_of(path: str) -> str:
    """Return the dotted name of a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def rules_of(contract: Contract, tree: Path) -> str:
    """Return the rules file of a contract over the package in `tree`."""
    name, filled_in = RULES[str(contract["type"])]
    text = (REPOSITORY / "rules" / name).read_text(encoding="utf-8")
    kept = [paragraph for paragraph in text.split("\n\n") if not _defines(paragraph, filled_in)]
    facts = list(_facts(contract, tree))
    program = "\n\n".join(kept).replace("    written(", "    seen(")
    return "\n".join([program, _SEEN.format(package=contract["package"]), *facts, ""])


def _defines(paragraph: str, predicates: frozenset[str]) -> bool:
    heads = re.findall(r"^(\w+)\(", paragraph, re.MULTILINE)
    return bool(heads) and predicates.issuperset(heads)


def _facts(contract: Contract, tree: Path) -> Iterator[str]:
    kind = contract["type"]
    if kind == "layers":
        layers = _texts(contract["layers"])
        for height, module in zip(range(len(layers), 0, -1), layers, strict=True):
            yield from _places(f"layer(F, {height})", module, tree)
        yield "exempt(F) :- file(F), 1 > 2."
    elif kind == "forbidden":
        for module in _texts(contract["source_modules"]):
            yield from _places("kept_apart(F)", module, tree)
        outside = []
        for module in _texts(contract["forbidden_modules"]):
            if (tree / module.partition(".")[0]).is_dir():
                yield from _places("out_of_bounds(F)", module, tree)
            else:
                outside.append(module)
        if outside:
            yield f'forbidden_package(F, S) :- site(F, _, _, S), kept_apart(F), matches(S, "^({"|".join(outside)})($|\\.)").'
            yield "out_of_bounds(F) :- file(F), 1 > 2."
        else:
            yield "forbidden_package(F, S) :- site(F, _, _, S), 1 > 2."
        yield "exempt(F) :- file(F), 1 > 2."
    elif kind == "independence":
        for module in _texts(contract["modules"]):
            yield from _places(f'part(F, "{module}")', module, tree)
        yield "exempt(F) :- file(F), 1 > 2."
    elif kind == "protected":
        for module in _texts(contract["protected_modules"]):
            yield from _places("protected(F)", module, tree)
        for module in (*_texts(contract["protected_modules"]), *_texts(contract["allowed_importers"])):
            yield from _places("allowed(F)", module, tree)
        yield "allowed_by_place(F, F) :- file(F)."
    elif kind == "private_modules":
        yield "exempt(F) :- file(F), 1 > 2."
    else:
        for module in _texts(contract["ancestors"]):
            yield f'ancestor(P) :- in(F, "{module.replace(".", "/")}/**"), in_dir(F, P).'


def _places(head: str, module: str, tree: Path) -> Iterator[str]:
    path = module.replace(".", "/")
    yield f'{head} :- in(F, "{path}/**").' if (tree / path).is_dir() else f'{head} :- in(F, "{path}.py").'


def judged_by_rules(contract: Contract, tree: Path, run: Run) -> Judgement:
    """Return what `ce rules` says about the contract in the tree."""
    (tree / "contract.rules").write_text(rules_of(contract, tree), encoding="utf-8")
    common = [str(tree), "--file", "contract.rules", "--format", "json"]
    found = Judgement()
    for goal in run(["rules", *common])["goals"]:
        for answer in goal["answers"]:
            _note(found, goal["columns"], answer["values"])
    if contract.get("allow_indirect_imports"):
        found.ways.clear()
    found.imports = {(module_of(row[0]), module_of(row[1])) for row in _asked("seen(F, _, G)", common, run)}
    if found.ways:
        found.stops = {module_of(row[0]) for row in _asked(_STOPS[str(contract["type"])], common, run)}
    return found


# Which modules a way does not pass.
_STOPS = {"layers": "layer(F, _)", "independence": "part(F, _)", "forbidden": "(kept_apart(F); out_of_bounds(F))"}


def _asked(question: str, common: list[str], run: Run) -> list[list[str]]:
    (goal,) = [goal for goal in run(["query", question, *common])["goals"] if goal["kind"] == "query"]
    return [answer["values"] for answer in goal["answers"]]


def command_of(ce: str) -> Run:
    """Return how to run the command of that name."""

    def run(words: list[str]) -> dict[str, Any]:
        done = subprocess.run([ce, *words, "--max-rows", "50000000"], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
        document: dict[str, Any] = json.loads(done.stdout)
        assert document["degraded"] is None, document["degraded"]
        return document

    return run


def _note(found: Judgement, columns: list[str], values: list[str | int]) -> None:
    value = dict(zip(columns, values, strict=True))
    importer, line = module_of(str(value["F"])), int(value["L"])
    if "H" in value:
        found.ways.add((importer, line, module_of(str(value["H"])), module_of(str(value["G"]))))
    else:
        imported = str(value["S"]).partition(".")[0] if "G" not in value else module_of(str(value["G"]))
        found.direct.add((importer, imported, line))
    if "P" in value:
        found.cycles.add(str(value["P"]).replace("/", "."))


def judged_by_import_linter(contract: Contract) -> Judgement:
    """Return what import-linter says about the contract in the package that this interpreter finds."""
    from importlinter.application import use_cases
    from importlinter.application.user_options import UserOptions

    options = {key: value for key, value in contract.items() if key != "package"} | {"name": "contract", "id": "contract"}
    options = {key: str(value) if isinstance(value, bool) else value for key, value in options.items()}
    importlib.import_module("importlinter.api")  # which sets up how graphs are built
    # With the packages outside, a namespace package inside would pass for one of them under the name of the root.
    outside = any(not name.startswith(f"{contract['package']}.") for name in _texts(contract.get("forbidden_modules", [])))
    session: dict[str, object] = {"root_packages": [contract["package"]], "include_external_packages": str(outside)}
    session["contract_types"] = [f"{contract['type']}: importlinter.contracts.{contract['type']}.{_class_of(str(contract['type']))}"]
    report = use_cases.create_report(UserOptions(session_options=session, contracts_options=[options]), cache_dir=None)
    ((_, check),) = report.get_contracts_and_checks()
    found = Judgement()
    for links in _chains(check.metadata):
        _add_chain(found, _told_once(links, contract) if contract["type"] == "forbidden" else links)
    for package, breakers in check.metadata.get("cycle_breakers_by_package", {}).items():
        found.cycles.add(package)
        found.cut |= set(breakers)
    return found


def _class_of(kind: str) -> str:
    return "".join(word.title() for word in kind.split("_")) + "Contract"


def _chains(metadata: Mapping[str, Any]) -> Iterator[list[Link]]:
    """Yield each way that import-linter tells as a list of links; several first or last links stand for as many ways."""
    for links in metadata.get("illegal_imports", ()):
        if "illegal_links" in getattr(links, "__dict__", {}):
            yield from ([link] for link in links.illegal_links)
        else:
            yield [links]
    for pair in (*metadata.get("invalid_dependencies", ()), *metadata.get("invalid_chains", ())):
        for chain in pair.get("routes", pair.get("chains", ())):
            if isinstance(chain, list):
                yield chain
            elif len(chain["chain"]) == 1:
                yield chain["chain"]
                yield from ([link] for link in (*chain["extra_firsts"], *chain["extra_lasts"]))
            else:
                middle = chain["chain"][1:-1]
                for first in (chain["chain"][0], *chain["extra_firsts"]):
                    for last in (chain["chain"][-1], *chain["extra_lasts"]):
                        yield [first, *middle, last]


def _told_once(links: list[Link], contract: Contract) -> list[Link]:
    """Return the end of a way that begins at the last source on it: our rule tells a way that passes another source at that source."""
    sources, targets = (tuple(_texts(contract[key])) for key in ("source_modules", "forbidden_modules"))
    end = next(position for position, link in enumerate(links) if _within(str(link["imported"]), targets))
    start = max(position for position, link in enumerate(links[: end + 1]) if _within(str(link["importer"]), sources))
    return links[start : end + 1]


def _within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _add_chain(found: Judgement, links: list[Link]) -> None:
    first, last = links[0], links[-1]
    lines: Iterable[int] = first["line_numbers"]
    for line in lines:
        if len(links) == 1:
            found.direct.add((str(first["importer"]), str(first["imported"]), line))
        else:
            found.ways.add((str(first["importer"]), line, str(first["imported"]), str(last["imported"])))
            found.cut |= {(str(link["importer"]), str(link["imported"])) for link in links}


def _texts(value: object) -> list[str]:
    assert isinstance(value, list)
    return [str(each) for each in value]
