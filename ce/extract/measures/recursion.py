"""Which functions call themselves, directly or in a cycle, as far as one file proves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ce.extract.drafts import Facts, UnitDraft

__all__ = ["count_recursion", "recursive_units"]

_MAX_PEELS = 8
_Functions = dict[tuple[int, str], list[int]]  # functions by the unit they stand in and their name


def count_recursion(facts: Facts, receivers: Sequence[str], *, equations: bool = False) -> None:
    """Add one to the cognitive complexity of every unit in a call cycle; `receivers` are the names of a unit's own object.

    With `equations` namesakes of one scope are one function, and each of them that makes a call of the cycle pays.
    """
    units = facts.units
    names = {unit.name for unit in units if unit.params >= 0}
    spelled = {name: name for name in names}  # what a call of a function of the file can look like, to the name
    for receiver in receivers:
        for name in names:
            spelled[f"{receiver}{name}" if receiver.endswith((":", ">")) else f"{receiver}.{name}"] = name
    calling = [(unit, common) for unit in units if unit.params >= 0 and unit.calls and (common := unit.calls.keys() & spelled.keys())]
    in_cycles = _names_in_cycles(calling, spelled)
    if not in_cycles:
        return
    functions: _Functions = {}
    bare: _Functions = {}  # those with nothing in front of their names
    for unit in units:
        if unit.params >= 0:
            functions.setdefault((unit.parent, unit.name), []).append(unit.index)
            if unit.key.startswith(unit.name):
                bare.setdefault((unit.parent, unit.name), []).append(unit.index)
    imported: set[tuple[int, str]] | None = None
    edges = {}
    for unit, common in calling:
        if unit.name in in_cycles:
            if imported is None:
                imported = {(site.owner, local) for site in facts.sites for _, local in site.names}
            targets = {_proved_target(units, functions, bare, imported, unit, callee, spelled[callee], equations) for callee in common}
            targets.discard(-1)
            if targets:
                edges[unit.index] = targets
    callers: dict[int, set[int]] = {}  # a function to those of its equations that call
    if equations:
        for index in edges:
            callers.setdefault(functions[units[index].parent, units[index].name][0], set()).add(index)
        edges = {first: set().union(*(edges[index] for index in own)) for first, own in callers.items()}
    for index in recursive_units({unit: targets & edges.keys() for unit, targets in edges.items() if not targets.isdisjoint(edges)}):
        for caller in callers.get(index, (index,)):
            units[caller].cognitive += 1


def _names_in_cycles(calling: list[tuple[UnitDraft, set[str]]], spelled: dict[str, str]) -> dict[str, set[str]]:
    """Return functions by name with what they call, less those that no cycle can go through: most files are left with none."""
    graph: dict[str, set[str]] = {}
    for unit, common in calling:
        graph.setdefault(unit.name, set()).update([spelled[callee] for callee in common])
    for _ in range(_MAX_PEELS):
        called = set().union(*graph.values())
        kept = {name: targets for name, targets in graph.items() if name in called and not targets.isdisjoint(graph)}
        if len(kept) == len(graph):
            break
        graph = kept
    return graph


def _proved_target(
    units: list[UnitDraft],
    functions: _Functions,
    bare: _Functions,
    imported: set[tuple[int, str]],
    caller: UnitDraft,
    callee: str,
    name: str,
    equations: bool,
) -> int:
    """Return the one function that the call can mean, else -1.

    A bare name means the functions of the scopes around that are no members, unless the body of the caller imports the name; a
    call through the receiver means the members of the caller's own type, or what is declared with the same name in front (`M:grow`).
    """
    if callee != name:
        found = functions.get((caller.parent, name), [])
        if not _is_type(units, caller.parent):
            own = _qualifier(caller)
            found = [index for index in found if own and _qualifier(units[index]) == own]
        return found[0] if len(found) == 1 or (equations and found) else -1
    scopes = [caller.index, caller.parent]
    while scopes[-1] >= 0:
        scopes.append(units[scopes[-1]].parent)
    seen = [bare[scope, name] for scope in scopes if (scope, name) in bare and not _is_type(units, scope)]
    return seen[0][0] if len(seen) == 1 and (equations or len(seen[0]) == 1) and (caller.index, name) not in imported else -1


def _qualifier(unit: UnitDraft) -> str:
    """Return what stands in front of the last name in the key of a unit, up to a dot or a colon."""
    before = unit.key.partition("/")[0].removesuffix(unit.name)
    return before.rstrip(".:") if before.endswith((".", ":")) else ""


def _is_type(units: list[UnitDraft], scope: int) -> bool:
    return scope >= 0 and units[scope].kind.is_type


def recursive_units(edges: Mapping[int, set[int]]) -> set[int]:
    """Return the units that stand in a call cycle: a component larger than one, or a call of itself.

    `edges[u]` are the units that `u` provably calls. Tarjan's algorithm with its own stack.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    found: set[int] = set()
    work: list[tuple[int, Iterator[int]]] = []

    def begin(unit: int) -> None:
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        on_stack.add(unit)
        work.append((unit, iter(sorted(edges.get(unit, ())))))

    for root in sorted(edges):
        if root not in index:
            begin(root)
        while work:
            unit, rest = work[-1]
            below = next(rest, None)
            if below is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[unit])
                if low[unit] == index[unit]:
                    found |= _component(unit, stack, on_stack, edges)
            elif below not in index:
                begin(below)
            elif below in on_stack:
                low[unit] = min(low[unit], index[below])
    return found


def _component(root: int, stack: list[int], on_stack: set[int], edges: Mapping[int, set[int]]) -> set[int]:
    component = set()
    while True:
        unit = stack.pop()
        on_stack.discard(unit)
        component.add(unit)
        if unit == root:
            break
    return component if len(component) > 1 or root in edges.get(root, ()) else set()
