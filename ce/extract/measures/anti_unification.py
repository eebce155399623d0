"""Anti-unification: the most special template of which several terms are instances, and what each puts into its holes.

Plotkin, *A Note on Inductive Generalization* (1970), and Reynolds (1970), for nodes with as many children on all sides; where the numbers
differ, a hole stands for a run of children, possibly none (hedges: Kutsia, Levy, Villaret 2014). Holes with equal contents on every side
are one. The terms are folded one after the other, in an order that their tokens give: the order of the copies has no say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ce.extract.measures.terms import Term

__all__ = ["Branch", "Hole", "Part", "Place", "Template", "Whole", "anti_unify", "first_tokens", "instance"]

_CELLS = 20_000  # of a table of similarities; above it children are aligned by equality alone


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A part that is equal in all terms: the nodes themselves."""

    terms: tuple[Term, ...]

    @property
    def term(self) -> Term:
        """Return the node of the first term."""
        return self.terms[0]


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place where the terms differ. `hole` is the number of the hole, from 1 in order of first appearance.

    `contents` has for every distinct term the nodes that stand there.
    """

    hole: int
    contents: tuple[tuple[Term, ...], ...]


@dataclass(slots=True, eq=False)
class Branch:
    """A node that all terms have, whose children differ: the nodes themselves, and the parts of the template below."""

    terms: tuple[Term, ...]
    parts: list[Part]


Part = Whole | Place | Branch


@dataclass(frozen=True, slots=True)
class Hole:
    """All places with the same contents."""

    number: int
    contents: tuple[tuple[Term, ...], ...]
    places: int


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """The generalisation of some terms.

    `terms` are the distinct ones in the order of the fold, `of` tells which of them each given term is.
    """

    root: Part
    holes: tuple[Hole, ...]
    terms: tuple[Term, ...]
    of: tuple[int, ...]


def anti_unify(terms: Sequence[Term]) -> Template:
    """Return the template of terms of one `Terms`, at least one."""
    first = {term.number: term for term in reversed(terms)}
    distinct = tuple(sorted(first.values(), key=lambda term: (term.tokens(), tuple(leaf.kind for leaf in term.leaves()))))
    position = {term.number: index for index, term in enumerate(distinct)}
    root = _numbered(_generalised(distinct))
    return Template(root, _holes(root), distinct, tuple(position[term.number] for term in terms))


def instance(template: Template, number: int) -> tuple[str, ...]:
    """Return the tokens of the template with the contents of the holes in one of its distinct terms."""
    tokens: list[str] = []
    for part in _leaves(template.root):
        for term in (part.terms[number],) if isinstance(part, Whole) else part.contents[number]:
            tokens += term.tokens()
    return tuple(tokens)


def first_tokens(template: Template) -> dict[int, tuple[int, ...]]:
    """Return for every hole the number of tokens before its first place, in each distinct term."""
    before = [0] * len(template.terms)
    found: dict[int, tuple[int, ...]] = {}
    for part in _leaves(template.root):
        if isinstance(part, Place):
            found.setdefault(part.hole, tuple(before))
        for copy in range(len(before)):
            before[copy] += part.term.size if isinstance(part, Whole) else sum(term.size for term in part.contents[copy])
    return found


def _leaves(root: Part) -> Iterator[Whole | Place]:
    pending = [root]
    while pending:
        part = pending.pop()
        if isinstance(part, Branch):
            pending.extend(reversed(part.parts))
        else:
            yield part


def _holes(root: Part) -> tuple[Hole, ...]:
    places = [part for part in _leaves(root) if isinstance(part, Place)]
    counts = Counter(place.hole for place in places)
    contents = {place.hole: place.contents for place in places}
    return tuple(Hole(number, contents[number], counts[number]) for number in sorted(counts))


def _numbered(root: Part) -> Part:
    """Give the places the numbers of their holes, in reading order: equal contents, one number."""
    numbers: dict[tuple[tuple[int, ...], ...], int] = {}
    top = [root]
    pending: list[tuple[list[Part], int]] = [(top, 0)]
    while pending:
        parts, at = pending.pop()
        part = parts[at]
        if isinstance(part, Branch):
            pending.extend((part.parts, below) for below in reversed(range(len(part.parts))))
        elif isinstance(part, Place):
            key = tuple(tuple(term.number for term in side) for side in part.contents)
            parts[at] = Place(numbers.setdefault(key, len(numbers) + 1), part.contents)
    return top[0]


def _generalised(roots: tuple[Term, ...]) -> Part:
    """Return the template with all places numbered 0."""
    top: list[Part] = [Whole(roots)]
    pending: list[tuple[tuple[Term, ...], list[Part], int]] = [(roots, top, 0)]
    while pending:
        terms, parts, at = pending.pop()
        first = terms[0]
        if all(term.number == first.number for term in terms):
            parts[at] = Whole(terms)
        elif first.children and all(term.kind == first.kind and term.children for term in terms):
            branch = Branch(terms, [])
            parts[at] = branch
            for column in _columns([term.children for term in terms]):
                if all(len(side) == 1 for side in column):
                    nodes = tuple(side[0] for side in column)
                    branch.parts.append(Whole(nodes))
                    pending.append((nodes, branch.parts, len(branch.parts) - 1))
                else:
                    branch.parts.append(Place(0, column))
        else:
            parts[at] = Place(0, tuple((term,) for term in terms))
    return top[0]


Column = tuple[tuple[Term, ...], ...]


def _columns(lists: list[tuple[Term, ...]]) -> Iterator[Column]:
    """Yield lists of children cut into columns: one node on every side, or a run that has no partner."""
    if _is_record(lists):
        yield from (tuple((side[at],) for side in lists) for at in range(len(lists[0])))
        return
    matches = _matches(lists)
    before = tuple(0 for _ in lists)
    for match in (*matches, tuple(len(side) for side in lists)):
        run = tuple(side[start:stop] for side, start, stop in zip(lists, before, match, strict=True))
        yield from _split(run)
        if match[0] < len(lists[0]):
            yield tuple((side[at],) for side, at in zip(lists, match, strict=True))
        before = tuple(at + 1 for at in match)


def _is_record(lists: list[tuple[Term, ...]]) -> bool:
    """Tell whether all sides have the same children by name, each of a name of its own: then they belong together whatever they are."""
    fields = [term.field for term in lists[0]]
    named = [name for name in fields if name]
    return (
        bool(named)
        and len(set(named)) == len(named)
        and all([term.field for term in side] == fields for side in lists[1:])
        and all(term.field or not term.named for term in lists[0])
    )


def _split(run: Column) -> Iterator[Column]:
    """Yield a run without partners as columns: what is equal on all sides is no part of a hole."""
    pending = [run]
    while pending:
        sides = pending.pop()
        if not any(sides):
            continue
        if all(len(side) == 1 for side in sides):
            yield sides
            continue
        shared = set.intersection(*({term.number for term in side} for side in sides))
        if not shared:
            yield sides
            continue
        largest = max((term for term in sides[0] if term.number in shared), key=lambda term: term.size)
        cuts = [next(at for at, term in enumerate(side) if term.number == largest.number) for side in sides]
        behind = tuple(side[cut + 1 :] for side, cut in zip(sides, cuts, strict=True))
        pending.append(behind)
        before = tuple(side[:cut] for side, cut in zip(sides, cuts, strict=True))
        pending.append(tuple((side[cut],) for side, cut in zip(sides, cuts, strict=True)))
        pending.append(before)


def _matches(lists: list[tuple[Term, ...]]) -> list[tuple[int, ...]]:
    """Return the positions of the children that belong together on all sides, ascending on each."""
    first = lists[0]
    kept = list(range(len(first)))
    found: list[dict[int, int]] = [{at: at for at in kept}]
    for side in lists[1:]:
        partners = _aligned([first[at] for at in kept], side)
        found.append({kept[one]: two for one, two in partners})
        kept = [kept[one] for one, _ in partners]
    return [tuple(partner[at] for partner in found) for at in kept]


def _aligned(a: Sequence[Term], b: Sequence[Term]) -> list[tuple[int, int]]:
    """Return the pairs of an alignment of two lists that keeps most of what they share."""
    start, stop_a, stop_b = 0, len(a), len(b)
    while start < min(stop_a, stop_b) and a[start].number == b[start].number:
        start += 1
    while stop_a > start and stop_b > start and a[stop_a - 1].number == b[stop_b - 1].number:
        stop_a, stop_b = stop_a - 1, stop_b - 1
    middle = _by_similarity(a[start:stop_a], b[start:stop_b])
    return (
        [(at, at) for at in range(start)]
        + [(one + start, two + start) for one, two in middle]
        + [(stop_a + at, stop_b + at) for at in range(len(a) - stop_a)]
    )


def _by_similarity(a: Sequence[Term], b: Sequence[Term]) -> list[tuple[int, int]]:
    if len(a) == len(b) and (len(a) == 1 or len(a) * len(b) > _CELLS) and all(map(_are_akin, a, b)):
        return [(at, at) for at in range(len(a))]
    if len(a) * len(b) > _CELLS:
        matcher = SequenceMatcher(None, [term.number for term in a], [term.number for term in b])
        return [(one + at, two + at) for one, two, length in matcher.get_matching_blocks() for at in range(length)]
    bags: dict[int, Counter[int]] = {}
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    weights = [[_weight(one, two, bags) for two in b] for one in a]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            taken = best[i + 1][j + 1] + weights[i][j] if weights[i][j] else 0
            best[i][j] = max(taken, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if weights[i][j] and best[i][j] == best[i + 1][j + 1] + weights[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _are_akin(one: Term, two: Term) -> bool:
    return one.kind == two.kind and one.field == two.field


def _weight(one: Term, two: Term, bags: dict[int, Counter[int]]) -> int:
    """Return how much two nodes share, 0 when they are of different kinds."""
    if one.number == two.number:
        return 4 * one.size + 1
    if not _are_akin(one, two):
        return 0
    return 1 + 2 * (_bag(one, bags) & _bag(two, bags)).total() if one.children and two.children else 1


def _bag(term: Term, bags: dict[int, Counter[int]]) -> Counter[int]:
    bag = bags.get(term.number)
    if bag is None:
        bag = bags[term.number] = Counter(leaf.number for leaf in term.leaves())
    return bag
