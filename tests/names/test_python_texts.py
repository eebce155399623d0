"""Texts that spell names without being constants of them: templates, code, settings, examples."""

from __future__ import annotations

import pytest

from tests.names.python_names import read


def spelled(source: str) -> set[str]:
    """Return what the texts of a source spell."""
    return {text for _, _, text in read(source).strings}


@pytest.mark.parametrize(
    "text",
    ['"%s.Filter" % module.__name__', '"%(m)s.Filter" % found', 'f"{module}.Filter"', '"{}.Filter".format(module)'],
)
def test_a_name_behind_a_place_to_fill_is_spelled(text: str) -> None:
    assert "Filter" in spelled(f"A = {text}\n")


def test_the_end_of_a_path_is_no_name_that_is_called_or_goes_on() -> None:
    assert spelled('A = f"{a}.load()"\nB = f"{b}.one.two"\n') == set()


def test_a_dotted_name_in_quotes_inside_a_text_is_spelled_whole() -> None:
    assert spelled("A = '''LOG = {\n    'class': \"app.log.Handler\",\n}'''\n") == {"app.log.Handler"}


def test_the_words_of_a_template_are_spelled() -> None:
    assert {"user", "nick", "upper", "banner"} <= spelled('A = "Hello {{ user.nick|upper }} {% banner %} rest"\n')
    assert "rest" not in spelled('A = "Hello {{ user.nick }} rest"\n')


@pytest.mark.parametrize(
    "text",
    ['"import os; from app import go; go()"', '"""\nfrom app import go\ngo()\n"""', 'f"from {A} import x\\ngo()"', 'r"import app;go()"'],
)
def test_the_words_of_code_in_a_text_are_spelled(text: str) -> None:
    found = spelled(f"run(['-c', {text}])\n")
    assert "go" in found
    assert not found & {"ngo", "r"}


def test_a_sentence_about_an_import_is_no_code() -> None:
    assert spelled('A = "to import it call go() first."\nB = "the import of go"\n') == set()


def test_examples_in_documentation_spell_names_but_not_that_of_what_they_document() -> None:
    source = 'def area(x):\n    """\n    >>> area(2)\n    4\n    >>> other(3)\n    ... # more(1)\n    """\n'
    assert spelled(source) == {"other", "more"}


def test_a_text_in_a_body_does_not_spell_the_name_of_the_body() -> None:
    assert spelled('def go(m):\n    raise TypeError(f"{m}.go")\ndef run(m):\n    return f"{m}.go"\n') == {"go"}
    assert spelled('def go(m):\n    raise TypeError(f"{m}.go")\n') == set()


def test_docstrings_and_code_that_never_runs_spell_nothing() -> None:
    assert spelled('def f():\n    """See {{ g.h }} and "a.b.C"."""\n    return 1\n    x = "{{ q.r }}"\n') <= {"q", "r"}
    assert spelled('def f():\n    """See {{ g.h }} and "a.b.C"."""\n') == set()
