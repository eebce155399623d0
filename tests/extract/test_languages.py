"""Every file of every case under fixtures/extract/<language>/ yields the facts that the case's expected.json writes down.

A new case needs no code: a directory with sources at the paths they should have. `pytest --rewrite-goldens` writes expected.json.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from ce.extract.languages import LANGUAGES
from ce.facts.records import Extraction, Unit
from tests.fakes.whole_extraction import whole_extraction

FIXTURES = Path(__file__).parents[2] / "fixtures" / "extract"
CASES = sorted(case for language in LANGUAGES for case in FIXTURES.glob(f"{language}/*"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_sources_yield_the_facts_written_down(case: Path, request: pytest.FixtureRequest) -> None:
    expected = case / "expected.json"
    told = told_as_json({path: extraction_of(path, case) for path in sources_of(case)})
    if request.config.getoption("--rewrite-goldens"):
        expected.write_text(told, encoding="utf-8")
    assert told == expected.read_text(encoding="utf-8")


def sources_of(case: Path) -> list[str]:
    """Return the paths of a case's sources."""
    return sorted(file.relative_to(case).as_posix() for file in case.rglob("*") if file.is_file() and file != case / "expected.json")


def extraction_of(path: str, case: Path) -> Extraction:
    """Return what a source of a case yields."""
    return whole_extraction(path, (case / path).read_bytes())


def told_as_json(extractions: dict[str, Extraction]) -> str:
    """Return the facts of some files as JSON, one record a line, without what is as it is by default."""
    files = []
    for path, extraction in extractions.items():
        parts = []
        for name, value in facts_of(extraction).items():
            rows = value if isinstance(value, (list, tuple)) and value and not isinstance(value[0], (str, int)) else None
            body = "[\n      " + ",\n      ".join(map(compact, rows)) + "\n    ]" if rows else compact(value)
            parts.append(f"    {json.dumps(name)}: {body}")
        files.append(f"  {json.dumps(path)}: {{\n" + ",\n".join(parts) + "\n  }")
    return "{\n" + ",\n".join(files) + "\n}\n"


def facts_of(record: object) -> dict[str, object]:
    """Return the fields of a record that differ from their default, records within it likewise."""
    told: dict[str, object] = {}
    for field in fields(record):  # type: ignore[arg-type]  # every record is a dataclass
        value = getattr(record, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if value != default:
            told[field.name] = [facts_of(item) for item in value] if is_records(value) else value
    if isinstance(record, Unit) and record.calls:
        told["calls"] = [f"{callee}:{line}" for callee, line in record.calls]
    return told


def is_records(value: object) -> bool:
    """Return whether the value is a tuple of records."""
    return isinstance(value, tuple) and bool(value) and hasattr(value[0], "__dataclass_fields__")


def compact(value: object) -> str:
    """Return JSON on one line."""
    return json.dumps(value, ensure_ascii=False)
