"""Markdown: a line scanner instead of a grammar. Links, images, references, definitions, addresses, sections and anchors.

What stands in fences, indented code, front matter, comments or inline code is masked first; the rest is searched as a whole, so that a link
text may run over a line end but never over an empty line.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ce.extract.drafts import Facts, SiteDraft, UnitDraft
from ce.extract.languages.markdown_blocks import Block, blocks_of
from ce.extract.languages.markdown_slugs import Slugs
from ce.extract.parsing import Parsed
from ce.extract.spec import LanguageSpec, UnitKind
from ce.extract.urls import public_url

__all__ = ["MARKDOWN", "scan_markdown"]

_SECTION = UnitKind(node="", kind="section", declares="heading")
_BRACKETS = re.compile(r"\\.|[\[\]]|\n[ \t]*\n", re.DOTALL)
_TARGET = re.compile(r"\(\s*(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*))")
_DEFINITION = re.compile(r"^[ >]{0,12}\[(?!\^)((?:\\.|[^\[\]\\])+)\]:[ \t]*(?:<([^<>\n]*)>|(\S+))?", re.MULTILINE)
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^\s<>]+)>", re.IGNORECASE)
_TAG = re.compile(r"<(a|img|h[1-6])\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-zA-Z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SPACES = re.compile(r"\s+")
_WINDOW = 1_000  # characters between the parenthesis of a link and its end


def scan_markdown(parsed: Parsed) -> Facts:
    """Return sections, sites and anchors of a page."""
    text = parsed.text.decode("utf-8", "replace")
    page = _Page(blocks_of(text))
    page.scan()
    return page.facts


class _Page:
    def __init__(self, block: Block) -> None:
        self.text = block.masked
        self.headings = block.headings
        self.section_starts = [heading.line for heading in block.headings]
        self.line_starts = block.line_starts
        self.facts = Facts()
        self.found: list[tuple[int, SiteDraft]] = []
        self.anchors: list[tuple[int, str]] = []
        self.taken: list[tuple[int, int]] = []  # extents of definitions, in order

    def scan(self) -> None:
        """Fill the facts."""
        self._sections()
        labels = self._definitions()
        self._links(labels)
        for match in _AUTOLINK.finditer(self.text):
            self._site("url", match.group(1), match.start())
        self._tags()
        self.found.sort(key=lambda found: found[0])
        seen: dict[int, int] = {}
        for _, site in self.found:
            site.nth = seen.get(site.line, 0)
            seen[site.line] = site.nth + 1
            self.facts.sites.append(site)
        self.facts.anchors = [anchor for _, anchor in sorted(self.anchors, key=lambda anchor: anchor[0])]

    def _sections(self) -> None:
        """Make a unit of every heading: it ends before the next heading of its level or a higher one."""
        slugs = Slugs()
        units = self.facts.units
        last = len(self.line_starts)
        open_levels: list[tuple[int, int]] = []
        for heading in self.headings:
            while open_levels and open_levels[-1][0] >= heading.level:
                units[open_levels.pop()[1]].end = heading.line - 1
            slug = slugs.slug(heading.text)
            parent = open_levels[-1][1] if open_levels else -1
            unit = UnitDraft(_SECTION, slug, "", heading.line, last, len(units), parent)
            unit.visibility = 3
            units.append(unit)
            open_levels.append((heading.level, unit.index))
            start = self.line_starts[heading.line - 1]
            if slug:
                self.anchors.append((start, slug))
            if heading.anchor:
                self.anchors.append((start, heading.anchor))

    def _definitions(self) -> set[str]:
        """Add the definitions and return their labels, folded."""
        labels = set()
        for match in _DEFINITION.finditer(self.text):
            label, target = match.group(1), match.group(2) or match.group(3) or ""
            if target and label.strip():
                self._site("ref_def", target, match.start(1) - 1, _SPACES.sub(" ", label.strip()))
                labels.add(_folded(label))
                end = self.text.find("\n", match.end())
                self.taken.append((match.start(), len(self.text) if end < 0 else end))
        return labels

    def _links(self, labels: set[str]) -> None:
        text = self.text
        starts = [start for start, _ in self.taken]
        for opening, closing in _matched_brackets(text):
            place = bisect_right(starts, opening) - 1
            if place >= 0 and opening < self.taken[place][1]:
                continue  # a definition owns its line
            is_image = opening > 0 and text[opening - 1] == "!" and not _is_escaped(text, opening - 1)
            at = opening - is_image
            after = text[closing + 1 : closing + 2]
            if after == "(":
                target = _TARGET.match(text, closing + 1, closing + _WINDOW)
                if target is not None and text.find(")", target.end(), target.end() + _WINDOW) >= 0:
                    self._site("image" if is_image else "link", target.group(1) or target.group(2) or "", at)
                    continue
            label = text[opening + 1 : closing] if closing - opening < _WINDOW else ""
            if after == "[":
                end = text.find("]", closing + 2, closing + _WINDOW)
                if end >= 0:
                    label = text[closing + 2 : end].strip() or label
                    if _folded(label) in labels or text[closing + 2 : end].strip():
                        self._site("ref_link", label, at)
                    continue
            if _folded(label) in labels and not self._is_second_half(opening):
                self._site("ref_link", label, at)

    def _is_second_half(self, opening: int) -> bool:
        return opening > 0 and self.text[opening - 1] == "]"

    def _tags(self) -> None:
        """Add what raw HTML links to, and the names that it can be linked by."""
        for match in _TAG.finditer(self.text):
            tag = match.group(1).lower()
            given = {name.lower(): one or two or three for name, one, two, three in _ATTRIBUTE.findall(match.group(2))}
            for name in ("id", "name"):
                if given.get(name) and (name == "id" or tag == "a") and tag != "img":
                    self.anchors.append((match.start(), given[name]))
            if tag == "a" and given.get("href"):
                self._site("href", given["href"], match.start())
            elif tag == "img" and given.get("src"):
                self._site("src", given["src"], match.start())

    def _site(self, kind: str, target: str, at: int, label: str = "") -> None:
        spec = (
            _SPACES.sub(" ", _ESCAPE.sub(r"\1", target.strip())) if kind == "ref_link" else public_url(_ESCAPE.sub(r"\1", target.strip()))
        )
        if not spec:
            return
        line = bisect_right(self.line_starts, at)
        site = SiteDraft(kind, spec, line, self._owner(line), at)
        if label:
            site.names.append((label, label))
        self.found.append((at, site))

    def _owner(self, line: int) -> int:
        owner = bisect_right(self.section_starts, line) - 1
        while owner >= 0 and self.facts.units[owner].end < line:
            owner = self.facts.units[owner].parent
        return owner


def _matched_brackets(text: str) -> list[tuple[int, int]]:
    """Return every `[` with its `]`, in the order of the `[`; nothing matches over an empty line."""
    pairs = []
    stack: list[int] = []
    for match in _BRACKETS.finditer(text):
        token = match.group()
        if token == "[":
            stack.append(match.start())
        elif token == "]":
            if stack:
                pairs.append((stack.pop(), match.start()))
        elif token[0] == "\n":
            stack.clear()
    return sorted(pairs)


def _is_escaped(text: str, at: int) -> bool:
    backslashes = 0
    while at > backslashes and text[at - backslashes - 1] == "\\":
        backslashes += 1
    return backslashes % 2 == 1


def _folded(label: str) -> str:
    return _SPACES.sub(" ", label.strip()).lower()


MARKDOWN = LanguageSpec(name="markdown", grammar="", comments=(), scan=scan_markdown)
