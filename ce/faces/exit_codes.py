"""How a command ends."""

from __future__ import annotations

from enum import IntEnum

from ce.verdicts.gate import Outcome

__all__ = ["ExitCode"]


class ExitCode(IntEnum):
    """The exit codes of every command."""

    OK = 0
    """The command did what was asked; a gate passed."""

    GATE_FAILED = 1
    """A gate found what it forbids: a violation of severity `error`, a dead file under `--check`."""

    NOT_JUDGED = 2
    """Nothing was judged: bad usage, a fault in a program or a file, a limit crossed, nothing to judge."""

    INTERRUPTED = 130
    """The user stopped the command."""

    @classmethod
    def of(cls, outcome: Outcome) -> ExitCode:
        """Return the code of a gate's outcome."""
        return {Outcome.PASSED: cls.OK, Outcome.FAILED: cls.GATE_FAILED, Outcome.NOT_JUDGED: cls.NOT_JUDGED}[outcome]
