"""Compiler command lines: how they are split into words, and the directories that they have searched.

Commands of a compile database are split as clang does: blanks separate, quotes group, a backslash keeps the next character. Commands of
`cl` and `clang-cl` follow the rules of Windows, where a backslash is itself unless quotes come behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Chain", "chain_of", "is_windows_command", "split_posix", "split_windows", "words_of"]

_MAX_WORDS = 100_000
_MAX_FILES = 16  # response files in one command
_WINDOWS = re.compile(r"(?:.*[/\\])?(?:cl|clang-cl)(?:-\d+)?(?:\.exe)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Chain:
    """The directories that one command has searched, in order, and the files that it includes before the first line.

    Directories are as written, joined with that of the command. `frameworks` are those of `angled` that hold frameworks. `no_own`: the
    directory of the including file is not searched (`-I-`).
    """

    quoted: tuple[str, ...] = ()
    angled: tuple[str, ...] = ()
    frameworks: frozenset[str] = frozenset()
    forced: tuple[str, ...] = ()
    no_own: bool = False


def split_posix(command: str) -> list[str]:
    """Return the words of a command as clang splits it."""
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    at = 0
    while at < len(command) and len(words) < _MAX_WORDS:
        character = command[at]
        at += 1
        if quote == "'":
            if character == "'":
                quote = ""
            else:
                assert word is not None
                word.append(character)
            continue
        if character == "\\" and at < len(command):
            word = [] if word is None else word
            word.append(command[at])
            at += 1
        elif quote:
            if character == quote:
                quote = ""
            else:
                assert word is not None
                word.append(character)
        elif character in "\"'":
            quote = character
            word = [] if word is None else word
        elif character in " \t\r\n":
            if word is not None:
                words.append("".join(word))
                word = None
        else:
            word = [] if word is None else word
            word.append(character)
    if word is not None:
        words.append("".join(word))
    return words


def split_windows(command: str) -> list[str]:
    """Return the words of a command by the rules of Windows."""
    words: list[str] = []
    word: list[str] | None = None
    quoted = False
    at = 0
    while at < len(command) and len(words) < _MAX_WORDS:
        character = command[at]
        if character == "\\":
            end = at
            while end < len(command) and command[end] == "\\":
                end += 1
            count = end - at
            word = [] if word is None else word
            if command[end : end + 1] == '"':
                word.append("\\" * (count // 2))
                if count % 2:
                    word.append('"')
                    end += 1
            else:
                word.append("\\" * count)
            at = end
            continue
        at += 1
        if character == '"':
            word = [] if word is None else word
            if quoted and command[at : at + 1] == '"':
                word.append('"')
                at += 1
            else:
                quoted = not quoted
        elif character in " \t\r\n" and not quoted:
            if word is not None:
                words.append("".join(word))
                word = None
        else:
            word = [] if word is None else word
            word.append(character)
    if word is not None:
        words.append("".join(word))
    return words


def is_windows_command(words: Sequence[str]) -> bool:
    """Return whether the program of a command is a compiler that takes options of Windows."""
    return bool(words) and _WINDOWS.fullmatch(words[0]) is not None


def words_of(words: Sequence[str], read: Callable[[str], str | None], *, windows: bool) -> list[str]:
    """Return the words with each `@file` replaced by the words in it, as far as `read` has its text."""
    found: list[str] = []
    pending = list(reversed(words))
    files = 0
    while pending and len(found) < _MAX_WORDS:
        word = pending.pop()
        text = read(word[1:]) if word.startswith("@") and files < _MAX_FILES else None
        if text is None:
            found.append(word)
        else:
            files += 1
            pending.extend(reversed(split_windows(text) if windows else split_posix(text)))
    return found


_QUOTE, _ANGLE, _SYSTEM, _AFTER, _FRAMEWORK, _SYSTEM_FRAMEWORK, _FORCED = range(7)
_OPTIONS = (
    ("-iquote", _QUOTE), ("-isystem-after", _AFTER), ("-isystem", _SYSTEM), ("-idirafter", _AFTER), ("-iframework", _SYSTEM_FRAMEWORK),
    ("-imsvc", _SYSTEM), ("-include", _FORCED), ("--include-directory=", _ANGLE), ("--include=", _FORCED), ("-I", _ANGLE),
    ("-F", _FRAMEWORK),
)  # fmt: skip
_WINDOWS_OPTIONS = (
    ("/external:I", _SYSTEM),
    ("-external:I", _SYSTEM),
    ("/imsvc", _SYSTEM),
    ("/FI", _FORCED),
    ("-FI", _FORCED),
    ("/I", _ANGLE),
)


def chain_of(words: Sequence[str], *, windows: bool) -> Chain:
    """Return what a command has searched."""
    found: dict[int, list[str]] = {kind: [] for kind in range(7)}
    frameworks: set[str] = set()
    no_own = False
    for kind, value in _searched(words, windows=windows):
        if kind < 0:  # `-I-`: what stands before it is for quoted names alone
            found[_QUOTE] += found[_ANGLE]
            found[_ANGLE] = []
            no_own = True
            continue
        if kind in (_FRAMEWORK, _SYSTEM_FRAMEWORK):
            frameworks.add(value)
        found[{_FRAMEWORK: _ANGLE, _SYSTEM_FRAMEWORK: _SYSTEM}.get(kind, kind)].append(value)
    angled = (*found[_ANGLE], *found[_SYSTEM], *found[_AFTER])
    return Chain(tuple(found[_QUOTE]), angled, frozenset(frameworks), tuple(found[_FORCED]), no_own)


def _searched(words: Sequence[str], *, windows: bool) -> Iterator[tuple[int, str]]:
    options = (*_WINDOWS_OPTIONS, *_OPTIONS) if windows else _OPTIONS
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        if word in ("-I-", "--include-barrier"):
            yield -1, ""
            continue
        for option, kind in options:
            if word == option and at < len(words):
                yield kind, words[at]
                at += 1
                break
            # `-include-pch x` and the like are other options.
            if word.startswith(option) and len(word) > len(option) and not (option == "-include" and word[len(option)] == "-"):
                yield kind, word[len(option) :]
                break
