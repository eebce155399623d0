"""Vue and Svelte components: their script elements are read as the language that they are written in, the rest by eye.

Beside the scripts, `src` attributes name files, and Svelte markup may hold `import("…")`.
"""

from __future__ import annotations

import re

from ce.extract.drafts import Facts, SiteDraft
from ce.extract.languages.script_blocks import Element, blanked, elements, language_of_scripts
from ce.extract.parsing import Parsed
from ce.extract.spec import LanguageSpec

__all__ = ["SVELTE", "VUE"]

_IMPORT = re.compile(rb"""\bimport\s*\(\s*(["'`])([^"'`\n$]{1,400})\1""")
_CODE = frozenset({"", "js", "ts", "jsx", "tsx", "javascript", "typescript"})


def _code_in(text: bytes) -> tuple[str, bytes]:
    scripts = [element for element in elements(text) if _is_code(element)]
    return language_of_scripts(scripts), blanked(text, scripts)


def _is_code(element: Element) -> bool:
    return element.name == "script" and element.attributes.get("lang", "").lower() in _CODE


def _read_markup(parsed: Parsed, facts: Facts) -> None:
    """Add what `src` attributes and the markup name, and the component itself as the default export."""
    text = parsed.whole
    found = elements(text)
    for element in found:
        source = element.attributes.get("src", "")
        if source:
            kind = "import" if element.name == "script" else "src"
            facts.sites.append(SiteDraft(kind, source.strip(), text.count(b"\n", 0, element.at) + 1, -1, element.at))
    taken = [(element.start, element.end) for element in found if element.name != "template"]
    for match in _IMPORT.finditer(text):
        if not any(start <= match.start() < end for start, end in taken):
            line = text.count(b"\n", 0, match.start()) + 1
            site = SiteDraft("dynamic_import", match.group(2).decode("utf-8", "replace"), line, -1, match.start())
            site.mode = "lazy"
            facts.sites.append(site)
    facts.sites.sort(key=lambda site: site.start)
    facts.exports = sorted({"default", *(facts.exports or ())})
    facts.is_script = False
    facts.extra.pop("script", None)


VUE = LanguageSpec(name="vue", grammar="", comments=(), code_in=_code_in, finish=_read_markup)
SVELTE = LanguageSpec(name="svelte", grammar="", comments=(), code_in=_code_in, finish=_read_markup)
