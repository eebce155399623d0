"""Manifests as plain values: TOML, INI, JSON with comments, the literal arguments of `setup(…)`, requirement lists.

Nothing here runs or imports what it reads. A broken manifest is an empty one and leaves one sentence in `problems`.
"""

from __future__ import annotations

import ast
import configparser
import json
import re
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

__all__ = [
    "FindPackages",
    "decode",
    "json_document",
    "line_of",
    "normalised",
    "requirement_name",
    "requirement_names",
    "sections",
    "setup_arguments",
    "strings",
    "table",
    "tables",
    "text_at",
    "toml_document",
]

Sections = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class FindPackages:
    """The call `find_packages(where, include=…, exclude=…)` in a setup script; `namespaces` for `find_namespace_packages`."""

    where: str = "."
    include: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()
    namespaces: bool = False


def decode(data: bytes) -> str:
    """Return the text of a manifest; bytes that are not UTF-8 are kept as replacement characters."""
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def toml_document(data: bytes, path: str, problems: list[str]) -> dict[str, object]:
    """Return the document, empty when it cannot be read."""
    try:
        return tomllib.loads(decode(data).replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        problems.append(f"{path}: not readable as TOML ({error})")
        return {}


def sections(data: bytes, path: str, problems: list[str]) -> Sections:
    """Return the sections of an INI file with their keys in lower case, empty when it cannot be read."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, comment_prefixes=("#", ";"), default_section="\0")
    try:
        parser.read_string(decode(data))
    except configparser.Error as error:
        problems.append(f"{path}: not readable as an INI file ({str(error).splitlines()[0]})")
        return {}
    return {name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()}


def json_document(data: bytes, path: str, problems: list[str]) -> dict[str, object]:
    """Return the top-level object, comments and trailing commas allowed, empty when it cannot be read or is no object."""
    text = decode(data)
    try:
        try:
            document = json.loads(text)
        except ValueError:
            document = json.loads(_without_comments(text))
    except (ValueError, RecursionError) as error:
        problems.append(f"{path}: not readable as JSON ({error})")
        return {}
    return document if isinstance(document, dict) else {}


_JSON_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)


def _without_comments(text: str) -> str:
    return _JSON_TOKEN.sub(lambda match: match.group() if match.group().startswith('"') else " ", text)


def setup_arguments(data: bytes, path: str, problems: list[str]) -> dict[str, object]:
    """Return the arguments of the call of `setup` whose values are literals, names of literals, or `find_packages` calls."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(data.removeprefix(b"\xef\xbb\xbf"))
        literals = _Literals(module)
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and _called_name(node) == "setup":
                return literals.arguments(node)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        problems.append(f"{path}: not readable as Python ({error})")
    return {}


_UNKNOWN = object()


class _Literals:
    """The values of expressions that can be told without running the module."""

    def __init__(self, module: ast.Module) -> None:
        self.names: dict[str, object] = {}
        for statement in module.body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
                self.names[statement.targets[0].id] = self.value(statement.value)

    def arguments(self, call: ast.Call) -> dict[str, object]:
        found: dict[str, object] = {}
        for keyword in call.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None and value is not _UNKNOWN:
                found[keyword.arg] = value
            elif keyword.arg is None and isinstance(value, dict):
                found.update((key, item) for key, item in value.items() if isinstance(key, str))
        return found

    def value(self, node: ast.expr) -> object:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.names.get(node.id, _UNKNOWN)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return [item for item in map(self.value, node.elts) if item is not _UNKNOWN]
        if isinstance(node, ast.Dict):
            return self._dictionary(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._sum(self.value(node.left), self.value(node.right))
        if isinstance(node, ast.Call):
            return self._call(node)
        return _UNKNOWN

    def _dictionary(self, node: ast.Dict) -> object:
        found: dict[object, object] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            read = self.value(value)
            if key is None:
                found.update(read if isinstance(read, dict) else {})
            elif isinstance(name := self.value(key), str) and read is not _UNKNOWN:
                found[name] = read
        return found

    def _sum(self, left: object, right: object) -> object:
        if isinstance(left, FindPackages):
            left = [left]
        if isinstance(right, FindPackages):
            right = [right]
        if isinstance(left, list) and isinstance(right, list):
            return left + right
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        # One half of a list that can be read is better than none of it.
        return left if isinstance(left, list) else right if isinstance(right, list) else _UNKNOWN

    def _call(self, node: ast.Call) -> object:
        name = _called_name(node)
        if name == "dict":
            return self.arguments(node)
        if name not in ("find_packages", "find_namespace_packages"):
            return _UNKNOWN
        given = self.arguments(node)
        for argument, value in zip(("where", "exclude", "include"), node.args, strict=False):
            given.setdefault(argument, self.value(value))
        where = given.get("where")
        return FindPackages(
            where if isinstance(where, str) else ".",
            tuple(strings(given.get("include"))) or ("*",),
            tuple(strings(given.get("exclude"))),
            name == "find_namespace_packages",
        )


def _called_name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Name):
        return call.func.id
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def table(document: object, *keys: str) -> dict[str, object]:
    """Return the table at the end of the keys, empty when there is none."""
    for key in keys:
        if not isinstance(document, dict):
            return {}
        document = document.get(key)
    return document if isinstance(document, dict) else {}


def tables(value: object) -> list[dict[str, object]]:
    """Return the tables of a list; anything else has none."""
    return [item for item in value if isinstance(item, dict)] if _is_sequence(value) else []


def text_at(document: object, *keys: str) -> str:
    """Return the text at the end of the keys, empty when there is none."""
    value = table(document, *keys[:-1]).get(keys[-1])
    return value if isinstance(value, str) else ""


def strings(value: object) -> list[str]:
    """Return the texts of a list, or the lines of one text, without blanks; anything else has none."""
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    return [item for item in value if isinstance(item, str)] if _is_sequence(value) else []


def _is_sequence(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    return isinstance(value, list | tuple)


_NAME = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:$|[\[(<>=!~;@,\s])")


def requirement_name(text: str) -> str:
    """Return the normalised distribution name of a requirement, empty when the text is none."""
    match = _NAME.match(text)
    return normalised(match.group(1)) if match else ""


def requirement_names(value: object) -> Iterator[str]:
    """Yield the distribution names of a list of requirements, a requirements file, or a table keyed by name."""
    lines: Iterable[str] = [key for key in value if isinstance(key, str)] if isinstance(value, dict) else strings(value)
    for line in lines:
        text = line.partition(" #")[0].strip()
        egg = re.search(r"#egg=([\w.-]+)", line)
        if egg:
            yield normalised(egg.group(1))
        elif not text.startswith(("-", "#", ".", "/")):
            name = requirement_name(text)
            if name:
                yield name


_SEPARATORS = re.compile(r"[-_.]+")


def normalised(name: str) -> str:
    """Return a distribution name as indexes compare it: lower case, runs of `-_.` as one `-`."""
    return _SEPARATORS.sub("-", name).lower()


def line_of(data: bytes, *needles: str) -> int:
    """Return the first line that holds all of the texts, 1 when none does: parsers of manifests keep no positions."""
    wanted = [needle.encode("utf-8", "surrogateescape") for needle in needles if needle]
    for number, line in enumerate(data.splitlines(), start=1):
        if all(needle in line for needle in wanted):
            return number
    return 1
