"""HTML: what a page links to and embeds, the ids that links can name, and its visible text by block.

| attribute | site |
|---|---|
| `href` of a, area, base, use, and of link but for style sheets, icons and preloads | `href` |
| `href` of those links | `link_asset` |
| `src` of script, img, iframe, embed, source, track, video, audio, input, frame; `data` of object; `poster` of video | `src` |
| each address of `srcset` | `srcset` |
| `action` of form, `formaction` of its buttons | `action` |
| what an inline module script imports | `import`, `dynamic_import` |

A value with a hole of a template engine names nothing for certain: it is a dynamic fact with the glob of its constant parts.
"""

from __future__ import annotations

import html
import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from ce.extract.drafts import Facts, SiteDraft, UnitDraft
from ce.extract.languages.html_tags import CLOSE, COMMENT, OPEN, TEXT, VOID, Token, tokens, unescaped
from ce.extract.parsing import Parsed
from ce.extract.spec import LanguageSpec, UnitKind
from ce.extract.urls import public_url

__all__ = ["HTML", "scan_html", "text_blocks"]

_ID = UnitKind(node="", kind="section", declares="id")
_ASSET_RELATIONS = frozenset({
    "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon", "fluid-icon",
    "preload", "modulepreload", "prefetch", "manifest",
})  # fmt: skip
_ATTRIBUTES = {
    "a": (("href", "href"),), "area": (("href", "href"),), "base": (("href", "href"),),
    "use": (("href", "href"), ("xlink:href", "href")),
    "script": (("src", "src"),), "img": (("src", "src"), ("srcset", "srcset")), "iframe": (("src", "src"),), "frame": (("src", "src"),),
    "embed": (("src", "src"),), "source": (("src", "src"), ("srcset", "srcset")), "track": (("src", "src"),),
    "video": (("src", "src"), ("poster", "src")), "audio": (("src", "src"),), "input": (("src", "src"), ("formaction", "action")),
    "object": (("data", "src"),), "form": (("action", "action"),), "button": (("formaction", "action"),),
}  # fmt: skip
_HOLE = re.compile(
    r"\{\{.{0,200}?\}\}|\{%.{0,200}?%\}|<%.{0,200}?%>|<\?.{0,200}?\?>|[$#]\{[^{}]{0,200}\}|\{[a-zA-Z_$][^{}]{0,200}\}"
    r"|(?:\{\{|\{%|<%|<\?).*",  # cut off before its end
    re.DOTALL,
)
_STATIC_TAG = re.compile(r"\{%-?\s*(?:static|url|include|asset)\s+['\"]([^'\"]+)['\"]\s*-?%\}")
_IMPORT = re.compile(
    r"""(?:^|[;\n}])\s*(?:import|export)\s+(?:[\w*{}\s,$]+?\s*from\s*)?["']([^"'\n]{1,400})["']
      | \bimport\s*\(\s*["']([^"'\n$]{1,400})["']\s*\)""",
    re.VERBOSE,
)
_COMMENTED = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
_SRCSET = re.compile(r"[\s,]*([^\s,]\S*[^\s,]|[^\s,])(?:\s+[^,]*)?")
_MAX_STACK = 100_000
_AT_ONCE = re.compile(r"\s*0\s*;\s*url\s*$", re.IGNORECASE)


def scan_html(parsed: Parsed) -> Facts:
    """Return ids, sites, anchors and comments of a page."""
    page = _Page(parsed.text.decode("utf-8", "replace"))
    page.scan()
    return page.facts


