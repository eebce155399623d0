"""Which modules a text could mean whose start nobody explains: those whose paths end as it does."""

from __future__ import annotations

from functools import cached_property

from ce.extract.resolve.context import Context
from ce.extract.resolve.ecmascript.files import FAMILY, is_code, stem_of

__all__ = ["Likeness"]


class Likeness:
    """The modules of a tree by the ends of their paths."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def could_mean(self, text: str) -> tuple[str, ...]:
        """Return the files whose paths end as a specifier does that an unknown setting maps: `@/a/b` could be any `a/b`."""
        parts = [part for part in text.split("/") if part not in ("", ".", "..")]
        ends = parts[1:] if len(parts) > 1 else parts
        if not ends:
            return ()
        last = stem_of(ends[-1])
        found = []
        for stem, path in self._by_last_name.get(last, ()):
            if f"/{stem}".endswith("/" + "/".join([*ends[:-1], last])):
                found.append(path)
        return tuple(found)

    def only_one_ending(self, text: str, base: str) -> str:
        """Return the one module below a directory whose path ends as a relative path does, two names at least; else nothing."""
        ends = text.lstrip("./")
        if "/" not in ends or not is_code(ends):
            return ""
        fitting = [path for _, path in self._by_last_name.get(stem_of(ends.rpartition("/")[2]), ()) if f"/{path}".endswith(f"/{ends}")]
        fitting = [path for path in fitting if not base or path.startswith(base + "/")]
        return fitting[0] if len(fitting) == 1 else ""

    @cached_property
    def _by_last_name(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for path in self.context.paths:
            if self.context.files[path] in FAMILY:
                stem = stem_of(path)
                found.setdefault(stem.rpartition("/")[2], []).append((stem, path))
        return found
