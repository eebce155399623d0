"""Headers and sources that a build fills in (`config.h.in`): a line scanner for their includes. Such a file is never judged."""

from __future__ import annotations

import re

from ce.extract.drafts import Facts, SiteDraft
from ce.extract.parsing import Parsed
from ce.extract.spec import LanguageSpec

__all__ = ["C_TEMPLATE", "scan_template"]

_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_INCLUDE = re.compile(rb"(?m)^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:\"([^\"\n@]+)\"|(<[^>\n@]+>))")
_NO_LINE_END = re.compile(rb"[^\n]")


def scan_template(parsed: Parsed) -> Facts:
    """Return the includes of a template; a name with a place to be filled in is none."""
    facts = Facts()
    text = _COMMENT.sub(lambda match: _NO_LINE_END.sub(b" ", match.group()), parsed.text) if b"/" in parsed.text else parsed.text
    line, counted = 1, 0
    for match in _INCLUDE.finditer(text):
        line += text.count(b"\n", counted, match.start())
        counted = match.start()
        facts.sites.append(SiteDraft("include", (match.group(1) or match.group(2)).decode("utf-8", "replace"), line, -1, match.start()))
    return facts


C_TEMPLATE = LanguageSpec(name="c_template", grammar="", comments=(), scan=scan_template)
