"""Answers with their proofs as one HTML page that folds: no other file, nothing from the network, readable without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from ce.app.report import Answer, GoalReport, Report
from ce.datalog.proof import quote

if TYPE_CHECKING:
    from ce.datalog.proof import ProofNode

__all__ = ["html_page"]

# The page may use what stands in it and nothing else.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_STYLE = """\
:root { color-scheme: light dark; --faint: #6b6b6b; --line: #8885; --good: #17803d; --bad: #b3261e; --link: #1a5fb4; }
@media (prefers-color-scheme: dark) { :root { --faint: #9a9a9a; --good: #6fcf8f; --bad: #ff8a80; --link: #8ab4f8; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
h2 code { font-size: inherit; }
code, summary, .leaf { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; }
details, .leaf { margin-left: 1.1rem; padding-left: .6rem; border-left: 1px solid var(--line); }
summary { cursor: pointer; margin-left: -.6rem; padding-left: .6rem; }
.answer { margin: .4rem 0; border: 0; padding: 0; } .answer > summary { font-weight: 600; }
.reason { color: var(--faint); } .absence { font-style: italic; } .builtin { color: var(--faint); }
.good { color: var(--good); } .bad { color: var(--bad); } a { color: var(--link); }
:target { outline: 2px solid var(--link); } button { font: inherit; margin-right: .5rem; }
@media print { button { display: none; } }
"""

# Following a link to a part that is folded away unfolds it.
_SCRIPT = """\
function fold(open) { for (const each of document.querySelectorAll("details")) each.open = open; }
function show() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
  if (target) target.scrollIntoView({block: "center"});
}
addEventListener("hashchange", show); addEventListener("load", show);
"""


def html_page(report: Report, title: str) -> str:
    """Return the page: each goal with its answers, each answer with its proof as parts that fold."""
    body: list[str] = []
    for number, goal in enumerate(report.goals):
        body += _goal(goal, f"g{number}")
    if report.degraded is not None:
        body.append(f'<p class="bad">not judged: {_text(report.degraded.message)} (limit: {_text(report.degraded.limit)})</p>')
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{_text(title)}</title>",
            f"<style>\n{_STYLE}</style><script>\n{_SCRIPT}</script></head><body>",
            f"<h1>{_text(title)}</h1>",
            '<p><button onclick="fold(true)">unfold all</button><button onclick="fold(false)">fold all</button></p>',
            *body,
            "</body></html>",
            "",
        ]
    )


def _goal(goal: GoalReport, at: str) -> Iterator[str]:
    number = len(goal.answers)
    what = "violation" if goal.kind == "assert" else "answer"
    head = f"assert {goal.name}" if goal.kind == "assert" else f"?- {' '.join(goal.text.removeprefix('?-').removesuffix('.').split())}."
    colour = "good" if (number == 0) == (goal.kind == "assert") else "bad"
    yield f'<h2><code>{_text(head)}</code> <span class="{colour}">{number:,} {what}{"" if number == 1 else "s"}</span></h2>'
    if goal.doc is not None:
        yield f"<p>{_text(goal.doc)}</p>"
    for row, answer in enumerate(goal.answers):
        yield from _answer(goal, answer, f"{at}a{row}")


def _answer(goal: GoalReport, answer: Answer, at: str) -> Iterator[str]:
    values = ", ".join(f"{column} = {_isolated(_text(str(value)))}" for column, value in zip(goal.columns, answer.values, strict=True))
    shown = _text(answer.message) if answer.message else values or "yes"
    if answer.proof is None:
        yield f'<p class="answer"><code>{shown}</code></p>'
        return
    yield f'<details class="answer" id="{at}"><summary>{shown}</summary>'
    yield from _proof(answer.proof, at)
    yield "</details>"


def _proof(proof: ProofNode, at: str) -> Iterator[str]:
    """Yield the proof without its root, which the answer repeats; nothing here recurses, and very deep parts stand apart as lemmas."""
    document = proof.to_dict()
    yield from _written(document, at)
    lemmas = document.get("lemmas")
    for lemma in lemmas if isinstance(lemmas, list) else ():
        yield from _written({"premises": [lemma]}, at)


def _written(root: Mapping[str, object], at: str) -> Iterator[str]:
    """Yield everything below a node in textual order."""
    pending: list[Mapping[str, object] | str] = list(reversed(_premises(root)))
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            yield node
        elif "ref" in node:
            yield f'<div class="leaf">as shown at <a href="#{at}n{node["ref"]}">#{node["ref"]}</a></div>'
        elif premises := _premises(node):
            yield f'<details open id="{at}n{node["id"]}"><summary>{_statement(node)}</summary>'
            pending.append(f"{_omitted(node)}</details>")
            pending += reversed(premises)
        else:
            yield f'<div class="leaf {node["kind"]}" id="{at}n{node["id"]}">{_statement(node)}</div>{_omitted(node)}'


def _premises(node: Mapping[str, object]) -> list[Mapping[str, object]]:
    found = node.get("premises")
    return found if isinstance(found, list) else []


def _omitted(node: Mapping[str, object]) -> str:
    return f'<div class="leaf reason">… {node["omitted"]} more</div>' if node.get("omitted") else ""


def _statement(node: Mapping[str, object]) -> str:
    """Return what a node says and why, as the text of a proof does."""
    from ce.datalog.proof import ProofNode, statement

    args = node["args"]
    assert isinstance(args, list)
    kind, predicate = str(node["kind"]), node["predicate"]
    searched = node.get("searched")
    plain = ProofNode(
        kind,  # type: ignore[arg-type]  # one of the kinds, as the document writes them
        None if predicate is None else str(predicate),
        tuple(args),
        None if node["rule"] is None else str(node["rule"]),
        None if node["at"] is None else str(node["at"]),
        searched=searched if isinstance(searched, int) else None,
    )
    return f'<code>{_QUOTED.sub(_isolated_match, _text(statement(plain)))}</code> <span class="reason">{_text(_reason(plain))}</span>'


def _reason(node: ProofNode) -> str:
    if node.kind == "rule":
        return f"rule {node.rule}"
    if node.kind == "fact":
        return f"fact {node.at}" if node.at else "fact"
    if node.kind == "absence":
        place = f"{node.rule}; " if node.rule else ""
        return f"{place}{node.searched:,} {'row' if node.searched == 1 else 'rows'} searched"
    return ""


# A text in quotation marks, after escaping.
_QUOTED = re.compile(r"&quot;(?:\\(?:&quot;|.)|(?!&quot;).)*&quot;")


def _isolated_match(match: re.Match[str]) -> str:
    return _isolated(match[0])


def _isolated(escaped: str) -> str:
    """Keep a text that is written from right to left from changing the order of its neighbours."""
    is_mixed = not escaped.isascii() and any(bidirectional(character) in ("R", "AL", "AN") for character in escaped)
    return f'<bdi dir="ltr">{escaped}</bdi>' if is_mixed else escaped


def _text(text: str) -> str:
    """Escape a text; what cannot be printed is shown as its escape."""
    return escape("".join(c if c.isprintable() else quote(c)[1:-1] for c in text))
