"""Haskell that another program turns into modules: literate files, `hsc2hs`, `c2hs`, Alex and Happy. A line scanner for their imports.

Of a literate file the lines behind `>` and those between `\\begin{code}` and `\\end{code}` count. Such a file is never judged.
"""

from __future__ import annotations

import re

from ce.extract.drafts import Facts, SiteDraft
from ce.extract.parsing import Parsed
from ce.extract.spec import LanguageSpec

__all__ = ["HASKELL_SOURCE", "scan_haskell_source"]

_IMPORT = re.compile(
    r"""import\s+(?:\{-\#\s*SOURCE\s*\#-\}\s*)?(?:safe\s+)?(?:qualified\s+)?("[^"\n]*"\s)?\s*([A-Z][\w']*(?:\.[A-Z][\w']*)*)"""
)
_MODULE = re.compile(r"(?:\{\s*)?module\s+([A-Z][\w']*(?:\.[A-Z][\w']*)*)")
_COMMENT = re.compile(r"\{-(?!#).*?-\}", re.DOTALL)
_LINE_ENDS = re.compile(r"[^\n]")


def scan_haskell_source(parsed: Parsed) -> Facts:
    """Return the imports of a file and the name of its module."""
    facts = Facts()
    text = parsed.text.decode("utf-8", "replace")
    if parsed.path.endswith((".lhs", ".ly")):
        text = _code_of(text)
    text = _COMMENT.sub(lambda match: _LINE_ENDS.sub(" ", match.group()), text)
    for number, line in enumerate(text.split("\n"), start=1):
        found = _IMPORT.match(line)
        if found is not None:
            package, module = (found.group(1) or "").strip(), found.group(2)
            site = SiteDraft("import", f"{package} {module}".strip(), number, -1)
            site.names.append(("*", "*"))
            facts.sites.append(site)
        elif "module" not in facts.extra:
            named = _MODULE.match(line)
            if named is not None:
                facts.extra["module"] = named.group(1)
    return facts


def _code_of(text: str) -> str:
    """Return the text of a literate file with all but the code blank, line for line."""
    lines = []
    inside = False
    for line in text.split("\n"):
        if line.startswith("\\begin{code}"):
            inside, line = True, ""
        elif line.startswith("\\end{code}"):
            inside, line = False, ""
        elif line.startswith(">"):
            line = line[1:].lstrip(" ") if line[1:].lstrip(" ").startswith(("import", "module")) else line[1:]
        elif not inside:
            line = ""
        lines.append(line)
    return "\n".join(lines)


HASKELL_SOURCE = LanguageSpec(name="haskell_source", grammar="", comments=(), scan=scan_haskell_source)
