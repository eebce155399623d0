"""Which language a path is in, and how far that language is judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from ce.extract.languages import LANGUAGES

__all__ = ["Arm", "RegistryRow", "language_of", "language_rows"]


class Arm(StrEnum):
    """How far a language is judged."""

    CODE = "code"  # parsed: units, sites, complexity, clones
    DOCUMENT = "document"  # parsed: sections, links, text
    SIZE = "size"  # lines only
    PROSE = "prose"  # documentation duplication only, no size
    READ = "read"  # read for what it refers to, never judged


@dataclass(frozen=True, slots=True)
class RegistryRow:
    """The answer for a path.

    `is_specified`: the language has a table; if not, its files are size facts with the skip reason `unsupported_language`.
    """

    language: str
    arm: Arm
    is_specified: bool
    remark: str = ""


_SUFFIXES: dict[str, tuple[str, Arm]] = {
    suffix: (language, arm)
    for language, arm, suffixes in (
        ("python", Arm.CODE, "py pyi"),
        ("typescript", Arm.CODE, "ts mts cts"),
        ("tsx", Arm.CODE, "tsx"),
        ("javascript", Arm.CODE, "js mjs cjs jsx"),
        ("rust", Arm.CODE, "rs"),
        ("go", Arm.CODE, "go"),
        ("haskell", Arm.CODE, "hs"),
        ("c", Arm.CODE, "c"),
        ("cpp", Arm.CODE, "cpp cc cxx hpp hh hxx h inl"),
        ("lua", Arm.CODE, "lua"),
        ("java", Arm.CODE, "java"),
        ("r", Arm.CODE, "R r"),
        ("markdown", Arm.DOCUMENT, "md markdown"),
        ("html", Arm.DOCUMENT, "html htm"),
        ("css", Arm.SIZE, "css scss less"),
        ("vue", Arm.CODE, "vue"),
        ("svelte", Arm.CODE, "svelte"),
        ("astro", Arm.CODE, "astro"),
        ("mdx", Arm.CODE, "mdx"),
        ("shell", Arm.SIZE, "sh bash"),
        ("yaml", Arm.SIZE, "yml yaml"),
        ("text", Arm.PROSE, "txt"),
        ("rst", Arm.READ, "rst"),
        ("c_template", Arm.READ, "h.in hpp.in hh.in c.in cc.in cpp.in cxx.in l ll lex y yy ypp"),
        ("haskell_source", Arm.READ, "lhs hsc chs cpphs x ly"),
    )
    for suffix in suffixes.split()
}
_ARMS = dict(_SUFFIXES.values())
_NEVER = frozenset({"CMakeLists.txt", "compile_flags.txt", "robots.txt"})
_HAPPY = re.compile(rb"(?m)^(?:\{\s*)?module\s+[A-Z]")  # a grammar for Happy begins with the module that it makes, one for yacc does not
_SHEBANG = re.compile(rb"#![^\n]*?\b(python|pypy|bash|sh|dash|zsh|ksh|node|nodejs|deno|bun|lua|Rscript)[\d.]*(?:\s|$)")
_INTERPRETERS = {
    b"python": "python", b"pypy": "python", b"bash": "shell", b"sh": "shell", b"dash": "shell", b"zsh": "shell", b"ksh": "shell",
    b"node": "javascript", b"nodejs": "javascript", b"deno": "typescript", b"bun": "javascript", b"lua": "lua", b"Rscript": "r",
}  # fmt: skip


def language_of(path: str, head: bytes = b"") -> RegistryRow | None:
    """Return the language of a path, or None when no language claims it.

    The suffix decides, then the suffix in lower case (with a remark); a name without a suffix is asked for its first line: `head` is
    the start of the file.
    """
    name = path.rpartition("/")[2]
    if name in _NEVER:
        return None
    stem, dot, suffix = name.rpartition(".")
    if dot and stem:
        if suffix == "in":  # a template: the suffix before says what of
            suffix = f"{stem.rpartition('.')[2]}.in"
        found = _SUFFIXES.get(suffix)
        if suffix == "y" and _HAPPY.search(head):
            found = _SUFFIXES["x"]
        if found is not None:
            return _row(*found)
        found = _SUFFIXES.get(suffix.lower())
        return None if found is None else _row(*found, remark=f"the suffix `.{suffix}` is read as `.{suffix.lower()}`")
    shebang = _SHEBANG.match(head) if head.startswith(b"#!") else None
    if shebang is None:
        return None
    language = _INTERPRETERS[shebang.group(1)]
    return _row(language, _ARMS[language])


def language_rows() -> dict[str, RegistryRow]:
    """Return every suffix with its row."""
    return {suffix: _row(*found) for suffix, found in sorted(_SUFFIXES.items())}


def _row(language: str, arm: Arm, remark: str = "") -> RegistryRow:
    return RegistryRow(language, arm, arm is Arm.SIZE or language in LANGUAGES, remark)
