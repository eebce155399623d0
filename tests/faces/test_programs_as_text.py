"""`ce fmt` and `ce lint` as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]

ROOT = Path(__file__).parents[2]
UNTIDY = "# why\nassert a(F):-ref(F,G,import,_),in(G,'x')  .\n".replace("'", '"')
TIDY = '# why\nassert a(F) :-\n    ref(F, G, import, _),\n    in(G, "x").\n'


def test_a_program_is_rewritten_in_place_and_a_second_time_not_at_all(ce: Ce, tree: Make) -> None:
    root = tree({"a.rules": UNTIDY})
    (root / "a.rules").chmod(0o640)
    assert ce("fmt", "a.rules", cwd=root) == (0, "reformatted a.rules\n", "1 of 1 files were reformatted\n")
    assert (root / "a.rules").read_text() == TIDY
    assert (root / "a.rules").stat().st_mode & 0o777 == 0o640
    assert ce("fmt", "a.rules", "-q", cwd=root) == (0, "", "")
    assert [path.name for path in root.iterdir()] == ["a.rules"]


def test_a_check_names_what_would_change_and_writes_nothing(ce: Ce, tree: Make) -> None:
    root = tree({"a.rules": UNTIDY, "sub/b.dl": TIDY, ".hidden/c.dl": UNTIDY, "sub/notes.md": "x(y"})
    code, out, err = ce("fmt", "--check", ".", cwd=root)
    assert (code, out, err) == (1, "would reformat a.rules\n", "1 of 2 files would be reformatted\n")
    assert (root / "a.rules").read_text() == UNTIDY
    assert ce("fmt", "--check", "sub", cwd=root)[0] == 0


def test_a_diff_can_be_applied_as_a_patch(ce: Ce, tree: Make) -> None:
    import subprocess

    root = tree({"a.rules": UNTIDY.rstrip("\n")})
    code, out, _ = ce("fmt", "--diff", "a.rules", cwd=root)
    assert code == 0
    assert "\\ No newline at end of file" in out
    assert ce("fmt", "--diff", "--check", "a.rules", cwd=root)[0] == 1
    subprocess.run(["patch", "-s", "a.rules"], input=out, text=True, cwd=root, check=True)
    assert (root / "a.rules").read_text() == TIDY


def test_a_program_with_a_fault_stops_all_and_changes_none(ce: Ce, tree: Make) -> None:
    root = tree({"a.rules": UNTIDY, "b.rules": "a(F :- file(F).\n", "c.rules": b"\xff"})
    code, _, err = ce("fmt", "a.rules", "b.rules", "c.rules", "gone.rules", cwd=root)
    assert code == 2
    assert "b.rules:1:5: error CE" in err
    assert "`c.rules` is not UTF-8" in err
    assert "`gone.rules` cannot be read: No such file or directory" in err
    assert (root / "a.rules").read_text() == UNTIDY


def test_windows_line_ends_and_a_byte_order_mark_are_layout(ce: Ce, tree: Make) -> None:
    root = tree({"a.rules": b"\xef\xbb\xbf" + TIDY.replace("\n", "\r\n").encode()})
    assert ce("fmt", "a.rules", cwd=root)[0] == 0
    assert (root / "a.rules").read_bytes() == TIDY.encode()


def test_a_program_behind_a_link_is_rewritten_where_it_is(ce: Ce, tree: Make) -> None:
    root = tree({"real/a.rules": UNTIDY})
    (root / "link.rules").symlink_to("real/a.rules")
    ce("fmt", "link.rules", cwd=root)
    assert (root / "link.rules").is_symlink()
    assert (root / "real/a.rules").read_text() == TIDY


def test_the_programs_and_rules_that_we_ship_are_in_canonical_layout(ce: Ce) -> None:
    assert ce("fmt", "--check", "rules", cwd=ROOT)[:2] == (0, "")


def test_the_rules_that_we_ship_have_no_suspicious_part(ce: Ce) -> None:
    names = [path.name for path in sorted((ROOT / "rules").glob("*.rules"))]
    assert ce("lint", "--no-tree", *names, ROOT / "fixtures" / "demo") == (0, f"{len(names)} files, 0 warnings\n", "")


def lint(ce: Ce, root: Path, *words: str, code: int = 1) -> list[str]:
    got, out, err = ce("lint", root, "--format", "json", *words)
    assert got == code, out + err
    document = json.loads(out)
    assert document["schema"] == "ce.lint/1"
    return [f"{each['where']}:{each['line']} {each['code']} {each['message']}" for each in document["warnings"]]


def test_rows_of_the_tree_decide_what_cannot_fire_there(ce: Ce, tree: Make) -> None:
    rules = (
        'assert a(F) :- in(F, "gone/**").\n'
        "assert b(F) :- file(F), lang(F, cobol).\n"
        "assert c(F) :- lines(F, N), N > 9.\n"
        "assert d(F) :- dup(F, _, _).\n"
        "assert e(F) :- owner(F, _).\n"
    )
    root = tree({"ce.rules": rules, "a.py": ""})
    assert lint(ce, root) == [
        "ce.rules:1 CE309 `a` cannot fire here",
        'ce.rules:1 CE951 `in(F, "gone/**")` matches no file of this tree',
        "ce.rules:2 CE309 `b` cannot fire here",
        "ce.rules:5 CE309 `e` cannot fire here",
    ]
    assert lint(ce, root, "--no-tree", code=0) == []


def test_a_subsumed_rule_is_shown_with_its_substitution(ce: Ce, tree: Make) -> None:
    root = tree({"ce.rules": "t(F) :- ref(F, _, import, _).\nt(G) :- ref(G, H, import, _), file(H).\n?- t(F).\n", "a.py": ""})
    code, out, _ = ce("lint", root)
    assert code == 1
    assert "ce.rules:2:1: warning CE308: this rule adds nothing to another one" in out
    assert "note: with F = G, its body is part of this one" in out


def test_our_own_lists_are_judged_by_the_same_proofs(ce: Ce, tree: Make) -> None:
    settings = (
        'exclude = ["gen/**", "gen/a.py"]\n'
        '[graph]\nentry_globs = ["tools/**"]\n'
        '[[rules.class]]\nname = "tests"\nglobs = ["tests/**"]\n'
        '[[rules.class]]\nname = "slow"\nglobs = ["tests/slow/**", "src/*.py"]\n'
        '[[allowlist.registered_class]]\nprefix = "app"\nobject = "app.r"\nattribute = "add"\n'
        '[[allowlist.registered_class]]\nprefix = "app.sub"\nobject = "app.r"\nattribute = "add"\n'
    )
    files = {
        "ce.toml": settings,
        ".ceignore": "*.log\nbuild/\nbuild/x.log\n",
        "src/a.py": "",
        "tests/slow/t.py": "",
        "src/.ceignore": "x\nx\n",
    }
    assert lint(ce, tree(files)) == [
        ".ceignore:3 CE971 `build/x.log` changes nothing here",
        "ce.toml:1 CE971 `gen/a.py` in `exclude` changes nothing: `gen/**` covers it",
        "ce.toml:3 CE972 `tools/**` in `graph.entry_globs` matches no file of this tree",
        "ce.toml:9 CE971 `tests/slow/**` in `rules.class slow` owns no file: `tests/**` of the class `tests` before it covers it",
        "ce.toml:14 CE971 the registered class `app.sub` changes nothing: `app` covers it",
        "src/.ceignore:1 CE971 `x` changes nothing here",
    ]


def test_a_program_of_the_bare_engine_is_linted_without_a_tree(ce: Ce, tree: Make) -> None:
    root = tree({"p.dl": "decl edge(From: int, To: int).\npath(X, Y) :- edge(X, Y).\nlost(X) :- edge(X, Y).\noutput path.\n"})
    assert [line.split(" ")[1] for line in lint(ce, root, "--bare", "p.dl")] == ["CE301", "CE302"]


def test_a_fault_is_an_error_and_two_roots_are_one_too_many(ce: Ce, tree: Make) -> None:
    root = tree({"ce.rules": "a(F) :- fil(F).\n", "a.py": "", "sub/b.py": ""})
    code, out, err = ce("lint", root)
    assert (code, out) == (2, "")
    assert "error CE202" in err
    assert "are both directories" in ce("lint", root, root / "sub")[2]


@pytest.mark.parametrize("files", [{"a.py": ""}, {}], ids=["no rules", "nothing at all"])
def test_a_tree_without_anything_to_lint_is_told(ce: Ce, tree: Make, files: Mapping[str, str]) -> None:
    code, out, err = ce("lint", tree(dict(files)))
    assert (code, out) == (0, "0 files, 0 warnings\n")
    assert "nothing to lint" in err
