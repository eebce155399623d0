"""Loading an allowlist: one YAML file, rules L1 to L10, the first violation wins. Imports nothing of the product under test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ce.allowlist.model import (
    WIDENED_KEY,
    AllowlistCategory,
    AllowlistEntry,
    AllowlistSchemaError,
    DeadSymbolAllowlist,
    DeadSymbolKey,
    WidenedEntry,
)

if TYPE_CHECKING:
    import yaml

__all__ = ["load_allowlist", "parse_allowlist"]

_ISSUE = re.compile(r"#\d+|[\w.-]+/[\w.-]+#\d+", re.ASCII)
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_CATEGORY = re.compile(r"category_[a-z0-9_]+")
_WIDENED = re.compile(r"widened_[a-z0-9_]+")
_MERGE_TAG = "tag:yaml.org,2002:merge"
_PLAIN_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp"))


def load_allowlist(path: Path, *, widened_key: str = WIDENED_KEY) -> DeadSymbolAllowlist:
    """Return the allowlist of a file.

    Raises AllowlistSchemaError on the first violation, naming file, location and rule; ValueError when `widened_key` is no
    possible section name.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise AllowlistSchemaError(str(path), "<root>", "L1", f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise AllowlistSchemaError(str(path), "<root>", "L1", f"is not UTF-8: byte {error.start}") from None
    return parse_allowlist(text, str(path), widened_key=widened_key)


def parse_allowlist(text: str, path: str = "<text>", *, widened_key: str = WIDENED_KEY) -> DeadSymbolAllowlist:
    """Return the allowlist of a text; `path` only names it in errors. Raises as `load_allowlist` does."""
    if not _WIDENED.fullmatch(widened_key):
        raise ValueError(f"`{widened_key}` is no section name: it matches widened_[a-z0-9_]+")
    return _Reader(path, widened_key).read(text)


class _Mapping(dict[Any, Any]):
    """A mapping of the file that knows the line it starts on."""

    line: int = 0


@dataclass(frozen=True, slots=True)
class _Reader:
    path: str
    widened_key: str

    def read(self, text: str) -> DeadSymbolAllowlist:
        document = self._parse(text)
        if not isinstance(document, dict):
            self._fail("<root>", "L2", "the top level is a mapping")
        sections = ("schema_version", "categories", "entries", self.widened_key)
        for name in sections:
            if name not in document:
                self._fail("<root>", "L2", f"the key `{name}` is missing")
        for name in document:
            if name not in sections:
                self._fail("<root>", "L2", f"unknown key `{name}`; the keys are {', '.join(sections)}")
        if not isinstance(document["categories"], dict):
            self._fail("categories", "L2", "a mapping of category ids is wanted")
        if not isinstance(document["entries"], list):
            self._fail("entries", "L2", "a list is wanted")
        version = document["schema_version"]
        if isinstance(version, bool) or not isinstance(version, int) or version != 1:
            self._fail("schema_version", "L4", f"the integer 1 is wanted, not {version!r}")
        categories = {str(name): self._category(name, record) for name, record in document["categories"].items()}
        entries = tuple(self._entry(index, record, categories) for index, record in enumerate(document["entries"]))
        rationale, issue, widened = self._widened(document[self.widened_key])
        self._unique(entries, widened)
        used = {entry.category for entry in entries}
        for name in categories:
            if name not in used:
                self._fail(f"categories.{name}", "L9", "no entry has this category; remove it")
        return DeadSymbolAllowlist(tuple(categories.values()), entries, widened, rationale, issue)

    def _parse(self, text: str) -> object:
        import yaml

        try:
            return yaml.load(text, Loader=_loader(self))
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
            problem = getattr(error, "problem", None) or " ".join(str(error).split())
            self._fail("<root>", "L1", f"is not plain YAML{where}: {problem}")
        except AllowlistSchemaError:
            raise
        except (RecursionError, ValueError, TypeError, OverflowError) as error:
            self._fail("<root>", "L1", f"is not plain YAML: {error}")

    def _category(self, name: object, record: object) -> AllowlistCategory:
        pointer = f"categories.{name}"
        if not isinstance(name, str) or not _CATEGORY.fullmatch(name):
            self._fail(pointer, "category-id", "an id matches category_[a-z0-9_]+")
        fields = self._record(record, pointer, ("rationale", "requires_issue"), ("target",))
        rationale = self._text(fields, "rationale", pointer)
        if not isinstance(fields["requires_issue"], bool):
            self._fail(f"{pointer}.requires_issue", "L7", f"true or false is wanted, not {fields['requires_issue']!r}")
        return AllowlistCategory(name, rationale or "", fields["requires_issue"], self._text(fields, "target", pointer))

    def _entry(self, index: int, record: object, categories: Mapping[str, AllowlistCategory]) -> AllowlistEntry:
        pointer = f"entries[{index}]"
        fields = self._record(record, pointer, ("module", "name", "category"), ("rationale", "issue"))
        key = self._key(fields, pointer)
        category = fields["category"]
        if not isinstance(category, str) or category not in categories:
            self._fail(f"{pointer}.category", "L7", f"`{category}` is no declared category")
        rationale = self._text(fields, "rationale", pointer)
        if "issue" not in fields and categories[category].requires_issue:
            self._fail(f"{pointer}.issue", "L7", f"`{category}` requires an issue")
        return AllowlistEntry(key, category, rationale, self._issue(fields, pointer), fields.line)

    def _widened(self, section: object) -> tuple[str, str, tuple[WidenedEntry, ...]]:
        pointer = self.widened_key
        fields = self._record(section, pointer, ("rationale", "entries"), ("issue",))
        rationale = self._text(fields, "rationale", pointer) or ""
        if "issue" not in fields:
            self._fail(f"{pointer}.issue", "L7", "the section requires an issue")
        issue = self._issue(fields, pointer) or ""
        if not isinstance(fields["entries"], list):
            self._fail(f"{pointer}.entries", "L5", "a list is wanted")
        return rationale, issue, tuple(self._widened_entry(f"{pointer}.entries[{i}]", e) for i, e in enumerate(fields["entries"]))

    def _widened_entry(self, pointer: str, record: object) -> WidenedEntry:
        fields = self._record(record, pointer, ("module", "name"), ("note",))
        return WidenedEntry(self._key(fields, pointer), self._text(fields, "note", pointer), fields.line)

    def _record(self, record: object, pointer: str, required: tuple[str, ...], optional: tuple[str, ...]) -> _Mapping:
        if not isinstance(record, _Mapping):
            self._fail(pointer, "L5", "a mapping is wanted")
        for name in record:
            if name not in required and name not in optional:
                self._fail(pointer, "L5", f"unknown key `{name}`; allowed: {', '.join(required + optional)}")
        for name in required:
            if name not in record:
                self._fail(pointer, "L5", f"the key `{name}` is missing")
        return record

    def _text(self, fields: _Mapping, name: str, pointer: str) -> str | None:
        if name not in fields:
            return None
        value = fields[name]
        if not isinstance(value, str) or not value.strip():
            self._fail(f"{pointer}.{name}", "L6", f"a text that is not blank is wanted, not {value!r}")
        return value

    def _issue(self, fields: _Mapping, pointer: str) -> str | None:
        if "issue" not in fields:
            return None
        value = fields["issue"]
        if not isinstance(value, str) or not _ISSUE.fullmatch(value):
            hint = "; quote it: an unquoted # starts a comment" if value is None else ""
            self._fail(f"{pointer}.issue", "L7", f"#N or owner/repository#N is wanted, not {value!r}{hint}")
        return value

    def _key(self, fields: _Mapping, pointer: str) -> DeadSymbolKey:
        module, name = fields["module"], fields["name"]
        if not isinstance(module, str) or not _MODULE.fullmatch(module):
            self._fail(f"{pointer}.module", "L10", f"a dotted ASCII module is wanted, not {module!r}")
        if not isinstance(name, str) or not name.isidentifier():
            hint = "" if isinstance(name, str) else "; YAML read it as another type, quote it"
            self._fail(f"{pointer}.name", "L10", f"an identifier is wanted, not {name!r}{hint}")
        return DeadSymbolKey(module, name)

    def _unique(self, entries: tuple[AllowlistEntry, ...], widened: tuple[WidenedEntry, ...]) -> None:
        seen: dict[DeadSymbolKey, str] = {}
        for pointer, key in self._places(entries, widened):
            if key in seen:
                self._fail(pointer, "L8", f"`{key}` is listed at {seen[key]} already")
            seen[key] = pointer

    def _places(self, entries: tuple[AllowlistEntry, ...], widened: tuple[WidenedEntry, ...]) -> Iterator[tuple[str, DeadSymbolKey]]:
        yield from ((f"entries[{index}]", entry.key) for index, entry in enumerate(entries))
        yield from ((f"{self.widened_key}.entries[{index}]", entry.key) for index, entry in enumerate(widened))

    def _fail(self, pointer: str, rule: str, detail: str) -> NoReturn:
        raise AllowlistSchemaError(self.path, pointer, rule, detail)


def _loader(reader: _Reader) -> type[yaml.SafeLoader]:
    """Return a safe loader for one file that refuses repeated keys, merge keys and tags."""

    class Loader(_strict_loader()):  # type: ignore[misc]  # the base is made at run time, so that yaml loads lazily
        path = reader.path

    return Loader


@cache
def _strict_loader() -> type[yaml.SafeLoader]:
    import yaml

    class StrictLoader(yaml.SafeLoader):
        path = ""

        def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
            if node.tag not in _PLAIN_TAGS:
                raise yaml.constructor.ConstructorError(None, None, f"the tag {node.tag} is not allowed", node.start_mark)
            return super().construct_object(node, deep=deep)

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> _Mapping:
            mapping = _Mapping()
            mapping.line = node.start_mark.line + 1
            for key_node, value_node in node.value:
                mark = key_node.start_mark
                if key_node.tag == _MERGE_TAG:
                    raise yaml.constructor.ConstructorError(None, None, "merge keys are not allowed", mark)
                if not isinstance(key_node, yaml.ScalarNode):
                    raise yaml.constructor.ConstructorError(None, None, "a key is a plain value", mark)
                key = self.construct_object(key_node, deep=True)
                if key in mapping:
                    detail = f"the key `{key}` is repeated; the first stands earlier in the same mapping"
                    raise AllowlistSchemaError(self.path, f"line {mark.line + 1}, column {mark.column + 1}", "L3", detail)
                mapping[key] = self.construct_object(value_node, deep=True)
            return mapping

    def construct_yaml_map(loader: StrictLoader, node: yaml.MappingNode) -> _Mapping:
        return loader.construct_mapping(node)

    StrictLoader.add_constructor("tag:yaml.org,2002:map", construct_yaml_map)
    return StrictLoader
