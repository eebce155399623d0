"""M12: one schema fault per file; the error names the rule and the place, and the first violation wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from ce.allowlist import AllowlistSchemaError, DeadSymbolKey, load_allowlist, parse_allowlist

GOOD = """\
schema_version: 1
categories:
  category_x: {rationale: kept for plugins, requires_issue: false, target: 2.0}
  category_y: {rationale: moving, requires_issue: true}
entries:
  - {module: pkg.mod, name: Symbol, category: category_x, rationale: own reason}
  - {module: pkg.mod, name: Other, category: category_y, issue: "#12"}
widened_grandfathered_470:
  rationale: old
  issue: "owner/repository#633"
  entries:
    - {module: pkg.mod, name: helper, note: later}
""".replace("target: 2.0", 'target: "2.0"')


def test_a_sound_file_gives_both_sections_from_one_parse() -> None:
    allowlist = parse_allowlist(GOOD)
    assert allowlist.keys == {DeadSymbolKey("pkg.mod", "Symbol"), DeadSymbolKey("pkg.mod", "Other")}
    assert allowlist.widened_qualified == {"pkg.mod::helper"}
    assert isinstance(allowlist.keys, frozenset)
    assert isinstance(allowlist.widened_qualified, frozenset)
    assert [allowlist.rationale(entry) for entry in allowlist.entries] == ["own reason", "moving"]
    assert [entry.at for entry in allowlist.entries] == [6, 7]


def test_a_burned_down_file_is_sound() -> None:
    text = 'schema_version: 1\ncategories: {}\nentries: []\nwidened_grandfathered_470: {rationale: r, issue: "#1", entries: []}\n'
    assert parse_allowlist(text).keys == frozenset()


FAULTS = {
    "not yaml": (("entries:", "entries: ["), "L1", "<root>"),
    "a merge key": (("rationale: old", "<<: {rationale: old}"), "L1", "<root>"),
    "an object tag": (("rationale: old", "rationale: !!python/name:os.system x"), "L1", "<root>"),
    "a set": (("entries:\n    -", "entries: !!set\n    ?"), "L1", "<root>"),
    "a missing section": (("schema_version: 1\n", ""), "L2", "<root>"),
    "an extra section": (("schema_version: 1\n", "schema_version: 1\nextra: 1\n"), "L2", "<root>"),
    "a section twice": (("schema_version: 1\n", "schema_version: 1\nschema_version: 1\n"), "L3", "line 2, column 1"),
    "a category twice": (("  category_y:", "  category_x:"), "L3", "line 4, column 3"),
    "a field twice": (("note: later", "note: later, note: again"), "L3", "line 12, column 52"),
    "a version that is true": (("schema_version: 1", "schema_version: true"), "L4", "schema_version"),
    "a version that is text": (("schema_version: 1", 'schema_version: "1"'), "L4", "schema_version"),
    "a version that is a float": (("schema_version: 1", "schema_version: 1.0"), "L4", "schema_version"),
    "another version": (("schema_version: 1", "schema_version: 2"), "L4", "schema_version"),
    "a category id in capitals": (("category_y", "category_Y"), "category-id", "categories.category_Y"),
    "a category id with a newline": (("  category_y:", '  "category_y\\n":'), "category-id", "categories.category_y\n"),
    "a line field": (("name: Other,", "name: Other, line: 3,"), "L5", "entries[1]"),
    "a body hash": (("name: Other,", "name: Other, body_hash: x,"), "L5", "entries[1]"),
    "an entry without a name": (("name: Other, ", ""), "L5", "entries[1]"),
    "an entry that is a text": (('{module: pkg.mod, name: Other, category: category_y, issue: "#12"}', "Other"), "L5", "entries[1]"),
    "a blank rationale": (("rationale: moving", 'rationale: "  "'), "L6", "categories.category_y.rationale"),
    "a rationale that is a number": (("rationale: moving", "rationale: 3"), "L6", "categories.category_y.rationale"),
    "a blank own rationale": (("rationale: own reason", 'rationale: ""'), "L6", "entries[0].rationale"),
    "a blank note": (("note: later", 'note: " "'), "L6", "widened_grandfathered_470.entries[0].note"),
    "a target that is a number": (('target: "2.0"', "target: 2.0"), "L6", "categories.category_x.target"),
    "an undeclared category": (("category: category_y", "category: category_z"), "L7", "entries[1].category"),
    "a flag that is text": (("requires_issue: true", 'requires_issue: "true"'), "L7", "categories.category_y.requires_issue"),
    "a missing issue": ((', issue: "#12"', ""), "L7", "entries[1].issue"),
    "an unquoted issue": (('issue: "#12"}', "issue: #12\n   }"), "L7", "entries[1].issue"),
    "an issue with a newline": (('"#12"', '"#12\\n"'), "L7", "entries[1].issue"),
    "a widened section without an issue": (('  issue: "owner/repository#633"\n', ""), "L7", "widened_grandfathered_470.issue"),
    "one key twice in a category": (("name: Other, category: category_y", "name: Symbol, category: category_x"), "L8", "entries[1]"),
    "one key in two categories": (("name: Other", "name: Symbol"), "L8", "entries[1]"),
    "one key in both sections": (("name: helper", "name: Symbol"), "L8", "widened_grandfathered_470.entries[0]"),
    "a category without an entry": (("category: category_y", "category: category_x"), "L9", "categories.category_y"),
    "a module with a dash": (("module: pkg.mod, name: Other", "module: pkg-x, name: Other"), "L10", "entries[1].module"),
    "a dotted name": (("name: Other", "name: Other.x"), "L10", "entries[1].name"),
    "a name that YAML reads as true": (("name: Other", "name: on"), "L10", "entries[1].name"),
    "a name that YAML reads as null": (("name: Other", "name: null"), "L10", "entries[1].name"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_rule_and_place(fault: str) -> None:
    (old, new), rule, pointer = FAULTS[fault]
    assert GOOD.count(old) >= 1
    text = GOOD.replace(old, new, 1) if fault != "a category id in capitals" else GOOD.replace(old, new)
    with pytest.raises(AllowlistSchemaError) as raised:
        parse_allowlist(text, "list.yaml")
    error = raised.value
    assert (error.rule, error.pointer) == (rule, pointer), str(error)
    assert str(error).startswith(f"list.yaml: {pointer}: [{rule}] ")


def test_a_repeated_key_names_both_places() -> None:
    with pytest.raises(AllowlistSchemaError, match=r"entries\[1\]: \[L8\] .*entries\[0\]"):
        parse_allowlist(GOOD.replace("name: Other", "name: Symbol"))


def test_a_schema_error_is_a_value_error() -> None:
    assert issubclass(AllowlistSchemaError, ValueError)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a: \xff"])
def test_bytes_that_are_no_text_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "list.yaml"
    path.write_bytes(data)
    with pytest.raises(AllowlistSchemaError, match=r"<root>: \[L1\]"):
        load_allowlist(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AllowlistSchemaError, match=r"\[L1\] cannot be read"):
        load_allowlist(tmp_path / "none.yaml")


def test_a_deeply_nested_file_is_refused() -> None:
    with pytest.raises(AllowlistSchemaError, match=r"\[L1\]"):
        parse_allowlist("a: " + "[" * 5000)


def test_a_file_that_contains_itself_is_refused() -> None:
    with pytest.raises(AllowlistSchemaError, match=r"\[L1\]"):
        parse_allowlist("&a [*a]: 1\nb: &b [*b]\n")


def test_the_widened_section_has_the_name_the_project_gives_it() -> None:
    text = GOOD.replace("widened_grandfathered_470", "widened_old")
    assert parse_allowlist(text, widened_key="widened_old").widened_qualified == {"pkg.mod::helper"}
    with pytest.raises(ValueError, match="no section name"):
        parse_allowlist(text, widened_key="Widened")
