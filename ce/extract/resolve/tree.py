"""The reference graph of a tree: every site ends in its outcomes, outcomes become edges, conventions add roles and entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ce.extract.registry import Arm, language_rows
from ce.extract.resolve.answer import Answer, unresolved
from ce.extract.resolve.context import Context
from ce.extract.resolve.ladder import Conventions, Ladder
from ce.extract.resolve.project import project_kind
from ce.extract.resolve.registry import ladder_of
from ce.extract.resolve.roles import path_roles
from ce.extract.resolve.unseen import unseen
from ce.facts.records import Edge, Extraction, Outcome, Resolution, Role, Site, TreeInputs

__all__ = ["resolve"]

# What kind of arc a site makes: those of documents go by their target, every other one is an import.
_ASSETS = frozenset({"image", "src", "srcset", "link_asset"})
_DOCUMENT_LINKS = frozenset({"link", "ref_link", "ref_def", "url", "href", "action"})
_PAGES = frozenset({"markdown", "html"})
_EMBEDDED = frozenset({"src", "link_asset"})
_JUDGED = frozenset(row.language for row in language_rows().values() if row.arm in (Arm.CODE, Arm.DOCUMENT))

_UNSUPPORTED = (unresolved("unsupported"),)


def resolve(inputs: TreeInputs, extractions: Mapping[str, Extraction]) -> Resolution:
    """Return the resolution of a tree; the order of files, extractions and manifests does not matter."""
    context = Context(inputs, extractions)
    ladders: dict[str, tuple[Ladder[Any], Any] | None] = {}
    for language in sorted(set(inputs.files.values())):
        ladder = ladder_of(language)
        known = next((made for made in ladders.values() if made is not None and made[0] is ladder), None)
        ladders[language] = known or (None if ladder is None else (ladder, ladder.prepare(context)))
    run = _Run(context)
    for path in context.paths:
        if path in extractions:
            run.climb(path, ladders[inputs.files[path]])
    made = {id(entry[0]): entry for entry in ladders.values() if entry is not None}
    parts = [*(ladder.conventions(state) for ladder, state in made.values()), unseen(context)]
    members = {
        language: entry[0].members(entry[1]) for language, entry in ladders.items() if entry is not None and entry[0].members is not None
    }
    return _resolution(context, run, parts, members)


_Members = Mapping[str, Mapping[str, tuple[str, ...]]]  # language to its packages, each with the files it holds


def _resolution(context: Context, run: _Run, parts: list[Conventions], members: _Members) -> Resolution:
    edges = {*run.edges, *(edge for part in parts for edge in part.edges)}
    edges.update(_containment(context, edges, members))
    roles: dict[tuple[str, str], Role] = {}
    for role in sorted([*path_roles(context), *(role for part in parts for role in part.roles)], key=lambda role: (role.at, role.why)):
        roles.setdefault((role.path, role.role), role)
    return Resolution(
        outcomes=tuple(run.outcomes),
        edges=tuple(sorted(edges, key=_edge_key)),
        roles=tuple(roles[key] for key in sorted(roles)),
        entry_points=tuple(
            sorted({point for part in parts for point in part.entry_points}, key=lambda point: (point.path, point.symbol, point.source))
        ),
        imported_names=tuple(sorted(run.imported_names)),
        manifest_deps=tuple(sorted({dependency for part in parts for dependency in part.manifest_deps})),
        problems=tuple(sorted(set(context.problems))),
        could_name=tuple(sorted(run.could_name.union(*(part.could_name for part in parts)))),
        could_name_any=tuple(sorted({row for part in parts for row in part.could_name_any})),
        project_kind=project_kind(context),
    )


def _edge_key(edge: Edge) -> tuple[str, str, int, str, int, str]:
    return (edge.source, edge.target, edge.line, edge.kind, edge.rung, edge.mode)


class _Run:
    """What grows while the files are gone through in order."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.outcomes: list[Outcome] = []
        self.edges: list[Edge] = []
        self.imported_names: set[tuple[str, str, str, int]] = set()
        self.could_name: set[tuple[str, int, str, str]] = set()

    def climb(self, path: str, ladder: tuple[Ladder[Any], Any] | None) -> None:
        """End every site of a file in its outcomes."""
        seen: set[tuple[str, str, int, int, str]] = set()
        for index, site in enumerate(self.context.extractions[path].sites):
            answers = _UNSUPPORTED if ladder is None else ladder[0].resolve_site(site, path, ladder[1])
            assert answers, f"the ladder of {path} left a site without an answer: {site}"
            for answer in answers:
                self._note(path, index, site, answer, seen)

    def _note(self, path: str, index: int, site: Site, answer: Answer, seen: set[tuple[str, str, int, int, str]]) -> None:
        mode = site.mode if site.mode == "type" or not answer.mode else answer.mode
        kind = self._edge_kind(site.kind, answer)
        is_import = answer.status == "resolved" and kind == "import" and answer.is_written and not answer.via_reexport
        self.outcomes.append(
            Outcome(
                path, index, answer.status, answer.rung, answer.granularity, answer.target, answer.unit, answer.via_reexport,
                answer.inert, answer.reason, answer.candidates, mode if answer.mode else "", is_import,
            )
        )  # fmt: skip
        for could in answer.could:
            self.could_name.add((path, site.line, could, "unresolved"))
        if answer.status != "resolved":
            return
        for name in answer.names:
            self.imported_names.add((path, answer.target, name, site.line))
        target = f"{answer.target}#{answer.unit}" if answer.unit else answer.target
        key = (target, kind, answer.rung, site.line, mode)
        if key not in seen and not (answer.no_arc_to_itself and target == path):
            seen.add(key)
            self.edges.append(Edge(path, target, kind, answer.rung, site.line, mode))

    def _edge_kind(self, kind: str, answer: Answer) -> str:
        if answer.inert:
            return "refdef"
        if kind in _ASSETS:
            # What is embedded and judged, a script or a page in a frame, is used; a picture is shown.
            return "import" if kind in _EMBEDDED and self.context.files.get(answer.target) in _JUDGED else "asset"
        if kind in _DOCUMENT_LINKS:
            return "doc_link" if self.context.files.get(answer.target) in _PAGES else "doc_ref"
        return "import"


def _containment(context: Context, edges: set[Edge], members: _Members) -> Iterator[Edge]:
    """Yield an arc from every directory that is a target to each file it holds, and from every section to its file.

    What a package holds is for the language to say from which it is referred to.
    """
    for target, language in {(edge.target, context.files.get(edge.source, "") if edge.target.endswith("/") else "") for edge in edges}:
        if target.endswith("/"):
            held = members.get(language, {}).get(target[:-1])
            for path in context.below(target[:-1]) if held is None else held:
                yield Edge(target, path, "contain", 1)
        elif "#" in target:
            path = target.rpartition("#")[0]
            if target not in context.files and path in context.files:
                yield Edge(target, path, "contain", 1)
