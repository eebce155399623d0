"""`ce.toml`: every key is read, every fault is named with its line, and the digest follows the values alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ce.diagnostics import CeError, Diagnostic
from ce.source.settings import Allowlist, RuleClass, Settings, Thresholds, check_against_tree, load_settings, parse_settings
from tests.fakes.git_sandbox import write

EVERYTHING = """
exclude = ["gen/", "*.tmp"]

[project]
kind = "library"

[thresholds]
file_lines_warn = 100
file_lines_fail = 0

[graph]
entry_globs = ["scripts/", "tools/*.py"]
crate_roots = ["rust/lib.rs"]
scc_floor = 1
[graph.search_roots]
c = ["include", "./src/"]
java = ["a/java"]

[dedup]
budget = 7

[rules]
file = "rules/own.rules"
[[rules.class]]
name = "generated"
globs = ["gen/**"]
[rules.class.knobs]
file_lines_fail = 900
[[rules.class]]
name = "tests"
globs = ["tests/"]

[erase]
verify = "pytest -q"

[allowlist]
file = "dead.yml"
packages = ["src", "."]
min_modules = 3
min_symbols = 4
cap = 0

[history]
commits = 10

[limits]
max_rows = 5
timeout = 6
max_file_bytes = 7

[ui]
lang = "en"
"""


def faults(text: str) -> list[Diagnostic]:
    with pytest.raises(CeError) as refused:
        parse_settings(text)
    return list(refused.value.diagnostics)


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == parse_settings("") == Settings()
    assert Settings().thresholds == Thresholds(300, 750, 50, 75, 5, 15, 15, 0, 4)
    assert (Settings().graph.scc_floor, Settings().dedup.budget, Settings().project.kind) == (2, None, "")


def test_every_key_reaches_its_value() -> None:
    settings = parse_settings(EVERYTHING)
    assert settings.exclude == ("gen/", "*.tmp")
    assert settings.project.kind == "library"
    assert settings.thresholds == replace(Thresholds(), file_lines_warn=100, file_lines_fail=0)
    assert settings.graph.entry_globs == ("scripts/**", "tools/*.py")
    assert settings.graph.crate_roots == ("rust/lib.rs",)
    assert settings.graph.search_roots == (("c", ("include", "src")), ("java", ("a/java",)))
    assert (settings.graph.scc_floor, settings.dedup.budget, settings.rules.file) == (1, 7, "rules/own.rules")
    assert settings.rules.classes == (
        RuleClass("generated", ("gen/**",), (("file_lines_fail", 900),)),
        RuleClass("tests", ("tests/**",)),
    )
    assert settings.erase.verify == "pytest -q"
    assert settings.allowlist == Allowlist("dead.yml", ("src", "."), 3, 4, 0)
    assert settings.history.commits == 10
    assert (settings.limits.max_rows, settings.limits.timeout, settings.limits.max_file_bytes) == (5, 6, 7)
    assert settings.ui.lang == "en"


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "sentence", "note"),
    [
        ("[threshold]\n", "CE504", 1, 2, "unknown table `threshold`", "did you mean `thresholds`?"),
        ("excludes = []", "CE504", 1, 1, "unknown table `excludes`", "did you mean `exclude`?"),
        ("x = 1", "CE504", 1, 1, "unknown key `x`", "known:"),
        (
            "\n[thresholds]\nfile_line_warn = 3",
            "CE504",
            3,
            1,
            "unknown key `file_line_warn` in `[thresholds]`",
            "did you mean `file_lines_warn`?",
        ),
        ("[graph]\nsearch_roots = {python = []}", "CE504", 2, 1, "`graph.search_roots`: unknown key `python`", "known: `c`"),
        ("[graph.search_roots]\nc = []\npython = []", "CE504", 3, 1, "unknown key `python`", "known: `c`"),
        (
            "[[rules.class]]\nname = 'a'\nglobs = ['a']\n[rules.class.knobs]\nfile_lines = 1",
            "CE504",
            5,
            1,
            "unknown key `file_lines`",
            "did you mean",
        ),
        (
            "[[rules.class]]\nname='a'\nglobs=['a']\n[[rules.class]]\nnam='b'\nglobs=['b']",
            "CE504",
            5,
            1,
            "unknown key `nam`",
            "did you mean `name`?",
        ),
        ("[thresholds]\nparams_warn = '5'", "CE505", 2, 1, "an integer is expected, found text", ""),
        ("[thresholds]\nparams_warn = true", "CE505", 2, 1, "an integer is expected, found a boolean", ""),
        ("[thresholds]\nparams_warn = -1", "CE505", 2, 1, "an integer from 0 to 9223372036854775807 is expected, found -1", ""),
        ("[graph]\nscc_floor = 0", "CE505", 2, 1, "an integer from 1 to", ""),
        ("[limits]\nmax_rows = 99999999999999999999", "CE505", 2, 1, "an integer from 1 to", ""),
        ("[project]\nkind = 'libary'", "CE505", 2, 1, "`libary` is not one of `application`, `library`", "did you mean `library`?"),
        ("[ui]\nlang = 'zh'", "CE505", 2, 1, "`zh` is not one of `en`", ""),
        ("exclude = 'a'", "CE505", 1, 1, "`exclude`: a list is expected, found text", "write it in brackets"),
        ("exclude = [1]", "CE505", 1, 1, "text is expected, found an integer", ""),
        ("exclude = ['']", "CE505", 1, 1, "the text is empty", ""),
        ("[rules]\nfile = '../x'", "CE505", 2, 1, "`../x` leads out of the root", ""),
        ("[rules]\nfile = '/etc/x'", "CE505", 2, 1, "leads out of the root", ""),
        ("[rules]\nclass = 1", "CE505", 2, 1, "an array of tables is expected, found an integer", ""),
        ("thresholds = 3", "CE505", 1, 1, "`thresholds` is a table", "write `[thresholds]` above its keys"),
        ("rules = []", "CE505", 1, 1, "`rules` is a table", ""),
        ("exclude = ['!a']", "CE506", 1, 1, "`!a` is not a glob: it starts with `!`", "[!]"),
        ("exclude = ['#a']", "CE506", 1, 1, "it starts with `#`", "write `[#]`"),
        ("[graph]\nentry_globs = ['a\\b']", "CE506", 2, 1, "it contains a backslash", "separate directories with `/`"),
        ("[thresholds]\nfn_lines_fail = 10", "CE507", 2, 1, "`fn_lines_fail` = 10 is below `fn_lines_warn` = 50", "0 for no such wall"),
        ("[thresholds]\nfile_lines_warn = 751", "CE507", 2, 1, "`file_lines_fail` = 750 is below `file_lines_warn` = 751", ""),
        (
            "[[rules.class]]\nname='a'\nglobs=['a']\nknobs={cognitive_fail = 3}",
            "CE507",
            4,
            1,
            "`cognitive_fail` = 3 is below `cognitive_warn` = 15 of the rule class `a`",
            "",
        ),
        ("[[rules.class]]\nglobs=['a']", "CE508", 1, 3, "a rule class has no name", "write `name"),
        ("[[rules.class]]\nname='a'", "CE508", 1, 3, "the rule class `a` has no globs", ""),
        (
            "[[rules.class]]\nname='a'\nglobs=['a']\n[[rules.class]]\nname='a'\nglobs=['a']",
            "CE508",
            5,
            1,
            "two rule classes are named `a`",
            "",
        ),
        ("[[rules.class]]\n" * 65, "CE508", 1, 3, "65 classes, at most 64 are possible", ""),
        ("a = \n", "CE509", 1, 5, "`ce.toml` is not TOML: invalid value", ""),
        ("[a]\n[a]\n", "CE509", 2, 3, "`ce.toml` is not TOML: cannot declare", ""),
    ],
)
def test_a_fault_has_its_code_its_place_and_its_remedy(text: str, code: str, line: int, column: int, sentence: str, note: str) -> None:
    found = faults(text)[0]
    assert found.code == code and sentence in found.message
    assert found.span is not None and (found.span.source, found.span.line, found.span.column) == ("ce.toml", line, column)
    assert note in "\n".join(found.notes)


def test_all_faults_are_reported_together_with_their_lines() -> None:
    with pytest.raises(CeError) as refused:
        parse_settings("exclude = 3\n[dedup]\nbudgets = 1\nbudget = 'x'\n[nonsense]\na = 1\n")
    assert [fault.span.line for fault in refused.value.diagnostics if fault.span] == [1, 3, 4, 5]
    assert "    budgets = 1\n    ^^^^^^^" in str(refused.value)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"exclude = ['\xe9']", b"# " + b"x" * (1 << 20)])
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, {"ce.toml": data})
    with pytest.raises(CeError, match="CE503"):
        load_settings(tmp_path)


def test_a_directory_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ce.toml").mkdir()
    with pytest.raises(CeError, match=r"CE503: `ce\.toml` cannot be read: Is a directory"):
        load_settings(tmp_path)


def test_deep_nesting_is_refused_and_no_traceback() -> None:
    assert faults("a = " + "[" * 100_000)[0].code == "CE509"


def test_a_byte_order_mark_and_crlf_are_harmless(tmp_path: Path) -> None:
    write(tmp_path, {"ce.toml": b"\xef\xbb\xbf[dedup]\r\nbudget = 3\r\n"})
    assert load_settings(tmp_path).dedup.budget == 3


def test_the_digest_follows_the_values_and_not_their_spelling() -> None:
    assert parse_settings("# c\n[ thresholds ]\nfile_lines_warn = 300 # the default\n").digest() == Settings().digest()
    one = parse_settings("exclude = ['a']\n[dedup]\nbudget = 1").digest()
    other = parse_settings("dedup.budget = 0x1\nexclude = [\n 'a', # x\n]").digest()
    assert one == other and len(one) == 64
    assert one != parse_settings("exclude = ['b']\n[dedup]\nbudget = 1").digest()
    assert Settings().digest() != parse_settings("[graph]\nscc_floor = 1").digest()


def test_roots_named_in_the_settings_must_be_measured() -> None:
    settings = parse_settings(
        "[graph]\ncrate_roots = ['a.rs', 'b.py', 'gone.rs']\n[graph.search_roots]\nc = ['include', 'gone']\nlua = ['.']"
    )
    check_against_tree(parse_settings(""), ())
    with pytest.raises(CeError) as refused:
        check_against_tree(settings, ["a.rs", "b.py", "include/x.h"])
    assert [fault.message for fault in refused.value.diagnostics] == [
        "`crate_roots` names `b.py`, which is no measured Rust file",
        "`crate_roots` names `gone.rs`, which is no measured Rust file",
        "`search_roots.c` names `gone`, in which no file is measured",
    ]
