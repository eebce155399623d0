"""The first allowlist of a project: today's offenders, with blanks that do not pass until somebody writes why."""

from __future__ import annotations

import json

from ce.allowlist.gate import Offender, Verdicts
from ce.allowlist.model import WIDENED_KEY

__all__ = ["draft"]

_HEADER = """\
# Names that are exported and have no caller, with the reason why each may stay.
# The gate refuses this file until every blank rationale and issue is filled in.
schema_version: 1
"""


def draft(verdicts: Verdicts, widened_key: str = WIDENED_KEY) -> str:
    """Return the text of an allowlist that excepts every offender of the verdicts.

    The text breaks L6 (blank rationale) or L7 (blank issue) on purpose; without offenders it is burned down and breaks L7 alone.
    """
    lines = [_HEADER.rstrip()]
    if verdicts.offenders:
        lines += [
            "categories:",
            "  category_unreviewed:",
            '    rationale: ""  # why may these stay?',
            "    requires_issue: false",
            "entries:",
        ]
        lines += [f"  - {{{_key(offender)}, category: category_unreviewed}}" for offender in verdicts.offenders]
    else:
        lines += ["categories: {}", "entries: []"]
    lines += [f"{widened_key}:", '  rationale: ""  # why may these stay?', '  issue: ""  # "#12" or "owner/repository#12"']
    if verdicts.widened_offenders:
        lines.append("  entries:")
        lines += [f"    - {{{_key(offender)}}}" for offender in verdicts.widened_offenders]
    else:
        lines.append("  entries: []")
    return "\n".join(lines) + "\n"


def _key(offender: Offender) -> str:
    # Quoted, since YAML reads names such as `on` or `null` as other values.
    return f"module: {json.dumps(offender.key.module)}, name: {json.dumps(offender.key.name, ensure_ascii=False)}"
