"""The control-flow graph of one function (Aho et al., *Compilers*, §8.4): built from shapes, then asked what it reaches.

Edges may be too many and never too few, so what is unreachable in the graph is unreachable in every run: anything in a `try` may
jump to its handlers and its `finally`, and a jump that leaves a `finally` behind goes on as if that completed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ce.extract.flow.shapes import Arm, Block, Branch, FlowTable, Jump, JumpKind, Labelled, Loop, Simple, Skip, Switch, Try, With

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Graph", "TooDeep", "build"]

MAX_NESTING = 120


class TooDeep(Exception):
    """Statements are nested deeper than the builder follows."""


@dataclass(slots=True)
class Graph:
    """Steps with their successors. `steps[0]` is the entry, which is no statement; a statement may be several steps (`finally`).

    `heads` are the steps that only say that control came to a statement with parts; the parts are steps of their own.
    """

    steps: list[Node | None] = field(default_factory=lambda: [None])
    after: list[list[int]] = field(default_factory=lambda: [[]])
    heads: set[int] = field(default_factory=set)

    def reached(self) -> bytearray:
        """Return a flag for each step: some path from the entry comes by."""
        seen = bytearray(len(self.steps))
        seen[0] = 1
        pending = [0]
        while pending:
            for step in self.after[pending.pop()]:
                if not seen[step]:
                    seen[step] = 1
                    pending.append(step)
        return seen


@dataclass(slots=True)
class _Target:
    """A statement that jumps can leave or continue: the steps that do."""

    labels: tuple[str, ...]
    is_loop: bool
    is_left_by_break: bool
    breaks: list[int] = field(default_factory=list)
    continues: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Builder:
    table: FlowTable
    text: bytes
    never: frozenset[str]
    graph: Graph = field(default_factory=Graph)
    targets: list[_Target] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    jumps: list[tuple[int, str]] = field(default_factory=list)
    falls: list[int] = field(default_factory=list)
    pending_labels: tuple[str, ...] = ()
    nesting: int = 0

    def step(self, node: Node | None, before: Iterable[int]) -> list[int]:
        """Add a step behind the given ones; a step that nothing leads to is one all the same."""
        number = len(self.graph.steps)
        self.graph.steps.append(node)
        self.graph.after.append([])
        for one in before:
            self.graph.after[one].append(number)
        return [number]

    def sequence(self, statements: Sequence[Node], before: list[int]) -> list[int]:
        for statement in statements:
            before = self.statement(statement, before)
        return before

    def statement(self, node: Node | None, before: list[int]) -> list[int]:
        """Return the steps that control leaves the statement from at its end."""
        if node is None:
            return before
        shape = self.table.shape(node, self.text)
        labels, self.pending_labels = self.pending_labels, ()
        if not isinstance(shape, Simple | Skip | Jump | Block):
            before = self.step(node, before)
            self.graph.heads.update(before)
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise TooDeep
        try:
            match shape:
                case Simple():
                    reached = self.step(shape.node, before)
                    return [] if self.table.leaves(shape.node, self.text, self.never) else reached
                case Skip():
                    return before
                case Block():
                    return self._block(shape, labels, before)
                case Jump():
                    return self._jump(shape, self.step(shape.node, before))
                case Branch():
                    return self._branch(shape, before)
                case Loop():
                    return self._loop(shape, labels, before)
                case Switch():
                    return self._switch(shape, labels, before)
                case Try():
                    return self._try(shape, before)
                case With():
                    return self._with(shape, before)
                case Labelled():
                    return self._labelled(shape, labels, before)
        finally:
            self.nesting -= 1

    def _block(self, shape: Block, labels: tuple[str, ...], before: list[int]) -> list[int]:
        if not labels:
            return self.sequence(shape.statements, before)
        target = _Target(labels, False, False)
        self.targets.append(target)
        left = self.sequence(shape.statements, before)
        self.targets.pop()
        return left + target.breaks

    def _labelled(self, shape: Labelled, labels: tuple[str, ...], before: list[int]) -> list[int]:
        at = self.step(None, before)
        self.labels[shape.label] = at[0]
        self.pending_labels = (*labels, shape.label)
        left = self.statement(shape.body, at)
        self.pending_labels = ()
        return left

    def _jump(self, shape: Jump, at: list[int]) -> list[int]:
        if shape.kind is JumpKind.GOTO:
            self.jumps.append((at[0], shape.label))
        elif shape.kind is JumpKind.FALL:
            self.falls += at
        elif shape.kind is not JumpKind.LEAVE:
            for target in reversed(self.targets):
                if shape.label:
                    is_meant = shape.label in target.labels
                else:
                    is_meant = target.is_loop or (shape.kind is JumpKind.BREAK and target.is_left_by_break)
                if is_meant:
                    (target.breaks if shape.kind is JumpKind.BREAK else target.continues).extend(at)
                    break
            else:
                return at  # a jump to nowhere is no program: say nothing about what follows
        return []

    def _branch(self, shape: Branch, before: list[int]) -> list[int]:
        if shape.before is not None:
            before = self.step(shape.before, before)
        left: list[int] = []
        for condition, body in shape.arms:
            tested = self.step(condition, before)
            truth = self.table.constant(condition, self.text)
            left += self.statement(body, tested if truth is not False else [])
            before = tested if truth is not True else []
        return left + self.statement(shape.other, before)

    def _loop(self, shape: Loop, labels: tuple[str, ...], before: list[int]) -> list[int]:
        if shape.before is not None:
            before = self.step(shape.before, before)
        truth = True if shape.condition is None else None if shape.is_over else self.table.constant(shape.condition, self.text)
        target = _Target(labels, True, True)
        top = self.step(None, before)
        tested = top if shape.tests_last or shape.condition is None else self.step(shape.condition, top)
        self.targets.append(target)
        entered = tested if truth is not False or shape.tests_last else []
        if shape.target is not None:
            entered = self.step(shape.target, entered)
        ended = self.statement(shape.body, entered) + target.continues
        self.targets.pop()
        if shape.update is not None:
            ended = self.step(shape.update, ended)
        if shape.tests_last and shape.condition is not None:
            ended = tested = self.step(shape.condition, ended)
        for one in ended:
            self.graph.after[one].append(top[0])
        done = [] if truth is True else list(tested)
        return self.statement(shape.other, done) + target.breaks

    def _switch(self, shape: Switch, labels: tuple[str, ...], before: list[int]) -> list[int]:
        for node in (shape.before, shape.subject):
            if node is not None:
                before = self.step(node, before)
        head = before
        target = _Target(labels, False, shape.is_left_by_break)
        self.targets.append(target)
        left: list[int] = []
        running: list[int] = []
        for arm in shape.arms:
            left_over = self._arm(arm, head, running)
            running = left_over if arm.falls else self.falls
            left += [] if arm.falls else left_over
            self.falls = []
        self.targets.pop()
        left += running + target.breaks
        return left if shape.is_exhaustive else left + head

    def _arm(self, arm: Arm, head: list[int], running: list[int]) -> list[int]:
        before = head
        for test in arm.tests:
            before = self.step(test, before)
        return self.sequence(arm.body, [*before, *running])

    def _try(self, shape: Try, before: list[int]) -> list[int]:
        if shape.before is not None:
            before = self.step(shape.before, before)
        first = len(self.graph.steps)
        start = self.step(None, before)
        left = self.statement(shape.body, start)
        thrown = list(range(first, len(self.graph.steps)))
        left = self.statement(shape.other, left)
        for caught, body in shape.handlers:
            entered = self.step(caught, thrown)
            left += self.statement(body, entered)
        if shape.final is None:
            return left
        unwound = self.step(None, range(first, len(self.graph.steps)))
        self.statement(shape.final, unwound)  # on the way out by an exception or a jump
        return self.statement(shape.final, left)

    def _with(self, shape: With, before: list[int]) -> list[int]:
        first = len(self.graph.steps)
        entered = self.step(shape.before, before)
        left = self.statement(shape.body, entered)
        if not shape.may_swallow:
            return left
        return self.step(None, [*left, *range(first, len(self.graph.steps))])


def build(table: FlowTable, body: Node, text: bytes, never: frozenset[str]) -> Graph:
    """Return the graph of a function's body; `never` are the functions of the file that never come back. Raises TooDeep."""
    builder = _Builder(table, text, never)
    builder.statement(body, [0])
    for step, label in builder.jumps:
        # A label that the function does not have could be anywhere in it.
        wanted = [builder.labels[label]] if label in builder.labels else range(1, len(builder.graph.steps))
        builder.graph.after[step] += wanted
    return builder.graph
