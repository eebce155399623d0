"""Why a file or a name is alive, by the shortest chain from a root, or why it is dead, by every mention that does not count."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ce.app.chains import Graph, Step, Steps, body
from ce.app.dead_names import refuse_rootless
from ce.app.goal_rows import GoalRows, Members, Outers, Row
from ce.app.kept import kept_answer
from ce.app.name_programs import name_programs
from ce.app.project import Project
from ce.app.why_mentions import file_mentions, name_mentions, with_paths, with_spellings
from ce.app.why_report import Link, WhyReport, read_why, why_values
from ce.app.why_targets import Target, find_targets
from ce.verdicts.family import RulesFile, program_text

if TYPE_CHECKING:
    from ce.app.evaluation import Evaluation, Options
    from ce.datalog.proof import ProofNode

__all__ = ["why"]

_QUESTIONS = (
    "?- described(S, Name, Qualified, Kind, File, Start, End).",
    "?- file(F).",
    "?- begins(F, Side).",
    "?- start_of(F, Role).",
    "?- file_step(F, G, Kind).",
    "?- step(S, T, Kind, How).",
    "?- taken(S, N).",
    "?- offered_member(N, M).",
    "?- live(S).",
    "?- root(S, Why).",
    "?- hook(S, Why).",
    "?- finding(S, Tier, Why).",
    "?- island_of(S, Top).",
    "?- name_ref(S, T, Kind, How).",
    "?- member_ref(S, N, Kind).",
    "?- string_ref(S, T).",
    "?- spelled(F, N).",
    "?- symbol_in(S, Around).",
    "?- dead_file(F, Verdict, Why, Confidence).",
    "?- ref(F, G, Kind, Rung).",
    "?- names_census(Names, Begun).",
    "?- surface(S).",
)
(
    _DESCRIBED, _FILE, _BEGINS, _STARTED, _FILE_STEP, _STEP, _TAKEN, _OFFERED, _LIVE, _ROOT, _HOOK, _FINDING, _ISLAND, _NAME_REF,
    _MEMBER_REF, _STRING_REF, _SPELLED, _IN, _DEAD_FILE, _REF, _CENSUS, _SURFACE,
) = range(len(_QUESTIONS))  # fmt: skip

_HOW_SAYS = {
    "scope": "proved by scope",
    "import": "proved by an import",
    "hierarchy": "proved by the class hierarchy",
    "receiver": "proved by what the receiver is",
    "value": "proved by a value that it was given",
    "string": "a text that is its dotted name",
    "glob": "a computed name that fits it",
    "bare": "the receiver is unknown: every live class with a member of this name counts",
    "contains": "it cannot do without what it stands in",
    "hook": "used from outside the references",
    "protocol": "called by the language itself",
    "shape": "a member of a shape that others must have",
    "same": "another declaration of the same name",
    "escapes": "its object is handed on as a whole",
    "framework": "a framework takes it because of this",
    "file": "a reference between files",
}

# The facts that are uses: where one stands is where an edge stands.
_USES = frozenset({
    "ref", "name_ref", "string_ref", "member_ref", "member_glob", "name_glob", "whole_ref", "decorated_with", "decorated_by", "base",
    "overrides", "parameter", "call_argument", "entry_point",
})  # fmt: skip

# What `ce why` walks along.
_STEPS = (
    Steps(_FILE_STEP, "node", "node", how="file"),
    Steps(_STEP, "symbol", "symbol"),
    Steps(_TAKEN, "symbol", "name", "read", "bare"),
    Steps(_OFFERED, "name", "symbol", "read", "bare"),
)


def why(project: Project, asked: str, *, options: Options, proof: bool = False) -> WhyReport:
    """Return what keeps a file or a name alive, or why it is dead. Raises CeError when nothing begins anywhere (CE991)."""
    questions = RulesFile("why", "\n".join(_QUESTIONS), None)
    chain = RulesFile(*program_text("deadcode/chain.dl"), None)
    rules = (*name_programs(project), chain, questions)
    make = partial(_document, asked=asked, proof=proof)
    kept = kept_answer(project, rules, make, read=read_why, variant=f"{'proof' if proof else ''} {asked}", options=options)
    found = WhyReport("", "", "unknown") if kept.document is None else kept.document
    report = replace(found, root=project.shown, asked=asked, index=kept.index, notes=kept.problems, degraded=kept.degraded)
    target = report.target
    if target is None or report.verdict != "dead":
        return report
    complete = with_paths if target.symbol is None else with_spellings
    return replace(report, mentions=complete(project, target, report.mentions, options))


def _document(evaluation: Evaluation, *, asked: str, proof: bool) -> object:
    """Return what is known of a name as JSON values; what its mentions in files are besides is for each run to see."""
    rows = GoalRows(evaluation)
    refuse_rootless(*rows.values(_CENSUS)[0])
    answer = _Answer(evaluation, rows)
    files = [str(file) for (file,) in rows.values(_FILE)]
    targets, near = find_targets(asked, files, rows, _DESCRIBED)
    blank = WhyReport("", asked, "unknown", near=near)
    if len(targets) > 1:
        blank = replace(blank, verdict="ambiguous", matches=tuple((target, answer.word(target)) for target in targets))
    return why_values(answer.about(blank, targets[0], proof=proof) if len(targets) == 1 else blank)


class _Answer:
    """What an evaluation says about one target."""

    def __init__(self, evaluation: Evaluation, rows: GoalRows) -> None:
        self._solution = evaluation.solution
        self._rows = rows
        self._live = Members(rows, _LIVE)

    def word(self, target: Target) -> str:
        """Return whether a target is alive, in a word."""
        if target.symbol is None:
            return "dead" if self._rows.first(_DEAD_FILE, 0, target.path) else "alive"
        return "alive" if target.symbol in self._live else "dead"

    def about(self, blank: WhyReport, target: Target, *, proof: bool) -> WhyReport:
        """Return the whole answer."""
        report = replace(blank, target=target, verdict=self.word(target))
        report = self._alive(report, target) if report.verdict == "alive" else self._dead(report, target)
        return replace(report, proof=self._proof(report, target)) if proof else report

    def _alive(self, report: WhyReport, target: Target) -> WhyReport:
        node = target.path if target.symbol is None else body(target.symbol)
        graph = Graph(self._rows, _STEPS)
        steps = graph.shortest(self._rows.columns(_BEGINS)[0], self._rows.columns(_SURFACE)[0], node)
        if steps is None:  # a file that nothing reaches but that is no dead file either: prose, an asset
            return replace(report, reason="nothing has to refer to a file of this kind")
        origin = steps[0].source if steps else node
        rule, at = self._origin(origin)
        links = tuple(map(self._link, steps))
        finding = self._first(_FINDING, target.symbol)
        return replace(report, origin=origin, rule=rule, origin_at=at, chain=links, tier=None if finding is None else str(finding[1]))

    def _dead(self, report: WhyReport, target: Target) -> WhyReport:
        if target.symbol is None:
            row = self._rows.where(_DEAD_FILE, 0, target.path)[0]
            mentions = file_mentions(target, _Placed(self, _REF))
            return replace(report, tier=str(row[1]), reason=str(row[2]), mentions=mentions, nearest=self._nearest_directory(target.path))
        found = self._first(_FINDING, target.symbol)
        around = Outers(self._rows, _IN)
        outer = around.get(target.symbol)
        if found is not None:
            tier, reason = str(found[1]), str(found[2])
        elif outer not in self._live and body(outer) == outer:
            tier, reason = None, f"it stands in `{outer}`, which is dead"
        else:
            tier, reason = None, "nothing uses it, but names of this kind are not reported"
        mentions = name_mentions(
            target,
            live=self._live,
            around=around,
            name_refs=_Placed(self, _NAME_REF),
            member_refs=_Placed(self, _MEMBER_REF),
            string_refs=_Placed(self, _STRING_REF),
            spelled=_Placed(self, _SPELLED),
        )
        island = self._first(_ISLAND, target.symbol)
        top = None if island is None else str(island[1])
        return replace(report, tier=tier, reason=reason, mentions=mentions, top=top, nearest=self._nearest_body(target, around))

    def _link(self, step: Step) -> Link:
        says = _HOW_SAYS.get(step.how, step.how)
        if step.how == "hook":
            hook = self._first(_HOOK, step.target)
            says = says if hook is None else str(hook[1])
        return Link(step.source, step.target, step.kind, step.how, says, self._place(step.relation, step.row))

    def _origin(self, node: str) -> tuple[str, str | None]:
        """Return the rule that makes a node a root, and the place behind it."""
        row = self._rows.first(_STARTED, 0, node)
        if row is not None:
            says = "something outside the imports starts it" if row[1] == "entry_point" else f"its role is `{row[1]}`"
            return f"{says}: an entry", self._place(self._rows.predicate(_STARTED), row)
        root = self._first(_ROOT, node) or self._first(_ROOT, f"{node}::")
        return "it is an entry" if root is None else str(root[1]), None

    def _first(self, goal: int, symbol: str | None) -> Row | None:
        return None if symbol is None else self._rows.first(goal, 0, symbol)

    def _place(self, relation: str, row: Row) -> str | None:
        """Return where the use behind a row was read: the first fact of its proof that is one, else the first with a place."""
        from ce.datalog.proof import number_nodes

        nodes = [entry.node for entry in number_nodes(self._solution.explain(relation, row))]
        facts = [node for node in nodes if node.kind == "fact" and node.at and not node.at.startswith("programs/")]
        return next((node.at for node in facts if node.predicate in _USES), next((node.at for node in facts), None))

    def where(self, goal: int, column: int, label: str) -> list[Row]:
        """Return the rows of a question whose column holds the text."""
        return self._rows.where(goal, column, label)

    def place_of(self, goal: int, row: Row) -> str | None:
        """Return where the fact behind a row of a question was read."""
        return self._place(self._rows.predicate(goal), row)

    def _nearest_body(self, target: Target, around: Outers) -> str | None:
        """Return the innermost live declaration around a name."""
        outer = around.get(target.symbol or "")
        while outer and outer not in self._live:
            outer = around.get(outer)
        return body(outer) or None

    def _nearest_directory(self, path: str) -> str | None:
        """Return a live file as near as possible by its directory."""
        reached = sorted({text for goal, column in ((_FILE_STEP, 1), (_BEGINS, 0)) for _, text in self._rows.texts(goal, column)})

        def shared(other: str) -> int:
            mine, theirs = path.split("/")[:-1], other.split("/")[:-1]
            return next((n for n, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]), min(len(mine), len(theirs)))

        suffix = path.rpartition(".")[2]
        near = [other for other in reached if other.endswith(f".{suffix}")]
        return max(near, key=lambda other: (shared(other), -len(other)), default=None)

    def _proof(self, report: WhyReport, target: Target) -> ProofNode | None:
        if target.symbol is None:
            return None
        if report.verdict == "alive":
            return self._solution.explain(self._rows.predicate(_LIVE), (target.symbol,))
        found = self._first(_FINDING, target.symbol)
        return None if found is None else self._solution.explain(self._rows.predicate(_FINDING), found)


class _Placed:
    """The rows of a question, and where each was read."""

    def __init__(self, answer: _Answer, goal: int) -> None:
        self._answer, self._goal = answer, goal

    def where(self, column: int, label: str) -> list[Row]:
        """Return the rows whose column holds the text."""
        return self._answer.where(self._goal, column, label)

    def at(self, row: Row) -> str | None:
        """Return `path:line` of a row."""
        return self._answer.place_of(self._goal, row)
