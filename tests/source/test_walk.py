"""The walk: what is measured, what is left out and why, in and outside of a repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ce.diagnostics import CeError
from ce.facts.schema import VOCABULARIES
from ce.source.settings import Settings, parse_settings
from ce.source.walk import Tree, walk
from tests.fakes.git_sandbox import commit, git, init, listed, write


def reasons(tree: Tree) -> dict[str, str]:
    return {skipped.path: skipped.why for skipped in tree.skipped}


def details(tree: Tree) -> dict[str, str]:
    return {skipped.path: skipped.detail for skipped in tree.skipped}


def readers(tree: Tree) -> dict[str, str]:
    return {reader.file.path: reader.why for reader in tree.readers}


def test_files_come_sorted_by_path_with_their_stat(tmp_path: Path) -> None:
    write(tmp_path, {"b/x.py": "12", "b-c.py": "", "a.py": "1", "b.py": "", "B/y.py": ""})
    tree = walk(tmp_path, Settings())
    assert tree.paths == ("B/y.py", "a.py", "b-c.py", "b.py", "b/x.py")
    found = tree.files[-1]
    stat = os.stat(tmp_path / "b/x.py")
    assert (found.size, found.mtime_ns, found.ctime_ns, found.inode) == (2, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
    assert tree.skipped == () and tree.problems == ()


def test_every_reason_is_a_word_of_the_schema(tmp_path: Path) -> None:
    write(tmp_path, {"a.snap": "", ".h": "", "k.pem": "", ".gitignore": "i", "i": "", "x": "", "build/x": "", "setup.py": "", "big": "123"})
    (tmp_path / "link").symlink_to("x")
    os.mkfifo(tmp_path / "pipe")
    tree = walk(tmp_path, parse_settings('exclude = ["x"]\n[limits]\nmax_file_bytes = 2'))
    assert reasons(tree) == {
        ".gitignore": "hidden",
        ".h": "hidden",
        "a.snap": "built_in",
        "big": "too_large",
        "build/": "build_output",
        "i": "ignored",
        "k.pem": "secret",
        "link": "symlink",
        "pipe": "not_regular",
        "x": "excluded",
    }
    assert set(reasons(tree).values()) <= set(VOCABULARIES["skip_reason"])
    assert tree.paths == ("setup.py",)


def test_an_ignored_entry_names_the_file_and_line(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "# c\n*.tmp\nout/\n", "a.tmp": "", "out/x": "", "out/y": "", "d/.gitignore": "z", "d/z": "", "d/y": ""})
    tree = walk(tmp_path, Settings())
    assert details(tree)["a.tmp"] == "ignored because of .gitignore:2"
    assert details(tree)["out/"] == "ignored because of .gitignore:3"
    assert details(tree)["d/z"] == "ignored because of d/.gitignore:1"
    assert "out/x" not in reasons(tree)
    assert tree.paths == ("d/y",)


def test_a_directory_that_is_ignored_cannot_be_entered_again(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "out/\n!out/keep.py\nbin/*\n!bin/keep.py\n", "out/keep.py": "", "bin/keep.py": "", "bin/x": ""})
    assert walk(tmp_path, Settings()).paths == ("bin/keep.py",)


def test_double_bars_in_an_ignore_file_exclude_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "a || b\n||\n", "a": "", "b": "", "src/x.py": ""})
    assert walk(tmp_path, Settings()).paths == ("a", "b", "src/x.py")


def test_a_line_of_ceignore_outranks_every_gitignore(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "gen.py\nsecretly/\n",
            ".ceignore": "!gen.py\nnoisy.py\n",
            "a/.gitignore": "!noisy.py\n",
            "a/gen.py": "",
            "a/noisy.py": "",
            "b/.ceignore": "!noisy.py\n",
            "b/noisy.py": "",
            "secretly/gen.py": "",
        },
    )
    tree = walk(tmp_path, Settings())
    assert tree.paths == ("a/gen.py", "b/noisy.py")
    assert details(tree)["a/noisy.py"] == "ignored because of .ceignore:2"


def test_a_file_that_git_tracks_is_measured_although_it_is_ignored(tmp_path: Path) -> None:
    root = write(
        init(tmp_path), {".gitignore": "*.gen.py\nout/\n", "a.gen.py": "", "b.gen.py": "", "out/x.py": "", "out/y.py": "", "c.py": ""}
    )
    git(root, "add", "-f", "a.gen.py", "out/x.py", "c.py")
    tree = walk(root, Settings())
    assert tree.paths == ("a.gen.py", "c.py", "out/x.py")
    assert reasons(tree) == {".gitignore": "hidden", "b.gen.py": "ignored", "out/y.py": "ignored"}
    assert [path for path in listed(root) if path[0] != "."] == list(tree.paths)


def test_ceignore_leaves_out_what_git_tracks(tmp_path: Path) -> None:
    root = write(init(tmp_path), {".ceignore": "a.py\n", "a.py": "", "b.py": ""})
    commit(root)
    assert walk(root, Settings()).paths == ("b.py",)


def test_a_directory_in_ceignore_is_left_out_with_all_that_git_tracks_in_it(tmp_path: Path) -> None:
    root = write(init(tmp_path), {".ceignore": "/old/\n", "old/deep/a.py": "", "b.py": ""})
    commit(root)
    tree = walk(root, Settings())
    assert tree.paths == ("b.py",)
    assert details(tree)["old/"] == "ignored because of .ceignore:1"


def test_the_exclude_file_of_the_repository_counts_least(tmp_path: Path) -> None:
    root = write(init(tmp_path), {".gitignore": "!a.py\n", "a.py": "", "b.py": "", "c.py": ""})
    write(root, {".git/info/exclude": "a.py\nb.py\n"})
    tree = walk(root, Settings())
    assert tree.paths == ("a.py", "c.py")
    assert details(tree)["b.py"] == "ignored because of .git/info/exclude:2"


def test_the_exclude_file_is_found_from_a_worktree(tmp_path: Path) -> None:
    root = init(tmp_path / "main")
    commit(write(root, {"x.py": ""}))
    write(root, {".git/info/exclude": "local.py\n"})
    git(root, "worktree", "add", "-q", "../other")
    write(tmp_path / "other", {"local.py": "", "new.py": ""})
    assert walk(tmp_path / "other", Settings()).paths == ("new.py", "x.py")


def test_a_root_inside_a_repository_obeys_the_ignore_files_above(tmp_path: Path) -> None:
    root = init(tmp_path)
    write(
        root,
        {
            ".gitignore": "/a/b/x.py\n*.tmp\n/y.py\nz.py\n",
            "a/.gitignore": "b/w.py\n!z.py\n",
            "a/b/x.py": "",
            "a/b/y.py": "",
            "a/b/z.py": "",
            "a/b/w.py": "",
            "a/b/v.tmp": "",
            "a/b/t.tmp": "",
        },
    )
    git(root, "add", "-f", "a/b/t.tmp")
    tree = walk(root / "a/b", Settings())
    assert tree.paths == ("t.tmp", "y.py", "z.py")
    assert details(tree)["x.py"] == "ignored because of ../../.gitignore:1"
    assert details(tree)["w.py"] == "ignored because of ../.gitignore:1"
    assert list(tree.paths) == listed(root / "a/b")


def test_a_root_that_its_repository_ignores_is_a_tree_of_its_own(tmp_path: Path) -> None:
    root = write(init(tmp_path), {".gitignore": "build/\n*.py\n", "build/x.py": "", "build/.gitignore": "y.py", "build/y.py": ""})
    assert walk(root / "build", Settings()).paths == ("x.py",)


def test_the_settings_exclude_on_top(tmp_path: Path) -> None:
    write(tmp_path, {"gen/a.py": "", "src/gen/b.py": "", "src/c.py": "", "src/d.py": ""})
    tree = walk(tmp_path, parse_settings('exclude = ["/gen/", "src/c.*"]'))
    assert tree.paths == ("src/d.py", "src/gen/b.py")
    assert details(tree)["gen/"] == "excluded because of `/gen/` in ce.toml"


def test_built_in_exclusions_hold_at_any_depth(tmp_path: Path) -> None:
    names = ("package-lock.json", "a.min.js", "a.min.css", "a.pb.go", "a_pb2.py", "a.generated.ts", "x.snap", "Cargo.lock", "yarn.lock")
    directories = ("vendor", "node_modules", "lua_modules", "renv", "packrat", "__snapshots__", "migrations")
    write(tmp_path, {f"d/e/{name}": "" for name in names} | {f"d/{name}/x.py": "" for name in directories} | {"d/ok.py": ""})
    tree = walk(tmp_path, Settings())
    assert tree.paths == ("d/ok.py",)
    assert reasons(tree) == {f"d/e/{name}": "built_in" for name in names} | {f"d/{name}/": "built_in" for name in directories}


def test_generated_code_and_migrations_still_count_as_readers(tmp_path: Path) -> None:
    write(tmp_path, {"app/migrations/0001.py": "", "app/x_pb2.py": "", "yarn.lock": "", "node_modules/y/z.js": "", "vendor/v.go": ""})
    assert readers(walk(tmp_path, Settings())) == {"app/migrations/0001.py": "built_in", "app/x_pb2.py": "built_in"}


def test_hidden_files_are_readers_and_secrets_are_not(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".github/workflows/ci.yml": "",
            ".github/workflows/key.pem": "",
            ".pre-commit-config.yaml": "",
            ".env": "",
            ".venv/lib/x.py": "",
            ".ce/index.db": "",
            "x.py": "",
        },
    )
    tree = walk(tmp_path, Settings())
    assert readers(tree) == {".github/workflows/ci.yml": "hidden", ".pre-commit-config.yaml": "hidden"}
    assert reasons(tree) == {".env": "secret", ".github/": "hidden", ".pre-commit-config.yaml": "hidden", ".venv/": "hidden"}


def test_secrets_are_never_measured_and_code_is_no_secret_by_its_name(tmp_path: Path) -> None:
    secrets = (".env.local", "a.pem", "a.key", "id_rsa", ".npmrc", ".pypirc", ".netrc", "aws_credentials.json", "id_ed25519.pub")
    write(tmp_path, dict.fromkeys(secrets, "") | {"credentials.py": "", "id_map.go": "", "credentials/x.py": "", "monkey.py": ""})
    tree = walk(tmp_path, Settings())
    assert reasons(tree) == dict.fromkeys(secrets, "secret")
    assert tree.paths == ("credentials.py", "credentials/x.py", "id_map.go", "monkey.py")


def test_a_build_output_is_one_only_beside_its_project_file(tmp_path: Path) -> None:
    write(
        tmp_path, {"a/target/x.rs": "", "a/Cargo.toml": "", "b/target/y.rs": "", "c/dist/z.js": "", "c/package.json": "", "dist/w.js": ""}
    )
    tree = walk(tmp_path, Settings())
    assert tree.paths == ("a/Cargo.toml", "b/target/y.rs", "c/package.json", "dist/w.js")
    assert details(tree) == {"a/target/": "it stands beside Cargo.toml", "c/dist/": "it stands beside package.json"}


def test_a_virtual_environment_is_pruned_whatever_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"env3/pyvenv.cfg": "", "env3/lib/x.py": "", "x.py": ""})
    tree = walk(tmp_path, Settings())
    assert tree.paths == ("x.py",)
    assert details(tree) == {"env3/": "it is a virtual environment"}


def test_a_nested_repository_is_pruned(tmp_path: Path) -> None:
    root = init(tmp_path)
    commit(write(init(root / "inner"), {"x.py": ""}))
    write(root, {"y.py": "", "not_one/.git": "nonsense", "not_one/z.py": "", ".hidden/.gitkeep": ""})
    init(root / ".hidden/repo")
    tree = walk(root, Settings())
    assert tree.paths == ("not_one/z.py", "y.py")
    assert reasons(tree) == {"inner/": "nested_repository", ".hidden/": "hidden"}
    assert readers(tree) == {".hidden/.gitkeep": "hidden"}


@pytest.fixture
def with_submodule(tmp_path: Path) -> Path:
    library = init(tmp_path / "library")
    commit(write(library, {"lib.py": "", ".gitignore": "junk\n"}))
    root = init(tmp_path / "root")
    commit(write(root, {"main.py": ""}))
    git(root, "submodule", "--quiet", "add", "../library", "third/lib")
    commit(root)
    return root


def test_a_declared_submodule_is_read_and_not_measured(with_submodule: Path) -> None:
    write(with_submodule, {"third/lib/junk": "", "third/own.py": ""})
    tree = walk(with_submodule, Settings())
    assert tree.paths == ("main.py", "third/own.py")
    assert readers(tree) == {".gitmodules": "hidden", "third/lib/.gitignore": "submodule", "third/lib/lib.py": "submodule"}
    assert details(tree)["third/lib/"] == "declared in .gitmodules:2"
    assert tree.missing_submodules == () and tree.problems == ()


def test_a_submodule_that_is_not_checked_out_is_named(with_submodule: Path) -> None:
    git(with_submodule, "submodule", "--quiet", "deinit", "--all", "--force")
    tree = walk(with_submodule, Settings())
    assert tree.missing_submodules == ("third/lib",)
    assert tree.problems == ("third/lib: the submodule is declared in .gitmodules:2 and not checked out",)
    assert reasons(tree)["third/lib/"] == "submodule"
    assert walk(with_submodule / "third", Settings()).missing_submodules == ("lib",)


def test_a_submodule_in_a_directory_that_is_left_out_anyway_is_not_missed(tmp_path: Path) -> None:
    write(tmp_path, {".gitmodules": '[submodule "x"]\n\tpath = vendor/x\n\turl = y\n', "vendor/a": "", "b.py": ""})
    tree = walk(tmp_path, Settings())
    assert tree.missing_submodules == () and tree.problems == ()


def test_a_tree_without_git_obeys_the_same_ignore_files(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".gitignore": "*.o\n!keep.o\n/top\n", "a.o": "", "keep.o": "", "top": "", "d/top": "", "d/.gitignore": "!*.o\n", "d/b.o": "",
    }  # fmt: skip
    plain = walk(write(tmp_path / "plain", files), Settings())
    repository = walk(write(init(tmp_path / "repository"), files), Settings())
    assert plain.paths == repository.paths == ("d/b.o", "d/top", "keep.o")
    assert plain.skipped == repository.skipped


# What `git ls-files --cached --others --exclude-standard` lists and the walk leaves out, or the other way round, by reason.
def test_every_difference_to_git_has_one_of_the_known_reasons(tmp_path: Path) -> None:
    root = init(tmp_path)
    write(
        root,
        {
            ".gitignore": "*.log\n/build/\nout/**\n!out/keep/\n!out/keep/**\n",
            ".ceignore": "drafts/\n",
            "src/é ü.py": "", "src/a\nb.py": "", "src/\udcff.py": "", "src/x.log": "", "src/.gitignore": "!x.log\n*.bak\n",
            "src/y.bak": "", "out/a": "", "out/keep/b": "", "drafts/c.md": "", ".hidden": "", "lib/node_modules/m.js": "",
            "key.pem": "", "tracked.log": "", "setup.py": "", "dist/old.py": "", "build/b.py": "",
        },
    )  # fmt: skip
    (root / "link.py").symlink_to("setup.py")
    commit(write(init(root / "nested"), {"n.py": ""}))
    git(root, "add", "-f", "tracked.log")
    tree = walk(root, Settings())
    theirs = listed(root)
    assert set(tree.paths) <= set(theirs)
    rows = reasons(tree)
    unexplained = {}
    for path in sorted(set(theirs) - set(tree.paths)):
        above = [path[: index + 1] for index, char in enumerate(path) if char == "/"]
        unexplained[path] = next((rows[row] for row in (*above, path) if row in rows), None)
    assert unexplained == {
        ".ceignore": "hidden", ".gitignore": "hidden", ".hidden": "hidden", "dist/old.py": "build_output", "drafts/c.md": "ignored",
        "key.pem": "secret", "lib/node_modules/m.js": "built_in", "link.py": "symlink", "nested/": "nested_repository",
        "src/.gitignore": "hidden",
    }  # fmt: skip


def test_two_walks_give_the_same_value(tmp_path: Path) -> None:
    write(tmp_path, {f"d{n % 7}/f{n}.py": "" for n in range(50)} | {".gitignore": "f3*\n"})
    assert walk(tmp_path, Settings()) == walk(tmp_path, Settings())


def test_a_root_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CeError, match="CE501"):
        walk(tmp_path / "nowhere", Settings())


def test_a_root_reached_through_a_link_is_walked(tmp_path: Path) -> None:
    write(tmp_path / "real", {"a.py": "", ".gitignore": "b.py", "b.py": ""})
    (tmp_path / "alias").symlink_to("real")
    assert walk(tmp_path / "alias", Settings()).paths == ("a.py",)
