"""Constant texts that are the dotted name of something in the tree: `pkg.mod:func`, `pkg.mod.Class.method`."""

from __future__ import annotations

import re

from ce.extract.names.link.atoms import OBJECT
from ce.extract.names.link.evaluate import Evaluator

__all__ = ["IDENTIFIER", "DottedNames"]

IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*(?::[^\W\d]\w*(?:\.[^\W\d]\w*)*)?")
_LONGEST = 200


class DottedNames:
    """The dotted names of the Python modules of a tree and what is in them."""

    def __init__(self, evaluator: Evaluator) -> None:
        """Take the modules by their full names."""
        self._evaluator = evaluator
        self._modules: dict[str, list[int]] = {}
        for gid, name in evaluator.lookup.modules.names.items():
            if name:
                self._modules.setdefault(name, []).append(gid)
        # A test run may put a directory of the tree on the path, so the end of a module's name counts where no module has the whole.
        self._tails: dict[str, list[int]] = {}
        for name, gids in sorted(self._modules.items()):
            rest = name.partition(".")[2]
            while rest:
                self._tails.setdefault(rest, []).extend(gids)
                rest = rest.partition(".")[2]
        self._tops = {name.partition(".")[0] for name in (*self._modules, *self._tails)}
        self._known: dict[str, tuple[int, ...]] = {}

    def definitions(self, text: str) -> tuple[int, ...]:
        """Return what a text with a dot or a colon names, each definition on the way from the module too; nothing unless all of it fits."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._definitions(text)
        return known

    def _definitions(self, text: str) -> tuple[int, ...]:
        if len(text) > _LONGEST or not ("." in text or ":" in text) or text.partition(":")[0].partition(".")[0] not in self._tops:
            return ()
        if not _DOTTED.fullmatch(text):
            return ()
        module, colon, inner = text.partition(":")
        parts = module.split(".")
        shortest = len(parts) if colon else 1
        for length in range(len(parts), shortest - 1, -1):
            found: dict[int, None] = {}
            rest = [*parts[length:], *(inner.split(".") if inner else ())]
            name = ".".join(parts[:length])
            for gid in self._modules.get(name) or (self._tails.get(name, []) if rest else []):
                found.update(dict.fromkeys(self._inside(gid, rest)))
            if found:
                return tuple(found)
        return ()

    def _inside(self, module: int, rest: list[str]) -> list[int]:
        evaluator = self._evaluator
        atoms = {module << 2 | OBJECT}
        passed = [module]
        for name in rest:
            inner: list[int] = []
            for atom in atoms:
                inner += evaluator.member(atom, name).definitions
            if not inner:
                return []
            passed += inner
            atoms = {atom for atom in evaluator.atoms_of(inner) if isinstance(atom, int)}
        return passed
