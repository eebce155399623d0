"""What a statement does with control, whatever the language spells it like. A language's table turns its nodes into these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "Arm",
    "Block",
    "Branch",
    "FlowTable",
    "Jump",
    "JumpKind",
    "Labelled",
    "Loop",
    "Shape",
    "Simple",
    "Skip",
    "Switch",
    "Try",
    "With",
    "parts",
]


class JumpKind(Enum):
    """Where a jump goes: out of the function, out of a loop, to its next round, to a label, into the next arm of a switch."""

    LEAVE = "leave"
    BREAK = "break"
    CONTINUE = "continue"
    GOTO = "goto"
    FALL = "fall"


@dataclass(frozen=True, slots=True)
class Simple:
    """A statement that control enters and leaves at its end."""

    node: Node


@dataclass(frozen=True, slots=True)
class Skip:
    """What stands among statements and runs nothing: comments, hoisted functions."""


@dataclass(frozen=True, slots=True)
class Jump:
    """A statement that control leaves elsewhere. `label` is empty for the innermost loop."""

    node: Node
    kind: JumpKind
    label: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Statements, one after the other."""

    statements: Sequence[Node]


@dataclass(frozen=True, slots=True)
class Branch:
    """Conditions tried in order, each with what runs when it holds, and what runs when none does."""

    arms: Sequence[tuple[Node, Node | None]]
    other: Node | None = None
    before: Node | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop. `condition` is what is looked at before each round, or after it with `tests_last`; None loops until a jump leaves.

    `is_over` says that the rounds are those of a collection, so `condition` is no truth value. `other` runs when the loop ends by itself.
    """

    condition: Node | None
    body: Node | None
    before: Node | None = None
    update: Node | None = None
    other: Node | None = None
    tests_last: bool = False
    is_over: bool = False
    target: Node | None = None


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a switch: what is compared, what runs, and whether control runs on into the next arm."""

    tests: Sequence[Node]
    body: Sequence[Node]
    falls: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """A choice among arms. `is_exhaustive`: one of them always runs. `is_left_by_break`: a plain `break` leaves it."""

    subject: Node | None
    arms: Sequence[Arm]
    is_exhaustive: bool
    is_left_by_break: bool
    before: Node | None = None


@dataclass(frozen=True, slots=True)
class Try:
    """A body that anything in it may leave for the handlers; `other` runs when nothing did, `final` in any case."""

    body: Node | None
    handlers: Sequence[tuple[Node | None, Node | None]]  # what is caught, what runs
    other: Node | None = None
    final: Node | None = None
    before: Node | None = None


@dataclass(frozen=True, slots=True)
class With:
    """A body with a keeper around it. With `may_swallow` anything in it may end it, and control goes on behind it."""

    before: Node
    body: Node | None
    may_swallow: bool


@dataclass(frozen=True, slots=True)
class Labelled:
    """A statement that jumps can name."""

    label: str
    body: Node | None
    node: Node


Shape = Simple | Skip | Jump | Block | Branch | Loop | Switch | Try | With | Labelled


def parts(shape: Shape) -> list[Sequence[Node]]:
    """Return the runs of statements that a statement holds."""
    match shape:
        case Block():
            return [shape.statements]
        case Branch():
            found = [*(body for _, body in shape.arms), shape.other]
        case Loop():
            found = [shape.body, shape.other]
        case Switch():
            return [arm.body for arm in shape.arms]
        case Try():
            found = [shape.body, *(body for _, body in shape.handlers), shape.other, shape.final]
        case With() | Labelled():
            found = [shape.body]
        case _:
            return []
    return [[body] for body in found if body is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowTable:
    """How one language's statements flow.

    `functions` are the kinds of nodes with a body of their own, in the field `body`. `shape(node, text)` says what a statement does.
    `constant(node, text)` is the truth value of a condition that is written as a constant, None for any other. `leaves(node, text,
    never)` says whether a statement calls what never comes back; `never` are the functions of the file for which
    `never_returning(function, text)` holds. `must_stay(node)` names what a statement does by merely standing there (`yield` makes a
    generator), empty for nothing. `is_opaque(body)` says that the text of a body is not what is compiled (directives). `names(node, text)`
    are the local names that a statement or an expression reads and gives values to, None when the language's values are not followed;
    `shared(body, text)` those that inner scopes can see, with `*` when something can see them all.
    """

    functions: frozenset[str]
    shape: Callable[[Node, bytes], Shape]
    constant: Callable[[Node, bytes], bool | None]
    leaves: Callable[[Node, bytes, frozenset[str]], bool]
    must_stay: Callable[[Node], str]
    is_opaque: Callable[[Node], bool] = lambda _body: False
    never_returning: Callable[[Node, bytes], bool] = lambda _node, _text: False
    names: Callable[[Node, bytes], Names] | None = None
    shared: Callable[[Node, bytes], frozenset[str]] | None = None


@dataclass(slots=True)
class Names:
    """Local names of one statement: `reads`, `writes` (name and line of a plain assignment), `binds` (given a value in any other way)."""

    reads: set[str] = field(default_factory=set)
    writes: list[tuple[str, int]] = field(default_factory=list)
    binds: set[str] = field(default_factory=set)
