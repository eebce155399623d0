"""reStructuredText: a line scanner for what directives and roles refer to. Such a file is read for its references and never judged.

| site kind | written | specifier |
|---|---|---|
| `link` | the entries of `toctree`, `:doc:`, `:download:`, `.. _name: path`, `` `text <path>`_ `` | the path as written |
| `include` | `include`, `literalinclude`, `plot` and their like with a file, the option `:file:` | the path |
| `image` | `image`, `figure`, a substitution with one | the path |
| `import` | `automodule`, `module`, every other `auto…` directive, the entries of `autosummary`, imports of doctests | the dotted name |

`extra["modules"]` holds, with its line, every module that `currentmodule`, `module` and `automodule` name: a name below may start from it.
What stands in a literal block, a comment or code that is only shown refers to nothing. Addresses with a scheme open no sites.
"""

from __future__ import annotations

import re

from ce.extract.drafts import Facts, SiteDraft
from ce.extract.parsing import Parsed
from ce.extract.spec import LanguageSpec

__all__ = ["RST", "scan_rst"]

_DIRECTIVE = re.compile(r"(\s*)\.\.\s+(?:\|[^|\n]+\|\s+)?([A-Za-z][\w:.+-]*?)::(?:\s+(.*))?$")
_OPTION = re.compile(r"\s*:([\w-]+):\s*(.*)$")
_TARGET = re.compile(r"(\s*)\.\.\s+_(?:`[^`]*`|[^:`]|\\:)*(?<!\\):(?:\s+(\S.*))?$")
_COMMENT = re.compile(r"(\s*)\.\.(?:\s+(?!\[|_|\|).*)?$")
_ROLE = re.compile(r":(?:doc|download):`(?:[^`<]*<)?([^`<>]+)>?`")
_EMBEDDED = re.compile(r"`[^`<]*<([^`<>\s][^`<>]*)>`__?")
_TITLED = re.compile(r".*<([^<>]+)>$")
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:|//|mailto:)")
_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*")
_IMPORT = re.compile(
    r"\s*(?:>>>|\.\.\.)\s+(?:from\s+([\w.]+)\s+import\s+\(?(.*)|import\s+([\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*))"
)
_IMPORTED = re.compile(r"(\w+|\*)(?:\s+as\s+\w+)?")

_IMAGES = frozenset({"image", "figure"})
_FILES = frozenset({
    "include", "literalinclude", "plot", "graphviz", "uml", "jupyter-execute", "mermaid", "exec", "altair-plot", "drawio-figure",
    "drawio-image", "ipython", "notebook", "program-output",
})  # fmt: skip
_MODULES = frozenset({"module", "py:module", "automodule", "automodapi", "automodsumm", "autopackagesummary", "autoapimodule"})
_CURRENT = frozenset({"currentmodule", "py:currentmodule"})
_MEMBERS = frozenset({"automethod", "autoattribute", "autoproperty"})  # without a dot: of the class around, which has a site
_LISTS = frozenset({"autosummary", "toctree"})
_CALLABLES = frozenset({"click", "autoprogram", "typer", "django-admin-command"})  # `module:attribute`
_SHOWN = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "highlight", "math", "prompt", "productionlist", "raw"})
_FILE_OPTIONS = frozenset({"file", "url", "diff"})
_NAME_OPTIONS = frozenset({"module", "ref"})


def scan_rst(parsed: Parsed) -> Facts:
    """Return the sites of a page."""
    page = _Page()
    for number, line in enumerate(parsed.text.decode("utf-8", "replace").split("\n"), start=1):
        page.line(number, line.rstrip("\r").expandtabs())
    return page.facts


