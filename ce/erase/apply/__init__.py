"""Carrying a plan out: the only code that changes a user's file.

All checks precede the first write. A journal with every old byte is complete before the first write and is removed after the last
question, so that a crash, a full disk or a failed check ends in the old state or the new one, never between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from ce.diagnostics import CeError, Diagnostic
from ce.erase.apply import journal
from ce.erase.apply.files import Place, read_place, remove, replace
from ce.erase.apply.journal import Edit, JournalBroken
from ce.erase.apply.log import append, encode_row
from ce.erase.apply.preconditions import check_committed, check_repository, check_submodules, check_targets, check_worktree
from ce.erase.model import PlanRow, content_hash, plan_digest

__all__ = ["apply_rows", "is_unfinished", "recover", "spliced"]


def apply_rows(root: Path, rows: Sequence[PlanRow], *, certify: Callable[[], None], settle: Callable[[], str | None]) -> str:
    """Erase the rows of a plan and return the plan's digest.

    `certify` raises when a licence does not hold; it runs after all other checks, before the first write. `settle` runs after the
    last write and returns why the result may not stand (a verdict survived, the project's own check failed), or None.

    Raises CeError: CE701 to CE708 before anything is touched; CE710 (a write failed), CE711 (did not settle) after the old state is
    back; CE712 when even that failed, naming the files.
    """
    check_repository(root)
    check_worktree(root)
    check_submodules(root, rows)
    with journal.open_state(root) as (top, state), journal.lock(state) as held:
        if not held:
            raise CeError.of("CE707", "another `ce erase --apply` is at work in this tree", notes=["wait until it ends"])
        _check_no_journal(state)
        places = check_targets(top, rows)
        certify()
        check_committed(root, rows)
        plan = plan_digest(tuple(rows))
        edits = _edits(rows, places)
        try:
            journal.begin(state, plan, edits, [places[edit.path] for edit in edits])
        except OSError as error:
            raise CeError.of("CE710", f"the journal cannot be written, nothing was touched: {error.strerror or error}") from None
        try:
            _write_all(top, state, plan, edits)
            why = settle() or _meddled(top, edits)
            if why is None:
                journal.commit(state)
        except OSError as error:
            where = f" `{error.filename}`" if isinstance(error.filename, str) else ""
            _take_back(top, state, plan, edits, f"a write failed:{where} {error.strerror or error}", "CE710")
        except BaseException:
            _take_back(top, state, plan, edits, "it was interrupted", None)
            raise
        else:
            if why is not None:
                _take_back(top, state, plan, edits, why, "CE711")
            journal.discard(state)
        return plan


def is_unfinished(root: Path) -> bool:
    """Return whether an apply of the tree did not end: it was interrupted, or is at work."""
    return journal.is_there(root)


def recover(root: Path) -> str:
    """Bring a tree whose apply died to one state and return a sentence that says which.

    An apply that was committed is finished; any other is taken back, and the log says so. Raises CeError (CE708) when the journal is
    damaged, CE707 when an apply is at work, CE712 when a file was changed by somebody else meanwhile.
    """
    with journal.open_state(root) as (top, state), journal.lock(state) as held:
        if not held:
            raise CeError.of("CE707", "an apply is at work in this tree", notes=["wait until it ends"])
        try:
            found = journal.load(state)
        except JournalBroken as error:
            raise CeError.of("CE708", f"the journal cannot be used: {error}", notes=["`git status` shows what an apply changed"]) from None
        if found is None:
            return "nothing to recover: no apply was interrupted"
        plan, edits, committed = found
        if committed:
            journal.discard(state)
            return f"finished: the new state stands ({_files(edits)}, plan {plan[:16]})"
        _restore(top, state, plan, edits, "recovered after an interruption")
        return f"rolled back: the old state stands ({_files(edits)}, plan {plan[:16]})"


def spliced(data: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    """Return the bytes without the lines of the spans (1-based, inclusive); every other byte and line end stays.

    Spans may overlap: a line goes once.

    Raises ValueError when a span is empty or reaches behind the last line.
    """
    lines = data.splitlines(keepends=True)
    gone: set[int] = set()
    for start, end in spans:
        if not 1 <= start <= end <= len(lines):
            raise ValueError(f"the span {start}-{end} is not in a file of {len(lines)} lines")
        gone.update(range(start, end + 1))
    return b"".join(line for number, line in enumerate(lines, 1) if number not in gone)


def _check_no_journal(state: int) -> None:
    try:
        found = journal.load(state)
    except JournalBroken as error:
        raise CeError.of("CE708", f"a journal of an earlier apply is there and damaged: {error}") from None
    if found is not None:
        raise CeError.of("CE708", "an earlier apply was interrupted", notes=["run `ce erase --recover` first"])


def _edits(rows: Sequence[PlanRow], places: dict[str, Place]) -> tuple[Edit, ...]:
    edits = []
    for path, group in groupby(sorted(rows, key=lambda row: row.path), key=lambda row: row.path):
        own = tuple(group)
        place = places[path]
        spans = [row.span for row in own if row.span is not None]
        if len(spans) < len(own):
            edits.append(Edit(path, place.hash, None, place.mode, own))
            continue
        try:
            new = spliced(place.data, spans)
        except ValueError as error:
            raise CeError.of("CE705", f"`{path}`: {error}") from None
        edits.append(Edit(path, place.hash, content_hash(new), place.mode, own, new))
    return tuple(edits)


def _write_all(top: int, state: int, plan: str, edits: Sequence[Edit]) -> None:
    for number, edit in enumerate(edits):
        if edit.new is None:
            remove(top, edit.path, edit.old_hash)
        else:
            replace(top, edit.path, edit.new, edit.mode, journal.temporary_name(plan, number), edit.old_hash)
        for row in edit.rows:
            append(state, encode_row(row, plan))


def _meddled(top: int, edits: Sequence[Edit]) -> str | None:
    """Return which target is not as it was written: the project's own check may have put it back or rewritten it."""
    for edit in edits:
        place = read_place(top, edit.path)
        if (None if place is None else place.hash) != edit.new_hash:
            return f"`{edit.path}` was changed while the result was checked"
    return None


def _take_back(top: int, state: int, plan: str, edits: Sequence[Edit], why: str, code: str | None) -> None:
    _restore(top, state, plan, edits, why)
    if code is not None:
        raise CeError.of(code, f"rolled back, the old state stands: {why}")


def _restore(top: int, state: int, plan: str, edits: Sequence[Edit], why: str) -> None:
    faults: list[Diagnostic] = []
    for number, edit in enumerate(edits):
        try:
            _restore_one(top, state, plan, number, edit)
        except (OSError, JournalBroken) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            note = f"the old bytes are kept in `.ce/erase-journal/{number}.old`"
            faults.append(Diagnostic("CE712", f"`{edit.path}` could not be taken back: {reason}", notes=(note, why)))
    if faults:
        raise CeError(tuple(faults))
    for edit in edits:
        for row in edit.rows:
            # A full disk must not keep the old state from being complete; the next recover finds the journal settled.
            with suppress(OSError):
                append(state, encode_row(row, plan, taken_back=why))
    journal.discard(state)


def _restore_one(top: int, state: int, plan: str, number: int, edit: Edit) -> None:
    place = read_place(top, edit.path)
    now = None if place is None else place.hash
    if now != edit.old_hash:
        if now != edit.new_hash:
            raise JournalBroken("somebody else changed it meanwhile")
        old = journal.old_bytes(state, number, edit)
        if not journal.put_back(state, number, edit, top, edit.new_hash):
            replace(top, edit.path, old, edit.mode, journal.temporary_name(plan, number), edit.new_hash)
    _sweep(top, plan, number, edit)


def _sweep(top: int, plan: str, number: int, edit: Edit) -> None:
    """Remove the temporary file that a crash may have left beside a target."""
    folder, slash, _ = edit.path.rpartition("/")
    temporary = f"{folder}{slash}{journal.temporary_name(plan, number)}"
    left = read_place(top, temporary)
    if left is not None:
        remove(top, temporary, left.hash)


def _files(edits: Sequence[Edit]) -> str:
    return f"{len(edits)} file{'' if len(edits) == 1 else 's'}"