class _Page:
    """The open elements while the tags go by: their names, and the unit of each that has an id."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.line_starts = _line_starts(text)
        self.facts = Facts()
        self.open: list[tuple[str, UnitDraft | None]] = []
        self.counts: dict[str, int] = {}
        self.units: list[int] = []  # indexes of the open units
        self.own: dict[int, UnitDraft] = {}  # number of a site to the unit of its own element
        self.script: Token | None = None
        self.addresses: list[tuple[str, str]] = []

    def scan(self) -> None:
        """Fill the facts."""
        comment_lines: set[int] = set()
        for token in tokens(self.text):
            if token.kind == OPEN:
                self._start(token)
            elif token.kind == CLOSE:
                self._end(token.name, self._line(max(token.end - 1, token.start)))
            elif token.kind == COMMENT:
                comment_lines.update(range(self._line(token.start), self._line(max(token.end - 1, token.start)) + 1))
            elif self.script is not None:
                self._script(token)
        last = len(self.line_starts) - (not self.text or self.text.endswith("\n"))
        for _, unit in self.open:
            if unit is not None:
                unit.end = max(last, unit.start)
        self._settle_owners()
        self.facts.comment_lines = len(comment_lines)
        self.facts.dynamic.sort()
        if self.addresses:
            self.facts.extra["addresses"] = [list(pair) for pair in self.addresses]

    def _start(self, token: Token) -> None:
        name, given = token.name, token.attributes
        line = self._line(token.start)
        if name in _ENDS_PARAGRAPH and self.open and self.open[-1][0] == "p":
            self._end("p", line)
        elif name in _GROUPS:
            ended, around = _GROUPS[name]
            if self.open and self.open[-1][0] in ended and any(self.counts.get(other) for other in around):
                self._end(self.open[-1][0], line)
        unit = self._unit(given["id"], line, token) if given.get("id") else None
        anchor = given.get("name")
        if name == "a" and anchor and anchor != given.get("id"):
            self.facts.anchors.append(unescaped(anchor))
        before = len(self.facts.sites)
        self._references(name, given, line, token.start)
        if unit is not None:
            for number in range(before, len(self.facts.sites)):
                self.own[number] = unit
        self.script = token if name == "script" and "src" not in given else None
        is_closed = name in VOID or self.text[token.end - 2 : token.end] == "/>"
        if not is_closed and len(self.open) < _MAX_STACK:
            self.open.append((name, unit))
            self.counts[name] = self.counts.get(name, 0) + 1
            if unit is not None:
                self.units.append(unit.index)

    def _unit(self, written: str, line: int, token: Token) -> UnitDraft:
        key = unescaped(written.strip())
        units = self.facts.units
        unit = UnitDraft(_ID, key, "", line, self._line(max(token.end - 1, token.start)), len(units), self.units[-1] if self.units else -1)
        unit.visibility = 3
        units.append(unit)
        self.facts.anchors.append(key)
        return unit

    def _end(self, name: str, line: int) -> None:
        """Close the innermost element of that name and what is open in it; an end without a start closes nothing."""
        self.script = None
        if not self.counts.get(name):
            return
        while True:
            opened, unit = self.open.pop()
            self.counts[opened] -= 1
            if unit is not None:
                unit.end = line
                self.units.pop()
            if opened == name:
                return

    def _references(self, name: str, given: Mapping[str, str], line: int, at: int) -> None:
        if name == "link":
            relations = set(given.get("rel", "").lower().split())
            if "href" in given:
                self._site("link_asset" if relations & _ASSET_RELATIONS else "href", given["href"], line, at)
            if relations & {"canonical", "alternate"} and given.get("href"):
                told = "canonical" if "canonical" in relations else f"alternate:{given['hreflang']}" if given.get("hreflang") else ""
                self._address(told, given["href"])
            return
        if name == "html" and given.get("lang"):
            self._address("lang", given["lang"])
        if name == "meta" and given.get("property", "").lower() == "og:url":
            self._address("og:url", given.get("content", ""))
        if name == "meta" and given.get("http-equiv", "").lower() == "refresh":
            wait, mark, target = given.get("content", "").partition("=")
            if mark:
                self._site("href", target.strip(" '\""), line, at)
                if _AT_ONCE.match(wait):
                    self.facts.extra["redirect"] = line
        if name == "base" and given.get("href"):
            self.facts.extra.setdefault("base", unescaped(given["href"].strip()))
        for attribute, kind in _ATTRIBUTES.get(name, ()):
            if attribute not in given:
                continue
            if kind == "srcset":
                for candidate in _SRCSET.finditer(given[attribute]):
                    self._site(kind, candidate.group(1), line, at)
            else:
                self._site(kind, given[attribute], line, at)

    def _address(self, told: str, value: str) -> None:
        if told and value and not _HOLE.search(value):
            self.addresses.append((told, public_url(unescaped(value.strip()))))

    def _site(self, kind: str, written: str, line: int, at: int, mode: str = "runtime") -> None:
        value = unescaped(written.strip())
        if _HOLE.search(value):
            named = _STATIC_TAG.search(value)
            glob = f"*{named.group(1)}" if named else re.sub(r"\*+", "*", _HOLE.sub("*", re.sub(r"([*?\[])", r"[\1]", value)))
            self.facts.dynamic.append((line, "template", glob.partition("#")[0].partition("?")[0] or "*"))
            return
        if value.lower().startswith(("data:", "blob:")):
            value = value[: value.find(":") + 1]
        site = SiteDraft(kind, public_url(value.split("\n", 1)[0].strip()), line, self.units[-1] if self.units else -1, at)
        site.mode = mode
        self.facts.sites.append(site)

    def _script(self, token: Token) -> None:
        """Read what an inline script names: the modules that it imports, or an import map."""
        assert self.script is not None
        kind = self.script.attributes.get("type", "").lower().strip()
        content = self.text[token.start : token.end]
        if kind == "importmap":
            try:
                document = json.loads(content)
            except (ValueError, RecursionError):
                return
            named = document.get("imports") if isinstance(document, dict) else None
            if isinstance(named, dict):
                self.facts.extra["importmap"] = {key: value for key, value in named.items() if isinstance(value, str)}
        elif kind == "module":
            code = _COMMENTED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), content)
            for match in _IMPORT.finditer(code):
                group = 1 if match.group(1) is not None else 2
                offset = token.start + match.start(group)
                mode = "runtime" if group == 1 else "lazy"
                self._site("import" if group == 1 else "dynamic_import", match.group(group), self._line(offset), offset, mode)

    def _settle_owners(self) -> None:
        """A site stands in the unit of its own element only when that element is more than the line of the site."""
        seen: dict[int, int] = {}
        for number, site in enumerate(self.facts.sites):
            unit = self.own.get(number)
            if unit is not None:
                site.owner = unit.parent if unit.start == unit.end else unit.index
            site.nth = seen.get(site.line, 0)
            seen[site.line] = site.nth + 1
        places: dict[tuple[int, str], int] = {}
        for unit in self.facts.units:
            place = (unit.parent, unit.key)
            unit.nth = places.get(place, 0)
            places[place] = unit.nth + 1

    def _line(self, at: int) -> int:
        return bisect_right(self.line_starts, at)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


# --- visible text

_BLOCKS = frozenset({
    "p", "li", "dt", "dd", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "figcaption", "caption", "summary", "label",
    "legend", "title",
})  # fmt: skip
_HIDDEN = frozenset({"code", "pre", "script", "style", "textarea", "noscript", "template", "svg", "math", "kbd", "samp"})
# Start tags that end an open paragraph, and elements that end an open one of the same group, up to the element around the group.
_ENDS_PARAGRAPH = frozenset({
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "div", "section", "article", "aside", "nav", "header", "footer",
    "main", "form", "fieldset", "figure", "blockquote", "pre", "hr", "address", "details",
})  # fmt: skip
_GROUPS = {
    "li": ({"li"}, {"ul", "ol", "menu"}), "dt": ({"dt", "dd"}, {"dl"}), "dd": ({"dt", "dd"}, {"dl"}),
    "td": ({"td", "th"}, {"table", "tr"}), "th": ({"td", "th"}, {"table", "tr"}), "tr": ({"td", "th", "tr"}, {"table"}),
}  # fmt: skip


def text_blocks(parsed: Parsed) -> Iterator[list[tuple[int, str]]]:
    """Yield the visible text of every block element as lines with their numbers, in the order of the start tags.

    Text belongs to the innermost block around it. Code, scripts and form content are left out.
    """
    text = parsed.text.decode("utf-8", "replace")
    starts = _line_starts(text)
    blocks: list[list[tuple[int, str]]] = []
    open_elements: list[tuple[str, int]] = []  # name, and the number of the innermost block at it, or -1
    counts: dict[str, int] = {}
    hidden = 0

    def close(names: set[str] | frozenset[str]) -> None:
        nonlocal hidden
        while open_elements:
            name, _ = open_elements.pop()
            counts[name] -= 1
            hidden -= name in _HIDDEN
            if name in names:
                return

    for token in tokens(text):
        if token.kind == OPEN:
            name = token.name
            if name in VOID or text[token.end - 2 : token.end] == "/>" or len(open_elements) >= _MAX_STACK:
                continue
            if name in _ENDS_PARAGRAPH and open_elements and open_elements[-1][0] == "p":
                close({"p"})
            elif name in _GROUPS:
                ended, around = _GROUPS[name]
                if any(counts.get(other) for other in ended) and _reaches(open_elements, ended, around):
                    close(ended)
            number = open_elements[-1][1] if open_elements else -1
            if name in _BLOCKS:
                number = len(blocks)
                blocks.append([])
            open_elements.append((name, number))
            counts[name] = counts.get(name, 0) + 1
            hidden += name in _HIDDEN
        elif token.kind == CLOSE:
            if counts.get(token.name):
                close({token.name})
        elif token.kind == TEXT and not hidden and open_elements and open_elements[-1][1] >= 0:
            lines = blocks[open_elements[-1][1]]
            first = bisect_right(starts, token.start)
            for offset, piece in enumerate(text[token.start : token.end].split("\n")):
                visible = html.unescape(piece)
                if not visible.strip():
                    continue
                if lines and lines[-1][0] == first + offset:
                    lines[-1] = (first + offset, lines[-1][1] + visible)
                else:
                    lines.append((first + offset, visible))
    yield from (lines for lines in blocks if lines)


def _reaches(open_elements: list[tuple[str, int]], ended: set[str], around: set[str]) -> bool:
    """Return whether an element of the group is open inside the innermost element around it."""
    for name, _ in reversed(open_elements[-64:]):
        if name in around and name not in ended:
            return False
        if name in ended:
            return True
    return False


HTML = LanguageSpec(name="html", grammar="", comments=(), scan=scan_html)
