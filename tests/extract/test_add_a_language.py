"""The page that adds a language is true: its table works as it stands there, with the two lines that register it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ce.extract import extractor, languages, registry
from ce.extract.compiled import compiled
from tests.fakes.whole_extraction import whole_extraction

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-language.md"


@pytest.fixture
def ruby(monkeypatch: pytest.MonkeyPatch) -> str:
    """Register the language of the page, and return the sample of the page."""
    page = PAGE.read_text(encoding="utf-8")
    table = next(block for block in blocks(page, "python") if "LanguageSpec(" in block)
    module = ModuleType("ce.extract.languages.ruby")
    exec(compile(table, str(PAGE), "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    line = next(block for block in blocks(page, "python") if block.strip().startswith('"ruby":'))
    monkeypatch.setattr(languages, "_MODULES", {**languages._MODULES, **eval(f"{{{line}}}")})
    (name, arm, suffixes), *_ = eval(f"[{next(block for block in blocks(page, 'python') if 'Arm.CODE' in block)}]", {"Arm": registry.Arm})
    monkeypatch.setitem(registry._SUFFIXES, suffixes, (name, arm))
    monkeypatch.setattr(registry, "LANGUAGES", (*languages.LANGUAGES, name))
    monkeypatch.setattr(extractor, "LANGUAGES", (*languages.LANGUAGES, name))
    return blocks(page, "ruby")[0]


def blocks(page: str, language: str) -> list[str]:
    """Return the code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def test_the_table_of_the_page_yields_what_the_page_says(ruby: str) -> None:
    extraction = whole_extraction("shop/basket.rb", ruby.encode())
    assert [(site.kind, site.spec) for site in extraction.sites] == [("require", "json"), ("require", "lib/shape")]
    assert [unit.key for unit in extraction.units] == ["Shop", "Basket", "total/2"]
    total = extraction.units[2]
    assert (total.declares, total.cyclomatic, total.cognitive, total.nesting) == ("method", 5, 6, 1)
    assert extraction.problems == ()


def test_a_kind_that_the_grammar_lacks_is_named() -> None:
    from dataclasses import replace

    from ce.extract.compiled import compile_spec
    from ce.extract.spec import UnitKind

    with pytest.raises(ValueError, match="no kind `procedure`"):
        compile_spec(replace(compiled("python").spec, units=(UnitKind(node="procedure"),)))
