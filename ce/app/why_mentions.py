"""Every mention of something dead, and why it keeps nothing: what the names of the tree have, and what stands in the files besides."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ce.app.chains import body
from ce.app.evaluation import Options, evaluate
from ce.verdicts.family import RulesFile

if TYPE_CHECKING:
    from ce.app.project import Project
    from ce.app.why_targets import Target

__all__ = ["Around", "Mention", "Placed", "file_mentions", "name_mentions", "with_paths", "with_spellings"]

Row = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """Something that names a dead thing: where, who, the kind of mention, and why it does not count."""

    at: str | None
    by: str
    kind: str
    why_not: str


class Around(Protocol):
    """What each symbol stands in."""

    def get(self, symbol: str, default: str = "", /) -> str:
        """Return what a symbol stands in."""


class Placed(Protocol):
    """Rows with the places where they were read."""

    def where(self, column: int, label: str) -> Iterable[Row]:
        """Return the rows whose column holds the text."""

    def at(self, row: Row) -> str | None:
        """Return `path:line` of a row."""


def name_mentions(
    target: Target,
    *,
    live: Container[object],
    around: Around,
    name_refs: Placed,
    member_refs: Placed,
    string_refs: Placed,
    spelled: Placed,
) -> tuple[Mention, ...]:
    """Return the mentions of a dead name that the names of the tree have: references and texts."""
    found: list[Mention] = []
    symbol = target.symbol or ""
    for row in name_refs.where(1, symbol):
        if row[0] != symbol:
            found.append(_use(str(row[0]), str(row[2]), name_refs.at(row), target, live, around))
        else:
            found.append(Mention(name_refs.at(row), target.qualified, str(row[2]), "it uses itself: that keeps nothing alive"))
    found += [_use(str(row[0]), "string", string_refs.at(row), target, live, around) for row in string_refs.where(1, symbol)]
    if not around.get(symbol, "::").endswith("::"):  # only members are taken of something unknown
        found += [_member_use(row, member_refs.at(row), target, live, around) for row in member_refs.where(1, target.name)]
    found += [
        Mention(spelled.at(row) or str(row[0]), str(row[0]), "text", "a text with this name alone keeps nothing alive")
        for row in spelled.where(1, target.name)
    ]
    return tuple(found)


def with_spellings(project: Project, target: Target, mentions: tuple[Mention, ...], options: Options) -> tuple[Mention, ...]:
    """Return the mentions of a dead name by place, with whatever else spells it, as the files are now."""
    told = {mention.at for mention in mentions}
    found = [*mentions, *(each for each in _spellings(project, target, options) if each.at not in told)]
    return tuple(sorted(dict.fromkeys(found), key=_order))


def file_mentions(target: Target, refs: Placed) -> tuple[Mention, ...]:
    """Return the references to a dead file, which are those of dead files or keep nothing alive."""
    found = []
    for row in refs.where(1, target.path):
        if row[0] != target.path:
            kind = str(row[2])
            why = f"a reference of the kind `{kind}` keeps nothing alive" if kind in ("asset", "refdef") else f"`{row[0]}` is dead itself"
            found.append(Mention(refs.at(row), str(row[0]), kind, why))
    return tuple(found)


def with_paths(project: Project, target: Target, mentions: tuple[Mention, ...], options: Options) -> tuple[Mention, ...]:
    """Return the mentions of a dead file by place, with whoever spells its path or the name of its module, as the files are now."""
    found = list(mentions)
    path = target.path
    for file, line in _asked(project, f'?- mentions_path(F, "{path}", L).' if '"' not in path else "", options):
        found.append(Mention(f"{file}:{line}", str(file), "text", "a text with its path or module name is no reference"))
    told: dict[str | None, Mention] = {}
    for mention in found:
        told.setdefault(mention.at, mention)
    return tuple(sorted(told.values(), key=_order))


def _use(user: str, kind: str, at: str | None, target: Target, live: Container[object], around: Around) -> Mention:
    if _inside(user, target.symbol or "", around):
        why = "it stands in the thing itself"
    elif user not in live:
        why = f"`{body(user)}` is dead itself"
    elif kind == "write":
        why = "it only writes, nobody reads"
    else:
        why = "it is not of a kind that keeps anything alive"
    return Mention(at, body(user), kind, why)


def _member_use(row: Row, at: str | None, target: Target, live: Container[object], around: Around) -> Mention:
    user, _, kind = map(str, row)
    if user not in live:
        why = f"`{body(user)}` is dead itself"
    elif kind == "write":
        why = "it only writes, nobody reads"
    elif around.get(target.symbol or "") not in live:
        why = "a member of this name of something unknown; no live class has this one"
    else:
        why = "a member of this name of something else"
    return Mention(at, body(user), kind, why)


def _inside(symbol: str, holder: str, around: Around) -> bool:
    while symbol:
        if symbol == holder:
            return True
        symbol = around.get(symbol, "")
    return False


def _spellings(project: Project, target: Target, options: Options) -> Iterable[Mention]:
    """Yield every other line of a file that spells the name, but for those of its own declaration."""
    from ce.source.text import decode, read_file

    if not target.name.isidentifier():
        return
    word = re.compile(rf"(?<!\w){re.escape(target.name)}(?!\w)")
    for (file,) in _asked(project, f'?- mention("{target.name}", F).', options):
        data = read_file(project.root, str(file))
        if not isinstance(data, bytes):
            continue
        for number, line in enumerate(decode(data).text_bytes.decode("utf-8", "replace").split("\n"), start=1):
            own = str(file) == target.path and target.line <= number <= target.end_line
            if not own and word.search(line):
                prose = line.lstrip().startswith(("#", "//", "*", "/*"))
                why = "a comment keeps nothing alive" if prose else "prose, a text, or another thing of this name"
                yield Mention(f"{file}:{number}", str(file), "comment" if prose else "spelling", why)


def _asked(project: Project, question: str, options: Options) -> list[Row]:
    if not question:
        return []
    evaluation = evaluate(project, (RulesFile("mentions", question, None),), options=options)
    return [] if evaluation.degraded is not None else evaluation.solution.values(evaluation.goals[0].predicate)


def _order(mention: Mention) -> tuple[str, int, str, str]:
    path, _, line = (mention.at or "").rpartition(":")
    return (path, int(line), mention.by, mention.kind) if line.isdigit() else (mention.at or "", 0, mention.by, mention.kind)
