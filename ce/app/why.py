"""Why a file or a name is alive, by the shortest chain from a root, or why it is dead, by every mention that does not count."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ce.app.chains import Graph, Step, body, shortest
from ce.app.evaluation import Evaluation, Options, evaluate
from ce.app.name_programs import name_programs
from ce.app.project import Project
from ce.app.report import Degraded
from ce.app.why_mentions import Mention, file_mentions, name_mentions
from ce.app.why_targets import Target, find_targets
from ce.verdicts.family import RulesFile, program_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ce.datalog.proof import ProofNode

__all__ = ["Link", "Mention", "WhyReport", "why"]

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

Row = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """One edge of a chain: from what to what, the kind of use, what proves it in a word and in words, and `path:line`."""

    source: str
    target: str
    kind: str
    how: str
    says: str
    at: str | None


@dataclass(frozen=True, slots=True)
class WhyReport:
    """The reply to `ce why`. `verdict` is alive, dead, ambiguous or unknown; `origin` and `rule` say where the chain starts and why.

    `origin_at` is the place that makes it a root. Of a dead name `top` is the top of its island and `nearest` the live body in which a
    use would keep it. `matches` are the names that fit an ambiguous question, `near` those that are spelled nearly like an unknown one.
    """

    root: str
    asked: str
    verdict: str
    target: Target | None = None
    tier: str | None = None
    reason: str = ""
    origin: str | None = None
    rule: str = ""
    origin_at: str | None = None
    chain: tuple[Link, ...] = ()
    mentions: tuple[Mention, ...] = ()
    top: str | None = None
    nearest: str | None = None
    matches: tuple[tuple[Target, str], ...] = ()
    near: tuple[str, ...] = ()
    proof: ProofNode | None = None
    index: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    degraded: Degraded | None = None


def why(project: Project, asked: str, *, options: Options, proof: bool = False) -> WhyReport:
    """Return what keeps a file or a name alive, or why it is dead. Raises CeError when nothing begins anywhere (CE991)."""
    questions = RulesFile("why", "\n".join(_QUESTIONS), None)
    chain = RulesFile(*program_text("deadcode/chain.dl"), None)
    evaluation = evaluate(project, (*name_programs(project), chain, questions), options=options)
    blank = WhyReport(project.shown, asked, "unknown", index=evaluation.index, notes=evaluation.problems, degraded=evaluation.degraded)
    if evaluation.degraded is not None:
        return blank
    answer = _Answer(project, evaluation, blank, options)
    answer.refuse_rootless()
    files = [str(file) for (file,) in answer.values(_FILE)]
    targets, near = find_targets(asked, files, answer.values(_DESCRIBED))
    if not targets:
        return replace(blank, near=near)
    if len(targets) > 1:
        return replace(blank, verdict="ambiguous", matches=tuple((target, answer.word(target)) for target in targets))
    return answer.about(targets[0], proof=proof)


class _Answer:
    """What an evaluation says about one target."""

    def __init__(self, project: Project, evaluation: Evaluation, blank: WhyReport, options: Options) -> None:
        self._project = project
        self._solution = evaluation.solution
        self._goals = [goal.predicate for goal in evaluation.goals]
        self._blank = blank
        self._options = options
        self._live = {str(symbol) for (symbol,) in self.values(_LIVE)}

    def values(self, goal: int) -> list[Row]:
        """Return the rows of a question."""
        return self._solution.values(self._goals[goal])

    def refuse_rootless(self) -> None:
        """Raise CeError when there are names and nothing begins."""
        from ce.app.dead_names import refuse_rootless

        refuse_rootless(*self.values(_CENSUS)[0])

    def word(self, target: Target) -> str:
        """Return whether a target is alive, in a word."""
        if target.symbol is None:
            return "dead" if any(row[0] == target.path for row in self.values(_DEAD_FILE)) else "alive"
        return "alive" if target.symbol in self._live else "dead"

    def about(self, target: Target, *, proof: bool) -> WhyReport:
        """Return the whole answer."""
        report = replace(self._blank, target=target, verdict=self.word(target))
        report = self._alive(report, target) if report.verdict == "alive" else self._dead(report, target)
        return replace(report, proof=self._proof(report, target)) if proof else report

    def _alive(self, report: WhyReport, target: Target) -> WhyReport:
        hooks = self._reasons(_HOOK)
        roots = {str(file) for file, _ in self.values(_BEGINS)}
        surface = {str(symbol) for (symbol,) in self.values(_SURFACE)}
        node = target.path if target.symbol is None else body(target.symbol)
        steps = shortest(self._graph(), roots | surface, node)
        if steps is None:  # a file that nothing reaches but that is no dead file either: prose, an asset
            return replace(report, reason="nothing has to refer to a file of this kind")
        origin = steps[0].source if steps else node
        rule, at = self._origin(origin)
        links = tuple(self._link(step, hooks) for step in steps)
        tier = next((str(row[1]) for row in self.values(_FINDING) if row[0] == target.symbol), None)
        return replace(report, origin=origin, rule=rule, origin_at=at, chain=links, tier=tier)

    def _dead(self, report: WhyReport, target: Target) -> WhyReport:
        if target.symbol is None:
            row = next(row for row in self.values(_DEAD_FILE) if row[0] == target.path)
            mentions = file_mentions(self._project, target, self._placed(_REF), self._options)
            nearest = self._nearest_directory(target.path)
            return replace(report, tier=str(row[1]), reason=str(row[2]), mentions=mentions, nearest=nearest)
        found = next((row for row in self.values(_FINDING) if row[0] == target.symbol), None)
        around = {str(inner): str(outer) for inner, outer in self.values(_IN)}
        outer = around.get(target.symbol, "")
        if found is not None:
            tier, reason = str(found[1]), str(found[2])
        elif outer not in self._live and body(outer) == outer:
            tier, reason = None, f"it stands in `{outer}`, which is dead"
        else:
            tier, reason = None, "nothing uses it, but names of this kind are not reported"
        mentions = name_mentions(
            self._project,
            target,
            live=self._live,
            around=around,
            name_refs=self._placed(_NAME_REF),
            member_refs=self._placed(_MEMBER_REF),
            string_refs=self._placed(_STRING_REF),
            spelled=self._placed(_SPELLED),
            options=self._options,
        )
        top = next((str(row[1]) for row in self.values(_ISLAND) if row[0] == target.symbol), None)
        return replace(report, tier=tier, reason=reason, mentions=mentions, top=top, nearest=self._nearest_body(target, around))

    def _graph(self) -> Graph:
        graph = Graph()
        for row in self.values(_FILE_STEP):
            source, target, kind = map(str, row)
            graph.add(Step(source, target, kind, "file", self._goals[_FILE_STEP], row))
        for row in self.values(_STEP):
            source, target, kind, how = map(str, row)
            graph.add(Step(body(source), body(target), kind, how, self._goals[_STEP], row))
        for row in self.values(_TAKEN):
            source, name = map(str, row)
            graph.add(Step(body(source), f".{name}", "read", "bare", self._goals[_TAKEN], row))
        for row in self.values(_OFFERED):
            name, member = map(str, row)
            graph.add(Step(f".{name}", member, "read", "bare", self._goals[_OFFERED], row))
        return graph

    def _link(self, step: Step, hooks: Mapping[str, str]) -> Link:
        says = hooks.get(step.target, _HOW_SAYS[step.how]) if step.how == "hook" else _HOW_SAYS.get(step.how, step.how)
        return Link(step.source, step.target, step.kind, step.how, says, self._place(step.relation, step.row))

    def _origin(self, node: str) -> tuple[str, str | None]:
        """Return the rule that makes a node a root, and the place behind it."""
        for row in self.values(_STARTED):
            if row[0] == node:
                says = "something outside the imports starts it" if row[1] == "entry_point" else f"its role is `{row[1]}`"
                return f"{says}: an entry", self._place(self._goals[_STARTED], row)
        reasons = self._reasons(_ROOT)
        return reasons.get(node, reasons.get(f"{node}::", "it is an entry")), None

    def _reasons(self, goal: int) -> dict[str, str]:
        found: dict[str, str] = {}
        for symbol, says in self.values(goal):
            found.setdefault(str(symbol), str(says))
        return found

    def _place(self, relation: str, row: Row) -> str | None:
        """Return where the use behind a row was read: the first fact of its proof that is one, else the first with a place."""
        from ce.datalog.proof import number_nodes

        nodes = [entry.node for entry in number_nodes(self._solution.explain(relation, row))]
        facts = [node for node in nodes if node.kind == "fact" and node.at and not node.at.startswith("programs/")]
        return next((node.at for node in facts if node.predicate in _USES), next((node.at for node in facts), None))

    def _placed(self, goal: int) -> _Placed:
        return _Placed(self, goal)

    def place_of(self, goal: int, row: Row) -> str | None:
        """Return where the fact behind a row of a question was read."""
        return self._place(self._goals[goal], row)

    def _nearest_body(self, target: Target, around: Mapping[str, str]) -> str | None:
        """Return the innermost live declaration around a name."""
        outer = around.get(target.symbol or "", "")
        while outer and outer not in self._live:
            outer = around.get(outer, "")
        return body(outer) or None

    def _nearest_directory(self, path: str) -> str | None:
        """Return a live file as near as possible by its directory."""
        reached = sorted({str(row[1]) for row in self.values(_FILE_STEP)} | {str(row[0]) for row in self.values(_BEGINS)})

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
            return self._solution.explain(self._goals[_LIVE], (target.symbol,))
        found = next((row for row in self.values(_FINDING) if row[0] == target.symbol), None)
        return None if found is None else self._solution.explain(self._goals[_FINDING], found)


class _Placed:
    """The rows of a question, and where each was read."""

    def __init__(self, answer: _Answer, goal: int) -> None:
        self._answer, self._goal = answer, goal

    def rows(self) -> list[Row]:
        """Return the rows."""
        return self._answer.values(self._goal)

    def at(self, row: Row) -> str | None:
        """Return `path:line` of a row."""
        return self._answer.place_of(self._goal, row)
