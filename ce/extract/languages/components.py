"""Components and pages that hold code: Vue, Svelte, Astro, MDX. The code is read as the language that it is written in.

It stands in script elements, in Astro also between the fences at the top, in MDX in the paragraphs that start with `import` or
`export`. Beside it, `src` attributes name files, and Svelte markup may hold `import("…")`.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ce.extract.drafts import Facts, SiteDraft
from ce.extract.languages.line_numbers import LineNumbers
from ce.extract.languages.script_blocks import Element, blanked, elements, language_of_scripts
from ce.extract.parsing import Parsed
from ce.extract.spec import LanguageSpec

__all__ = ["ASTRO", "MDX", "SVELTE", "VUE"]

_IMPORT = re.compile(rb"""\bimport\s*\(\s*(["'`])([^"'`\n$]{1,400})\1""")
_FRONT = re.compile(rb"\s*---[ \t]*\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_STATEMENT = re.compile(
    rb"import\s*(?:[\"'{*]|[\w$]+\s*(?:,|\s+from\b))|export\s*(?:\{|\*|(?:default|const|let|var|function|class|async)\b)"
)
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})")
_CODE = frozenset({"", "js", "ts", "jsx", "tsx", "javascript", "typescript"})


def _code_in(text: bytes) -> tuple[str, bytes]:
    scripts = [element for element in elements(text) if _is_code(element)]
    return language_of_scripts(scripts), blanked(text, scripts)


def _code_in_astro(text: bytes) -> tuple[str, bytes]:
    fenced = _FRONT.match(text)
    front = [Element("front", 0, fenced.start(1), fenced.end(1), {})] if fenced is not None else []
    end = fenced.end() if fenced is not None else 0
    scripts = [element for element in elements(text) if _is_code(element) and element.at >= end]
    return "typescript", blanked(text, [*front, *scripts])


def _code_in_mdx(text: bytes) -> tuple[str, bytes]:
    """Keep the paragraphs that start with an import or an export, outside of front matter and fences."""
    kept = []
    front = _FRONT.match(text)
    at = front.end() if front is not None else 0
    fence = b""
    is_code, is_at_start = False, True
    for line in text[at:].splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            fence = b"" if mark is not None and mark.group(1).startswith(fence) else fence
        elif mark is not None:
            fence = mark.group(1)
            is_code = False
        elif not line.strip():
            is_code = False
        elif is_at_start and _STATEMENT.match(line):
            is_code = True
        if is_code:
            kept.append(Element("code", at, at, at + len(line), {}))
        is_at_start = is_code or not line.strip() or mark is not None
        at += len(line)
    return "javascript", blanked(text, kept)


def _is_code(element: Element) -> bool:
    return element.name == "script" and element.attributes.get("lang", "").lower() in _CODE


def _read_markup(parsed: Parsed, facts: Facts) -> None:
    """Add what `src` attributes and the markup name, and the component itself as the default export."""
    text = parsed.whole
    lines = LineNumbers(text)
    found = elements(text)
    for element in found:
        source = element.attributes.get("src", "")
        if source:
            kind = "import" if element.name == "script" else "src"
            facts.sites.append(SiteDraft(kind, source.strip(), lines.at(element.at), -1, element.at))
    taken = [(element.start, element.end) for element in found if element.name != "template"]
    for match in _IMPORT.finditer(text):
        before = bisect_right(taken, (match.start(), len(text) + 1)) - 1
        if before < 0 or match.start() >= taken[before][1]:
            site = SiteDraft("dynamic_import", match.group(2).decode("utf-8", "replace"), lines.at(match.start()), -1, match.start())
            site.mode = "lazy"
            facts.sites.append(site)
    facts.sites.sort(key=lambda site: site.start)
    facts.exports = sorted({"default", *(facts.exports or ())})
    facts.is_script = False
    facts.extra.pop("script", None)


VUE = LanguageSpec(name="vue", grammar="", comments=(), code_in=_code_in, finish=_read_markup)
SVELTE = LanguageSpec(name="svelte", grammar="", comments=(), code_in=_code_in, finish=_read_markup)
ASTRO = LanguageSpec(name="astro", grammar="", comments=(), code_in=_code_in_astro, finish=_read_markup)
MDX = LanguageSpec(name="mdx", grammar="", comments=(), code_in=_code_in_mdx, finish=_read_markup)
