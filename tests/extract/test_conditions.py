"""What projects in the other languages refer to under settings of every kind: small trees and the references in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import ce
from ce.app.api import Project


def project(root: Path, files: Mapping[str, str]) -> Project:
    """Write the files and return the project."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return ce.open(str(root))


def dead(root: Path, files: Mapping[str, str]) -> list[str]:
    return sorted(str(row.F) for row in project(root, files).query("dead(F)"))


def references(root: Path, files: Mapping[str, str], source: str) -> list[str]:
    """Return what the file refers to."""
    return sorted({str(row.G) for row in project(root, files).query(f'ref("{source}", G, _, _)')})


def test_a_crate_of_macros_offers_its_macros_and_none_of_its_modules(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": "[workspace]\nmembers = ['m', 'a']\n",
        "m/Cargo.toml": "[package]\nname = 'mac'\n[lib]\nproc-macro = true\n",
        "m/src/lib.rs": "mod debug;\n#[proc_macro_attribute]\npub fn debug(a: T, b: T) -> T { debug::x() }\n",
        "m/src/debug.rs": "pub fn x() {}\n",
        "a/Cargo.toml": "[package]\nname = 'a'\n[dependencies]\nmac = { path = '../m' }\n",
        "a/src/main.rs": "use mac::debug;\nfn main() {}\n",
    }
    assert references(tmp_path, files, "a/src/main.rs") == ["m/src/lib.rs"]
    assert references(tmp_path, files, "m/src/lib.rs") == ["m/src/debug.rs"]


def test_the_one_build_file_beside_a_source_says_where_includes_are_searched(tmp_path: Path) -> None:
    files = {
        "include/lib/json.hpp": "", "single/lib/json.hpp": "", "CMakeLists.txt": "project(x)\n",
        "docs/Makefile": "SRC = ../single\nall:\n\t$(CXX) -I $(SRC) examples/a.cpp\n",
        "docs/examples/a.cpp": "#include <lib/json.hpp>\n", "tests/a.cpp": "#include <lib/json.hpp>\n",
        "tests/Makefile": "fuzz:\n\t$(CXX) -I../single a.cpp\n", "tests/CMakeLists.txt": "add_executable(a a.cpp)\n",
    }  # fmt: skip
    assert references(tmp_path, files, "docs/examples/a.cpp") == ["single/lib/json.hpp"]
    assert references(tmp_path, files, "tests/a.cpp") == ["include/lib/json.hpp"]


def test_variables_of_build_files_are_undone_where_they_are_set_once(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": 'project(x)\nset(PARTS "${CMAKE_CURRENT_SOURCE_DIR}/parts")\ninclude_directories(${PARTS}/public)\n'
        "set(TWICE one)\nset(TWICE two)\ninclude_directories(${TWICE})\n",
        "parts/public/a.h": "", "one/b.h": "", "two/c.h": "", "src/main.c": '#include "a.h"\n#include "b.h"\n#include "c.h"\n',
    }  # fmt: skip
    assert references(tmp_path, files, "src/main.c") == ["parts/public/a.h"]


def test_what_installers_and_editors_find_by_its_name_starts_in_lua(tmp_path: Path) -> None:
    files = {
        "win/setup.reg.lua": "print(1)\n", "win/other.lua": "print(1)\n", "tools/pe.lua": "return {}\n", "tlconfig.lua": "return {}\n",
        "install.bat": 'lua.exe "%PREFIX%\\setup.reg.lua"\nloadfile(".\\\\tools\\\\pe.lua")\n',
        "lua/plug/health.lua": "return {}\n", "lua/plug/sick.lua": "return {}\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["lua/plug/sick.lua", "win/other.lua"]


def test_a_text_of_lua_names_a_module_only_from_a_root(tmp_path: Path) -> None:
    files = {
        "src/rocks/test/command.lua": "return {}\n", "src/rocks/test.lua": "return {}\n", "src/rocks/cmd/up.lua": "return {}\n",
        "spec/a_spec.lua": 'describe("test.command", function() end)\nlocal cmds = { "rocks.cmd.up" }\n',
    }  # fmt: skip
    assert references(tmp_path, files, "spec/a_spec.lua") == ["src/rocks/cmd/up.lua"]
