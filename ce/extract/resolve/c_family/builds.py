"""What CMake, Make and Meson files say about a tree of C: directories that are searched, files and directories that are installed.

No build file is run. Variables that stand for a directory of the tree are undone; a word with any other variable is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.context import Context, ancestors, base_name, directory_of, join, normal_path
from ce.facts.manifests import decode

__all__ = ["build_files", "build_roots", "installed", "words_of_builds"]

_MAKE = re.compile(r"(?:GNU)?[Mm]akefile(?:\..*)?|.*\.mk|.*\.pro|configure\.ac")
_COMMENT = re.compile(r"#[^\n]*")
_SOURCE = re.compile(r"\$\{(?:CMAKE_CURRENT_SOURCE_DIR|CMAKE_CURRENT_LIST_DIR)\}|\$\((?:srcdir|CURDIR)\)|\$\{srcdir\}")
_TOP = re.compile(
    r"\$\{(?:CMAKE_SOURCE_DIR|PROJECT_SOURCE_DIR|\w+_SOURCE_DIR|top_srcdir|TOP)\}|\$\((?:top_srcdir|TOP|TOPDIR|ROOT|abs_top_srcdir)\)|@top_srcdir@"
)
_PROJECT = re.compile(r"^\s*project\s*\(", re.IGNORECASE | re.MULTILINE)
_INTERFACE = re.compile(r"\$<(?:BUILD_INTERFACE|INSTALL_INTERFACE):([^<>]*)>")
_INCLUDED = re.compile(r"\b(?:target_)?include_directories\s*\(([^)]*)\)", re.IGNORECASE)
_OPTION = re.compile(r"(?:^|[\s=\"'])(?:-I|-isystem|-iquote)[ \t]*([^\s\"']+)")
_ASSIGNED = re.compile(r"(?m)^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*[:?]?=[ \t]*([\w./-]+|\$[({]\w+[)}][\w./-]*)[ \t]*$")
_SET = re.compile(r"\bset[ \t]*\([ \t]*(\w+)[ \t]+\"?([\w./-]+|\$\{\w+\}[\w./-]*)\"?[ \t]*\)", re.IGNORECASE)
_VARIABLE = re.compile(r"\$[({](\w+)[)}]")
_MAX_UNDONE = 8  # times that a variable stands for a word with another
_MAX_TEXT = 8 << 20
_MESON = re.compile(r"include_directories\s*\(([^)]*)\)")
_INSTALL = re.compile(r"\binstall\s*\(([^)]*)\)", re.IGNORECASE)
_MESON_INSTALL = re.compile(r"install_(?:headers|subdir)\s*\(([^)]*)\)")
_STRING = re.compile(r"'([^'\n]*)'")
_WORD = re.compile(r"[^\s\"();]+")


def build_files(context: Context) -> Iterator[tuple[str, str]]:
    """Yield the build files of the tree with their texts, comments left out."""
    for path in sorted(context.manifests):
        name = base_name(path)
        if name in ("CMakeLists.txt", "meson.build") or _MAKE.fullmatch(name):
            yield path, _undone(_COMMENT.sub("", decode(context.manifests[path])))


def _undone(text: str) -> str:
    """Return the text with the variables undone that it sets once, to a word."""
    if "$" not in text:
        return text
    pairs = [*_ASSIGNED.findall(text), *_SET.findall(text)]
    names = [name for name, _ in pairs]
    values = {name: value for name, value in pairs if names.count(name) == 1}
    for _ in range(_MAX_UNDONE if values else 0):
        replaced = _VARIABLE.sub(lambda match: values.get(match.group(1), match.group()), text)
        if replaced == text or len(replaced) > _MAX_TEXT:
            break
        text = replaced
    return text


def build_roots(context: Context) -> tuple[tuple[str, str], ...]:
    """Return the directories of the tree that build files have searched, each with the directory of the build file."""
    found: dict[tuple[str, str], None] = {}
    tops = _tops(context)
    for path, text in build_files(context):
        directory = directory_of(path)
        for word in _searched(base_name(path), text):
            place = _path(word, directory, _top(directory, tops))
            if place is not None and place in context.directories:
                found[place, directory] = None
    return tuple(found)


def _searched(name: str, text: str) -> Iterator[str]:
    if name == "CMakeLists.txt":
        for given in _INCLUDED.findall(_INTERFACE.sub(r"\1", text)):
            yield from (word for word in _WORD.findall(given) if not word.isupper() or "$" in word)
    elif name == "meson.build":
        for given in _MESON.findall(text):
            yield from _STRING.findall(given)
    else:
        yield from _OPTION.findall(text)


def installed(context: Context) -> Iterator[tuple[str, str]]:
    """Yield the directories whose headers a build file installs, with the build file."""
    tops = _tops(context)
    for path, text in build_files(context):
        name = base_name(path)
        directory = directory_of(path)
        top = _top(directory, tops)
        if name == "CMakeLists.txt":
            for given in _INSTALL.findall(text):
                words = _WORD.findall(given)
                if "DIRECTORY" in words[:1]:
                    yield from ((place, path) for word in words[1:] if (place := _path(word.rstrip("/"), directory, top)))
        elif name == "meson.build":
            for given in _MESON_INSTALL.findall(text):
                yield from ((place, path) for word in _STRING.findall(given) if (place := _path(word, directory, top)))


def words_of_builds(context: Context) -> Iterator[tuple[str, str]]:
    """Yield the paths that the words of CMake and Meson files can mean, with the place of the word."""
    tops = _tops(context)
    for path, text in build_files(context):
        directory = directory_of(path)
        top = _top(directory, tops)
        for number, line in enumerate(text.split("\n"), start=1):
            for word in _WORD.findall(line.replace("'", " ").replace(",", " ")):
                if "." in word and (place := _path(word, directory, top)):
                    yield place, f"{path}:{number}"


def _path(word: str, directory: str, top: str) -> str | None:
    """Return the path of the tree that a word means in a build file of a directory, None when a variable leaves it open."""
    word = _SOURCE.sub(".", _INTERFACE.sub(r"\1", word).strip("\"'"))
    start = directory
    if _TOP.match(word):
        start, word = top, _TOP.sub("", word, count=1).lstrip("/")
    if "$" in word or "@" in word or word.startswith(("/", "-")):
        return None
    return normal_path(join(start, word))


def _tops(context: Context) -> frozenset[str]:
    """Return the directories where a project begins."""
    return frozenset(
        directory_of(path) for path, text in build_files(context) if base_name(path) == "configure.ac" or _PROJECT.search(text) is not None
    )


def _top(directory: str, tops: frozenset[str]) -> str:
    return next((above for above in ancestors(directory) if above in tops), "")
