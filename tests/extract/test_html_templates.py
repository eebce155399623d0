"""Expressions of template engines in the attributes of pages: no link is read out of them, and their quotation marks end no value."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import ce
from ce.extract.languages.html_tags import OPEN, tokens


def attributes(text: str) -> dict[str, str]:
    return dict(next(token for token in tokens(text) if token.kind == OPEN).attributes)


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        ('<a href="{{ url_for("index", x="y") }}" class="k">', '{{ url_for("index", x="y") }}'),
        ("<a href='{% url 'detail' pk %}' class='k'>", "{% url 'detail' pk %}"),
        ('<a href={{ url_for("a b") }} class="k">', '{{ url_for("a b") }}'),
        ('<a href="/static/{{ "a" }}/x.js?v=<%= "1" %>" class="k">', '/static/{{ "a" }}/x.js?v=<%= "1" %>'),
        ('<a href="{{ never closed" class="k">', "{{ never closed"),
        ('<a href="plain" class="k">', "plain"),
    ],
)
def test_an_expression_keeps_its_quotation_marks(tag: str, value: str) -> None:
    assert attributes(tag) == {"href": value, "class": "k"}


def test_a_link_of_a_template_is_neither_resolved_nor_unresolved(tmp_path: Path) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "static/app.css").write_text("")
    (tmp_path / "page.html").write_text(
        '<link rel=stylesheet href="{% static "app.css" %}">\n<a href="{{ url_for("index") }}">a</a>\n<a href="{{ cut">b</a>\n'
        '<a href="{{ url_for(\'x\') }}#part">c</a>\n<a href="gone.html">d</a>\n'
    )
    project = ce.open(str(tmp_path))
    assert [(row.L, row.S) for row in project.query("outcome(F, L, S, O, W)")] == [(5, "gone.html")]
    assert [row.L for row in project.query("dynamic(F, L, template)")] == [1, 2, 3, 4]


@pytest.mark.parametrize("piece", ['"{{', "{{ x }}", '{%"', "<%'", "{{ {% <% "])
def test_what_never_ends_takes_no_longer_than_what_does(piece: str) -> None:
    def seconds(count: int) -> float:
        text = '<a href="' + piece * count
        begun = time.perf_counter()
        list(tokens(text))
        return time.perf_counter() - begun

    seconds(100)
    assert seconds(16_000) < 30 * max(seconds(2_000), 0.002)
