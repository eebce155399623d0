"""Directories that Python code looks through or puts on the path of imports, where its own expressions say which.

`extra["paths"]` holds the module variables that are paths, `extra["listed"]` and `extra["import_paths"]` lists of `[line, path]`. A path is
text: `./plugins` from the directory of the file, `@pkg.mod/part` from the directory of a module, `=pkg.mod:NAME/part` from what the
variable of another module holds, each after the import aliases of the file are undone, `?/plugins` from wherever the program runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, text_of
from ce.extract.local_values import LocalValues
from ce.extract.parsing import Parsed
from ce.extract.patterns import pattern_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_paths"]

# Each with texts of which every place has one: to look for these takes a tenth of the time, and few files have any.
_LISTING = (
    (b"listdir", b"scandir", b"iterdir", b"glob", b"walk", b"iter_modules"),
    re.compile(rb"\b(listdir|scandir|iterdir|glob|iglob|rglob|walk|iter_modules|walk_packages)\s*\("),
)
_IMPORT_PATH = (
    (b"sys.path.", b"site.addsitedir"),
    re.compile(rb"\bsys\.path\.(?:insert|append|extend)\s*\(|\bsite\.addsitedir\s*\("),
)
_OF_A_PATH = frozenset({"iterdir", "glob", "rglob", "walk"})  # methods of a path as well as functions
_MODULES = frozenset({"iter_modules", "walk_packages"})
_SAME = frozenset({
    "abspath", "realpath", "normpath", "expanduser", "fspath", "str", "Path", "PurePath", "PosixPath", "list", "normcase", "expandvars",
})  # fmt: skip
_SAME_METHODS = frozenset({"resolve", "absolute", "as_posix", "expanduser", "__str__"})
_MAX_STEPS = 40
_MAX_SITES = 200


def read_paths(parsed: Parsed, facts: Facts, assigned: Mapping[str, Node]) -> None:
    """Add the paths to the facts; `assigned` are the module variables that are bound once, with their values."""
    text = parsed.text
    if b"__file__" in text or b"__path__" in text:
        names = _Names(facts, assigned)
        found = {name: path for name, value in assigned.items() if (path := _Reader(parsed, names, None).read(value)) is not None}
        if found:
            facts.extra["paths"] = dict(sorted(found.items()))
    for key, (needles, expression) in (("listed", _LISTING), ("import_paths", _IMPORT_PATH)):
        rows = []
        for match in _matches(text, needles, expression):
            call = _call_at(parsed, match.end())
            path = None if call is None else _path_of(parsed, _Names(facts, assigned), call, match.group())
            if call is not None and path is not None:
                rows.append([call.start_point[0] + 1, path])
        if rows:
            facts.extra[key] = rows


def _matches(text: bytes, needles: tuple[bytes, ...], expression: re.Pattern[bytes]) -> list[re.Match[bytes]]:
    """Return the first matches, trying only where a needle stands, or one letter before it (`iglob`)."""
    starts = sorted({start for needle in needles for at in _places(text, needle) for start in (at - 1, at) if start >= 0})
    matches = (expression.match(text, start) for start in starts)
    return [match for match in matches if match is not None][:_MAX_SITES]


def _places(text: bytes, needle: bytes) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


class _Names:
    """What the names of a module stand for: values of its variables, modules and names that it imports."""

    def __init__(self, facts: Facts, assigned: Mapping[str, Node]) -> None:
        self.assigned = assigned
        self.modules: dict[str, str] = {}
        self.imported: dict[str, str] = {}
        for site in facts.sites:
            if site.kind == "import":
                for _, local in site.names or ((site.spec, site.spec),):
                    self.modules[local] = site.spec
            elif site.kind == "import_from":
                for name, local in site.names:
                    self.imported[local] = f"{site.spec}:{name}"


def _call_at(parsed: Parsed, end: int) -> Node | None:
    """Return the call whose arguments begin at a place, None where no code stands."""
    assert parsed.tree is not None
    node = parsed.tree.root_node.descendant_for_byte_range(end - 1, end)
    if node is None or node.type != "(" or node.parent is None or node.parent.type != "argument_list":
        return None
    call = node.parent.parent
    return call if call is not None and call.type == "call" else None


def _path_of(parsed: Parsed, names: _Names, call: Node, written: bytes) -> str | None:
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None:
        return None
    given = [child for child in arguments.named_children if child.type not in ("comment", "keyword_argument")]
    reader = _Reader(parsed, names, call)
    if written.startswith((b"sys.path.", b"site.")):
        return reader.read(given[-1]) if given else None
    name = text_of(parsed, function).rpartition(".")[2]
    if name in _OF_A_PATH and function.type == "attribute":
        holder = function.child_by_field_name("object")
        if holder is not None and text_of(parsed, holder) not in ("os", "glob", "ast"):
            return reader.read(holder)
    if not given or text_of(parsed, given[0]) == "__path__":  # a package that looks through itself is a dynamic site of its own
        return None
    path = reader.read(given[0])
    if path is None and name not in _MODULES:
        literal = reader.literal(given[0])
        path = None if literal is None or literal.startswith(("/", "~")) else f"?/{literal}"
    return None if path is None else path[: re.search(r"/[^/]*[*?\[]|$", path).start()]  # type: ignore[union-attr]  # the end always matches


class _Reader:
    """Reads expressions that make paths; with `call` the names of the function around it are known, too."""

    def __init__(self, parsed: Parsed, names: _Names, call: Node | None) -> None:
        self.parsed = parsed
        self.names = names
        self.steps = 0
        self.values: LocalValues | Mapping[str, Node] = names.assigned
        if call is not None:
            self.values = LocalValues(parsed.spec, parsed.text, call, names.assigned)

    def literal(self, node: Node) -> str | None:
        """Return the text of an expression that is constant."""
        assert self.parsed.spec.strings is not None
        pattern = pattern_of(node, self.parsed.text, self.parsed.spec.strings, {})
        return pattern.text if pattern.is_literal and pattern.text else None

    def read(self, node: Node | None) -> str | None:
        """Return the path that an expression makes, None for any other."""
        self.steps += 1
        if node is None or self.steps > _MAX_STEPS:
            return None
        kind = node.type
        if kind == "identifier":
            return self._name(node)
        if kind == "attribute":
            return self._attribute(node)
        if kind == "call":
            return self._call(node)
        if kind == "binary_operator":
            return self._operation(node)
        if kind == "subscript":
            value = node.child_by_field_name("value")
            text = "" if value is None else self._text(value)
            if value is not None and value.type == "attribute" and text.endswith(".parents"):
                index = node.child_by_field_name("subscript")
                steps = "" if index is None else self._text(index)
                path = self.read(value.child_by_field_name("object"))
                return _above(path, int(steps) + 1) if path is not None and steps.isdigit() and len(steps) < 3 else None
            return self.read(value) if text.endswith("__path__") else None
        if kind in ("parenthesized_expression", "list", "tuple") and node.named_child_count == 1:
            return self.read(node.named_children[0])
        if kind == "string":
            return self._format(node)
        return None

    def _name(self, node: Node) -> str | None:
        name = self._text(node)
        if name == "__file__":
            return f"./{self.parsed.path.rpartition('/')[2]}"
        if name == "__path__":
            return "."
        value = self.values.get(name)
        if value is not None:
            return self.read(value)
        imported = self.names.imported.get(name)
        return None if imported is None else f"={imported}"

    def _attribute(self, node: Node) -> str | None:
        holder, attribute = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        name = "" if attribute is None else self._text(attribute)
        if holder is None:
            return None
        if name == "parent":
            return _above(self.read(holder), 1)
        module = self._module(self._text(holder))
        if module is None:
            return None
        if name == "__path__":
            return f"@{module}"
        return f"@{module}/__init__.py" if name == "__file__" else f"={module}:{name}"

    def _module(self, text: str) -> str | None:
        head, dot, rest = text.partition(".")
        if text in self.names.modules:
            return self.names.modules[text]
        if head in self.names.modules and self.names.modules[head] == head:
            return text
        imported = self.names.imported.get(head)
        return None if imported is None else imported.replace(":", "." if not imported.endswith(".:") else "") + dot + rest

    def _call(self, node: Node) -> str | None:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return None
        given = [child for child in arguments.named_children if child.type not in ("comment", "keyword_argument")]
        callee = self._text(function)
        name = callee.rpartition(".")[2]
        holder = function.child_by_field_name("object") if function.type == "attribute" else None
        if name == "dirname" and given:
            return _above(self.read(given[0]), 1)
        if (
            name in ("join", "Path", "PurePath", "PosixPath")
            and given
            and (name != "join" or callee.endswith("path.join") or callee == "join")
        ):
            return self._below(self.read(given[0]), given[1:])
        if name in _SAME and given:
            return self.read(given[0])
        if name == "joinpath" and holder is not None:
            return self._below(self.read(holder), given)
        if name in _SAME_METHODS and holder is not None:
            return self.read(holder)
        if name == "files" and "resources" in callee + self.names.imported.get(callee, "") and given:
            module = self.literal(given[0]) or self._module(self._text(given[0]))
            return None if module is None else f"@{module}"
        return None

    def _below(self, path: str | None, parts: list[Node]) -> str | None:
        for part in parts:
            text = self.literal(part)
            if path is None or text is None:
                return None
            path = _joined(path, text)
        return path

    def _operation(self, node: Node) -> str | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        sign = "" if operator is None else self._text(operator)
        path = self.read(left)
        if path is None or right is None or sign not in ("/", "+"):
            return None
        text = "/" if self._text(right) in ("os.sep", "os.path.sep", "sep") else self.literal(right)
        if text is None:
            return None
        if sign == "/":
            return _joined(path, text)
        # Texts are put together as they are; a path that ends in a slash is one that a name follows.
        return path + text

    def _format(self, node: Node) -> str | None:
        """Return the path of `f"{path}/part"`."""
        holes = [child for child in node.named_children if child.type == "interpolation"]
        contents = [self._text(child) for child in node.named_children if child.type == "string_content"]
        if len(holes) != 1 or len(contents) != 1 or not contents[0].startswith("/") or holes[0].end_byte > node.named_children[-1].end_byte:
            return None
        path = self.read(holes[0].named_children[0]) if holes[0].named_child_count == 1 else None
        return None if path is None else path + contents[0]

    def _text(self, node: Node) -> str:
        return text_of(self.parsed, node)


def _joined(path: str, text: str) -> str | None:
    return None if text.startswith("/") else f"{path.rstrip('/')}/{text}"


def _above(path: str | None, steps: int) -> str | None:
    """Return the path some directories up; `..` stands for those that are not written."""
    for _ in range(steps):
        if path is None:
            return None
        head, slash, last = path.rpartition("/")
        path = head if slash and last not in ("..", "") else f"{path}/.."
    return path