class _Page:
    """What the scan of a page has open: a block that refers to nothing, a directive with entries or options, the current module."""

    def __init__(self) -> None:
        self.facts = Facts()
        self.modules: list[list[object]] = []
        self.shown = -1  # the indentation whose deeper lines refer to nothing, -1 for none
        self.directive = ""
        self.indent = -1  # that of the open directive
        self.literal_from = -1  # a paragraph of this indentation has announced a literal block
        self.nth: dict[int, int] = {}

    def line(self, number: int, line: str) -> None:
        """Take the next line."""
        text = line.strip()
        if not text:
            return
        indent = len(line) - len(line.lstrip())
        if self.literal_from >= 0:
            self.shown, self.literal_from = (self.literal_from, -1) if indent > self.literal_from else (self.shown, -1)
        if self.shown >= 0:
            if indent > self.shown:
                if self.directive in _SHOWN and indent > self.indent >= 0:
                    self._option(number, line)
                return
            self.shown = -1
        if self.directive and indent <= self.indent:
            self.directive, self.indent = "", -1
        if line.lstrip().startswith(".."):
            self._explicit(number, line, indent)
        elif self.directive and indent > self.indent and self._inside(number, line):
            return
        else:
            self._text(number, line)
            if text.endswith("::"):
                self.literal_from = indent

    def _explicit(self, number: int, line: str, indent: int) -> None:
        """Take a line that starts with two dots: a directive, a target or a comment."""
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            self.directive, self.indent = directive.group(2).lower(), indent
            self._directive(number, (directive.group(3) or "").strip())
            return
        target = _TARGET.match(line)
        if target is not None:
            self._path("link", number, (target.group(2) or "").strip())
        elif _COMMENT.match(line):
            self.shown = indent

    def _directive(self, number: int, argument: str) -> None:
        name = self.directive.removeprefix("py:") if self.directive.startswith("py:auto") else self.directive
        if name in _SHOWN:
            self.shown = self.indent
        elif name in _CURRENT:
            self._start_from(number, "" if argument == "None" else argument)
        elif name in _MODULES:
            self._name(number, argument)
            if name in ("module", "py:module", "automodule"):
                self._start_from(number, argument)
        elif name in _IMAGES:
            self._path("image", number, argument)
        elif name in _FILES:
            self._path("include", number, argument)
        elif name in _CALLABLES:
            self._name(number, argument.replace(":", "."))
        elif name.startswith("auto") and name not in _LISTS and not (name in _MEMBERS and "." not in argument):
            self._name(number, argument)

    def _start_from(self, number: int, module: str) -> None:
        self.modules.append([number, module])
        self.facts.extra["modules"] = self.modules

    def _inside(self, number: int, line: str) -> bool:
        """Take a line of the open directive that is an option or an entry of a list, and tell whether it is one."""
        if self._option(number, line):
            return True
        text = line.strip()
        if self.directive == "autosummary":
            self._name(number, text.split()[0].lstrip("~!"))
            return True
        if self.directive == "toctree":
            titled = _TITLED.match(text)
            entry = titled.group(1) if titled else text
            if entry != "self":
                self._path("link", number, entry)
            return True
        return False

    def _option(self, number: int, line: str) -> bool:
        option = _OPTION.match(line)
        if option is None:
            return False
        name, value = option.group(1), option.group(2).strip()
        if name in _FILE_OPTIONS:
            self._path("include", number, value)
        elif name in _NAME_OPTIONS and self.directive in ("argparse", "sphinx_argparse_cli"):
            self._name(number, value)
        elif name == "glob" and self.directive == "toctree":
            self.facts.extra["glob"] = number
        return True

    def _text(self, number: int, line: str) -> None:
        """Take a line of running text: roles, embedded targets, imports of doctests."""
        if "`" in line:
            for match in _ROLE.finditer(line):
                self._path("link", number, match.group(1).strip())
            for match in _EMBEDDED.finditer(line):
                self._path("link", number, match.group(1).strip())
        if ">>>" in line or line.lstrip().startswith("..."):
            imports = _IMPORT.match(line)
            if imports is not None:
                self._imports(number, imports)

    def _imports(self, number: int, match: re.Match[str]) -> None:
        if match.group(3):
            for part in match.group(3).split(","):
                self._name(number, part.split()[0])
            return
        names = [name for name in _IMPORTED.findall(match.group(2).partition("#")[0]) if name != "*"]
        for name in names or [""]:
            self._name(number, f"{match.group(1)}.{name}".rstrip("."))

    def _path(self, kind: str, number: int, text: str) -> None:
        if text and not _SCHEME.match(text) and not text.startswith(("<", "#")) and not text.endswith("_"):
            self._site(kind, number, text)

    def _name(self, number: int, text: str) -> None:
        match = _NAME.match(text)
        if match is not None:
            self._site("import", number, match.group().replace("::", ".")).mode = "lazy"

    def _site(self, kind: str, number: int, spec: str) -> SiteDraft:
        site = SiteDraft(kind, spec, number, -1)
        site.nth = self.nth.get(number, 0)
        self.nth[number] = site.nth + 1
        self.facts.sites.append(site)
        return site


RST = LanguageSpec(name="rst", grammar="", comments=(), scan=scan_rst)
