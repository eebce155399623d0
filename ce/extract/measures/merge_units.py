"""The copied functions of one file as terms, with what a merge has to know of their surroundings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ce.extract.languages import LANGUAGES, language_spec
from ce.extract.measures.module_names import module_names
from ce.extract.measures.positions import Position, Role, Zone, named_leaves, start, table_of
from ce.extract.measures.queries import captured
from ce.extract.measures.terms import Term, Terms
from ce.extract.parsing import Parsed, parse
from ce.extract.registry import language_of
from ce.source.text import decode

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["MAX_UNIT_NODES", "MergeUnit", "UnitReader", "Wanted"]

MAX_UNIT_NODES = 20_000
_MARK = re.compile(r"(.*) \((\d+)\)", re.DOTALL)
Wanted = tuple[int, int, str]  # first line, last line, key


@dataclass(frozen=True, slots=True, eq=False)
class MergeUnit:
    """A function as it stands in its file.

    `language` names its position table, `text` is that of the file, `comments` are the spans that are no code. `home` tells the class or
    the like around it by file and line (empty: none). `names` are those of the module with what they mean, `enclosing` those that
    functions around it bind. `is_broken` says that the parser found faults in it.
    """

    language: str
    term: Term
    text: bytes
    comments: tuple[tuple[int, int], ...]
    home: str
    names: Mapping[str, str]
    enclosing: frozenset[str]
    is_broken: bool


class UnitReader:
    """Reads functions out of files; terms of one language are comparable."""

    def __init__(self) -> None:
        """Begin with no terms."""
        self._terms: dict[str, Terms] = {}

    def read(self, path: str, data: bytes, wanted: Sequence[Wanted]) -> tuple[MergeUnit | str, ...]:
        """Return the wanted functions of a file, each as it is or why it cannot be had."""
        row = language_of(path, data[:256])
        source = decode(data)
        if row is None or row.language not in LANGUAGES or source.is_binary:
            return tuple("unread" for _ in wanted)
        parsed = parse(path, language_spec(row.language), source.text_bytes)
        if not isinstance(parsed, Parsed) or parsed.tree is None:
            return tuple("unread" for _ in wanted)
        kinds = tuple(dict.fromkeys(unit.node for unit in parsed.spec.units if unit.kind == "fn"))
        places: dict[tuple[int, int], list[Node]] = {}
        for node in captured(parsed, kinds):
            places.setdefault(_lines(node), []).append(node)
        names = module_names(parsed)
        return tuple(self._unit(parsed, names, _chosen(places.get((first, last), []), key), path) for first, last, key in wanted)

    def _unit(self, parsed: Parsed, names: Mapping[str, str], node: Node | None, path: str) -> MergeUnit | str:
        if node is None:
            return "unread"
        if node.descendant_count > MAX_UNIT_NODES:
            return "too_large"
        language = parsed.spec.name
        terms = self._terms.setdefault(parsed.spec.grammar, Terms(parsed.spec.comments))
        comments: list[tuple[int, int]] = []
        term = terms.of(node, parsed.text, comments)
        if not term.children:
            return "unread"
        home, around = _surroundings(parsed, node)
        enclosing: frozenset[str] = frozenset()
        if around is not None:
            if around.descendant_count > MAX_UNIT_NODES:
                return "too_large"
            enclosing = _bound(language, terms.of(around, parsed.text))
        place = f"{path}:{home}" if home else ""
        return MergeUnit(language, term, parsed.text, tuple(comments), place, names, enclosing, node.has_error)


def _lines(node: Node) -> tuple[int, int]:
    """Return the lines of a node as the extraction counts them: an end before the first column is one of the line above."""
    first, (row, column) = node.start_point[0] + 1, node.end_point
    return first, row + 1 if column or row < first else row


def _chosen(nodes: Sequence[Node], key: str) -> Node | None:
    """Return the node that a key means among those on the same lines."""
    if len(nodes) < 2:
        return nodes[0] if nodes else None
    marked = _MARK.fullmatch(key)
    plain, position = (marked[1], int(marked[2]) - 1) if marked else (key, 0)
    name, _, arity = plain.rpartition("/")
    same = [node for node in nodes if _name(node) == name.rpartition(" ")[2]] or list(nodes)
    same = [node for node in same if arity == str(_arity(node))] or same
    return same[position] if position < len(same) else None


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    return "(anonymous)" if named is None or named.text is None else named.text.decode("utf-8", "replace")


def _arity(node: Node) -> int:
    """Return the number of parameters, near enough to tell functions of one line apart."""
    listed = node.child_by_field_name("parameters")
    return int(node.child_by_field_name("parameter") is not None) if listed is None else len(listed.named_children)


def _surroundings(parsed: Parsed, node: Node) -> tuple[int, Node | None]:
    """Return the line of the innermost class or the like around a node, 0 for none, and the outermost function."""
    functions = {unit.node for unit in parsed.spec.units if unit.kind == "fn"}
    homes = {unit.node for unit in parsed.spec.units if unit.kind != "fn" and (unit.is_type or unit.kind == "impl")}
    home, outer = 0, None
    above = node.parent
    while above is not None:
        if above.type in functions:
            outer = above
        elif above.type in homes and not home:
            home = above.start_point[0] + 1
        above = above.parent
    return home, outer


def _bound(language: str, term: Term) -> frozenset[str]:
    table = table_of(language)
    return frozenset(leaf.text for leaf, at in named_leaves(table, term, start()) if at.role is Role.BINDING and not _is_own_name(at))


def _is_own_name(at: Position) -> bool:
    return at.zone is Zone.HEAD
