"""Calls that name modules: `require`, `import()`, the test doubles of test runners, workers, the glob imports of bundlers.

A literal name is a site; a name with constant parts is a dynamic fact with the glob of these parts, relative to the file when it starts
with `./` or `../`; a name without a constant part is one with `*`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, text_of
from ce.extract.languages.ecmascript_expressions import JOINS, WRAPPERS, Calls, joins_imported, relative
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TELLING", "calls_by_other_names", "read_calls"]

_UNWRAPPED_BY = (b"__importDefault", b"__importStar", b"_interopRequireDefault", b"_interopRequireWildcard", b"interopDefault")
_EXPORTS = re.compile(rb"(?:module\.)?exports(?:\.([\w$]+))?")
_REGEX_SUFFIX = re.compile(r"(?:\^?\\?\.\\?/?|\^)?(?:\.\*)?((?:\\\.[\w-]+)*)(?:\\\.(?:\(\??:?([\w|]+)\)|([\w-]+)(\?)?))\$?")
_CODE_SUFFIX = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte|astro)$")
_TYPE_CONTEXT = re.compile(r"(?:.*_)?types?(?:_.*)?|constraint|satisfies_expression")
_MOCKS = (
    "mock", "unmock", "doMock", "dontMock", "doUnmock", "setMock", "requireActual", "requireMock", "createMockFromModule",
    "genMockFromModule", "importActual", "importMock", "unstable_mockModule", "deepUnmock",
)  # fmt: skip

_Handler = Callable[[Calls, "Node", "Node", int], None]


def read_calls(parsed: Parsed, facts: Facts) -> None:
    """Add what the calls of a file name to its sites and dynamic facts."""
    handlers = _HANDLERS
    required: set[str] = set()
    joins = joins_imported(parsed, facts)
    if joins:
        handlers = {**handlers, **dict.fromkeys(joins, _path)}
    if b"child_process" in parsed.text:
        handlers = {**handlers, "fork": _first_argument("dynamic_import", "fork")}
    if b"createRequire" in parsed.text:
        required = _made_by_create_require(parsed, facts)
        handlers = {**handlers, **dict.fromkeys(required, _require)}
    known = [seen for seen in facts.calls_seen if seen[0] in handlers]
    if not known:
        return
    calls = Calls(parsed, facts)
    for name, callee, owner in known:
        call = callee.parent
        if call is not None and (name in required or name.partition(".")[0] not in calls.hidden):
            handlers[name](calls, call, callee, owner)


def calls_by_other_names(parsed: Parsed, facts: Facts) -> bool:
    """Tell whether the file may call functions that name modules by names that it gives them itself."""
    return b"createRequire" in parsed.text or not joins_imported(parsed, facts) <= _JOINED


def _made_by_create_require(parsed: Parsed, facts: Facts) -> set[str]:
    """Return the names that are bound to `createRequire(…)`."""
    found = set()
    for name, callee, _ in facts.calls_seen:
        if name in ("createRequire", "module.createRequire", "Module.createRequire"):
            call = callee.parent
            declarator = call.parent if call is not None else None
            bound = declarator.child_by_field_name("name") if declarator is not None else None
            if bound is not None and bound.type == "identifier":
                found.add(text_of(parsed, bound))
    return found


# --- handlers: each is given the call, the captured callee and the unit that the call stands in


def _require(calls: Calls, call: Node, _callee: Node, owner: int) -> None:
    given = calls.arguments(call)
    if not given:
        return
    if given[0].type == "array":
        _load_listed(calls, given[0], call, owner)
        return
    sites = calls.named("require", "require", given[0], call, owner)
    _take_names(calls, call, sites)


def _load_listed(calls: Calls, listed: Node, call: Node, owner: int) -> None:
    for pattern in calls.strings_of(listed):
        if pattern.is_literal and pattern.text not in ("require", "exports", "module", ""):
            calls.site("require", pattern.text, call, owner)


def _import(calls: Calls, call: Node, _callee: Node, owner: int) -> None:
    given = calls.arguments(call)
    if not given:
        return
    if _is_type(call):
        pattern = calls.alternatives(given[0])[0]
        if pattern.is_literal:
            site = calls.site("import", pattern.text, call, -1)
            site.is_type = True
            parent = call.parent
            part = parent.child_by_field_name("property") if parent is not None and parent.type == "member_expression" else None
            if part is not None:
                site.names.append((calls.text(part), ""))
        return
    sites = calls.named("dynamic_import", "import()", given[0], call, owner)
    _take_names(calls, call, sites)


def _is_type(call: Node) -> bool:
    """Return whether `import("x")` stands where a type does."""
    below, at = call, call.parent
    while at is not None and at.type in ("member_expression", "nested_type_identifier", "nested_identifier"):
        below, at = at, at.parent
    if at is None:
        return False
    if at.type in ("as_expression", "satisfies_expression"):
        return at.named_children[0].id != below.id
    return _TYPE_CONTEXT.fullmatch(at.type) is not None


def _take_names(calls: Calls, call: Node, sites: list[SiteDraft]) -> None:
    """Note what a call of `require` or `import()` binds: the module, parts of it, or exports of this file."""
    if not sites:
        return
    part = ""
    at, above = call, call.parent
    for _ in range(8):
        if above is None:
            return
        kind = above.type
        if kind == "member_expression" and not part:
            name = above.child_by_field_name("property")
            part = calls.text(name) if name is not None else ""
        elif kind == "arguments" and above.parent is not None:
            above = above.parent
            function = above.child_by_field_name("function")
            callee = b"" if function is None else calls.raw(function)
            if callee.endswith((b"__exportStar", b"__export")):
                _mark(sites, [("*", "*")], is_reexport=True)
                return
            if not callee.endswith(_UNWRAPPED_BY):
                return
        elif kind not in WRAPPERS:
            break
        at, above = above, above.parent
    if above is None:
        return
    if above.type == "variable_declarator":
        pattern = above.child_by_field_name("name")
        if pattern is not None:
            _mark(sites, list(_pattern_names(calls, pattern, part)))
    elif above.type == "assignment_expression":
        _take_assigned(calls, above, at, part, sites)


def _take_assigned(calls: Calls, assignment: Node, value: Node, part: str, sites: list[SiteDraft]) -> None:
    left = assignment.child_by_field_name("left")
    if left is None or left.id == value.id:
        return
    match = _EXPORTS.fullmatch(calls.raw(left))
    if match is None:
        if left.type == "identifier":
            _mark(sites, [(part or "*", calls.text(left))])
    elif match.group(1):
        _mark(sites, [(part or "*", match.group(1).decode("utf-8", "replace"))], is_reexport=True)
    else:
        _mark(sites, [(part, "default")] if part else [("*", "*")], is_reexport=True)


def _mark(sites: list[SiteDraft], names: list[tuple[str, str]], *, is_reexport: bool = False) -> None:
    for site in sites:
        site.names += names
        if is_reexport:
            site.mode = "reexport"


def _pattern_names(calls: Calls, pattern: Node, part: str) -> Iterator[tuple[str, str]]:
    if pattern.type == "identifier":
        yield part or "*", calls.text(pattern)
    elif pattern.type == "object_pattern" and not part:
        for child in pattern.named_children:
            if child.type == "object_assignment_pattern":
                left = child.child_by_field_name("left")
                if left is None:
                    continue
                child = left
            if child.type == "shorthand_property_identifier_pattern":
                yield calls.text(child), calls.text(child)
            elif child.type == "pair_pattern":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and value is not None:
                    yield calls.text(key).strip("\"'"), calls.text(value) if value.type == "identifier" else calls.text(key)
            elif child.type == "rest_pattern":
                yield "*", calls.text(child).removeprefix("...")


def _first_argument(kind: str, why: str) -> _Handler:
    def handle(calls: Calls, call: Node, _callee: Node, owner: int) -> None:
        given = calls.arguments(call)
        calls.named(kind, why, given[0] if given else None, call, owner)

    return handle


def _mock(calls: Calls, call: Node, _callee: Node, owner: int) -> None:
    """A test double names the module by a text, or by `import("x")`, which is a site of its own."""
    given = calls.arguments(call)
    if given and given[0].type in ("string", "template_string"):
        calls.named("dynamic_import", "mock", given[0], call, owner)


def _glob(calls: Calls, call: Node, _callee: Node, _owner: int) -> None:
    given = calls.arguments(call)
    for pattern in calls.strings_of(given[0]) if given else ():
        calls.dynamic(call, "import.meta.glob", pattern.text)


def _context(calls: Calls, call: Node, _callee: Node, _owner: int) -> None:
    """`require.context(directory, recursive, regex)` as a glob; of the expression only a list of suffixes is read."""
    given = calls.arguments(call)
    if not given:
        return
    directory = calls.alternatives(given[0])[0]
    if not directory.is_literal:
        calls.dynamic(call, "require.context", "*")
        return
    base = directory.text.rstrip("/") or "."
    deep = "**/" if len(given) < 2 or calls.text(given[1]) != "false" else ""
    ends = _suffixes(calls.text(given[2])) if len(given) > 2 and given[2].type == "regex" else [""]
    for end in ends:
        calls.dynamic(call, "require.context", f"{base}/{deep}*{end}")


def _suffixes(regex: str) -> list[str]:
    """Return the endings that an expression as `/\\.(js|ts)$/` asks for, one empty text when it is another."""
    match = _REGEX_SUFFIX.fullmatch(regex.rpartition("/")[0].removeprefix("/"))
    if match is None or not regex.rpartition("/")[0].endswith("$"):
        return [""]
    before = match.group(1).replace("\\", "")
    if match.group(2):
        return [f"{before}.{suffix}" for suffix in match.group(2).split("|") if suffix]
    return [f"{before}.{match.group(3)}"] + ([f"{before}.{match.group(3)[:-1]}"] if match.group(4) else [])


def _url(calls: Calls, call: Node, _callee: Node, owner: int) -> None:
    given = calls.arguments(call)
    if len(given) != 2 or calls.text(given[1]) != "import.meta.url":
        return
    parent = call.parent
    above = parent.parent if parent is not None else None
    if above is not None and above.type == "call_expression":
        function = above.child_by_field_name("function")
        if function is not None and calls.text(function) == "import":
            return
    for pattern in calls.alternatives(given[0]):
        url = relative(pattern)
        if url.is_literal:
            # Without a dot in its last name it is a directory, which names no module.
            if "." in url.text.rpartition("/")[2].strip("."):
                calls.site("dynamic_import", url.text, call, owner)
        else:
            calls.dynamic(call, "new URL", url.text)


def _worker(calls: Calls, call: Node, callee: Node, owner: int) -> None:
    """A worker is named by a path; a `new URL(…)` is a site of its own, and anything without a constant part says nothing."""
    given = calls.arguments(call)
    if not given or (call.type != "new_expression" and callee.type == "identifier" and calls.text(callee) != "importScripts"):
        return
    for argument in given if calls.text(callee) == "importScripts" else given[:1]:
        if calls.raw(argument).startswith(b"new URL("):
            continue
        for pattern in calls.alternatives(argument):
            if pattern.is_literal and pattern.text.strip("./"):
                calls.site("dynamic_import", relative(pattern).text, call, owner)
            elif not pattern.is_literal and pattern.text != "*":
                calls.dynamic(call, "Worker", pattern.text)


def _path(calls: Calls, call: Node, _callee: Node, _owner: int) -> None:
    """A path from the directory of the file is a text that may spell a file, or a pattern of such texts."""
    pattern = calls.value(call)
    if not pattern.text.startswith(("./", "../")):
        return
    if pattern.is_literal:
        calls.facts.strings.append((call.start_point[0] + 1, pattern.text))
    elif _CODE_SUFFIX.search(pattern.text):
        calls.dynamic(call, "path", pattern.text)


def _listing(calls: Calls, call: Node, _callee: Node, _owner: int) -> None:
    """A program that lists a directory beside it uses the modules there."""
    given = calls.arguments(call)
    for pattern in calls.alternatives(given[0]) if given else ():
        if pattern.is_literal and pattern.text.startswith((".", "..")) and pattern.text.strip("./"):
            calls.dynamic(call, "readdir", pattern.text.rstrip("/") + "/*")
        elif pattern.is_literal and pattern.text == ".":
            calls.dynamic(call, "readdir", "./*")


def _define(calls: Calls, call: Node, _callee: Node, owner: int) -> None:
    """`define(["a", "b"], …)` and `define("name", ["a"], …)` of asynchronous module definitions."""
    for argument in calls.arguments(call)[:2]:
        if argument.type == "array":
            _load_listed(calls, argument, call, owner)


def _eval(calls: Calls, call: Node, callee: Node, _owner: int) -> None:
    given = calls.arguments(call)
    if given and given[-1].type != "string" and (calls.text(callee) != "Function" or call.type == "new_expression"):
        calls.dynamic(call, "eval", "*")


_HANDLERS: dict[str, _Handler] = {
    "require": _require,
    "module.require": _require,
    "import": _import,
    "require.resolve": _first_argument("require", "require"),
    "require.resolveWeak": _first_argument("require", "require"),
    "require.ensure": _define,
    "import.meta.resolve": _first_argument("dynamic_import", "import()"),
    "System.import": _first_argument("dynamic_import", "import()"),
    "require.context": _context,
    "import.meta.webpackContext": _context,
    "import.meta.glob": _glob,
    "import.meta.globEager": _glob,
    "URL": _url,
    "Worker": _worker,
    "SharedWorker": _worker,
    "importScripts": _worker,
    "navigator.serviceWorker.register": _worker,
    "child_process.fork": _first_argument("dynamic_import", "fork"),
    "cp.fork": _first_argument("dynamic_import", "fork"),
    "define": _define,
    "requirejs": _require,
    "eval": _eval,
    "Function": _eval,
    **dict.fromkeys(JOINS, _path),
    **dict.fromkeys(("readdirSync", "readdir", "fs.readdirSync", "fs.readdir", "fs.promises.readdir", "fsp.readdir"), _listing),
    "esmock": _mock,
    "proxyquire": _mock,
    "proxyquire.load": _mock,
    "mock.module": _mock,
    "td.replace": _mock,
    "td.replaceEsm": _mock,
    "rewiremock": _mock,
    **{f"{runner}.{function}": _mock for runner in ("jest", "vi", "vitest", "rstest") for function in _MOCKS},
}

_JOINED = frozenset({"join", "resolve", "normalize", *(f"path.{name}" for name in ("join", "resolve", "normalize"))})
TELLING = (*_HANDLERS, *_JOINED, "fork")
