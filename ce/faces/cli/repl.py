"""The interactive question: `ce query` without a question on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ce.app.session import Reply, Session, is_complete
from ce.diagnostics import CeError
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    from ce.faces.cli.terminal import Terminal

__all__ = ["converse", "reader_for"]

_PROMPT, _MORE = "ce> ", "... "

# Gives a line for a prompt; raises EOFError at the end and KeyboardInterrupt when the user takes a line back.
Reader = Callable[[str], str]


def converse(session: Session, terminal: Terminal, read: Reader, *, interactive: bool) -> ExitCode:
    """Answer until the input ends or the user leaves; without a user, 2 when any line had a fault."""
    if interactive:
        terminal.remark(terminal.error_style.faint("ask a question, such as dead(F); .help shows more, .quit leaves"))
    faulty = False
    for text in _texts(read):
        try:
            reply = session.reply(text)
        except CeError as error:
            faulty = True
            _show_error(error, terminal)
            continue
        if reply.done:
            break
        faulty = _show(reply, terminal) or faulty
    return ExitCode.NOT_JUDGED if faulty and not interactive else ExitCode.OK


def reader_for(session: Session, *, interactive: bool, history: Path | None) -> Reader:
    """Return what reads lines: prompt_toolkit when it is installed, else readline, and plain lines without a terminal."""
    if not interactive:
        return _plain
    with suppress(ImportError):
        return _rich(session, history)
    _set_up_readline(session, history)
    return input


def _texts(read: Reader) -> Iterator[str]:
    """Yield the texts of the user; one that is not complete goes on, on the next line."""
    lines: list[str] = []
    while True:
        try:
            lines.append(read(_MORE if lines else _PROMPT))
        except EOFError:
            if lines:
                yield "\n".join(lines)
            return
        except KeyboardInterrupt:
            lines = []
            continue
        # An empty line ends a text that would go on for ever.
        if is_complete("\n".join(lines)) or not lines[-1].strip():
            yield "\n".join(lines)
            lines = []


def _show(reply: Reply, terminal: Terminal) -> bool:
    """Print a reply and tell whether it was cut off by a limit."""
    from ce.faces.cli.common import tell
    from ce.faces.cli.text import report_text

    if reply.lines:
        terminal.result("\n".join(reply.lines))
    report = reply.report
    if report is not None:
        tell(report.notes, report.warnings, report.sources, terminal)
        terminal.result(report_text(report, terminal.style))
    terminal.out.flush()
    return report is not None and report.degraded is not None


def _show_error(error: CeError, terminal: Terminal) -> None:
    from ce.faces.cli.text import diagnostic_text

    for diagnostic in error.diagnostics:
        terminal.error(diagnostic_text(diagnostic, error.sources, terminal.error_style))
    terminal.err.flush()


def _plain(_: str) -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _rich(session: Session, history: Path | None) -> Reader:
    """Return a reader with completion as one types. Raises ImportError when prompt_toolkit is not installed."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.completion import Completion as Offered
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    class Offers(Completer):
        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Offered]:
            before = document.text_before_cursor
            start, found = session.complete(before)
            for each in found:
                yield Offered(each.text, start - len(before), display_meta=each.detail[:60])

    kept = FileHistory(str(history)) if history is not None else InMemoryHistory()
    prompt: PromptSession[str] = PromptSession(history=kept, completer=Offers(), complete_while_typing=False)
    return lambda text: prompt.prompt(text)


def _set_up_readline(session: Session, history: Path | None) -> None:
    """Give `input` a history that is kept and completion on the tab key, where the platform has readline."""
    try:
        import readline
    except ImportError:
        return
    offered: list[str] = []

    def complete(_: str, number: int) -> str | None:
        nonlocal offered
        if number == 0:
            before = readline.get_line_buffer()[: readline.get_endidx()]
            start, found = session.complete(before)
            # Readline replaces what stands behind its own delimiter.
            offered = [each.text[readline.get_begidx() - start :] for each in found]
        return offered[number] if number < len(offered) else None

    readline.set_completer_delims(' \t\n"(),;:')
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    if history is not None:
        import atexit

        with suppress(OSError):
            readline.read_history_file(history)
        atexit.register(_keep_history, history)


def _keep_history(history: Path) -> None:
    import readline

    with suppress(OSError):
        readline.set_history_length(1000)
        readline.write_history_file(history)
