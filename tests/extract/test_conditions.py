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


def test_python_finds_namespaces_data_compiled_modules_and_what_runs_with_m(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "app"\nversion = "1"\nscripts = { app = "ns.core.main:run" }\n'
        '[project.entry-points."app.plugins"]\none = "ns.plug.one:Plugin"\n'
        '[tool.setuptools.package-dir]\n"" = "src"\n',
        "src/ns/core/__init__.py": "", "src/ns/core/main.py": "from . import sub\nfrom ..other.x import y\nfrom ....above import z\n"
        "try:\n    from ._speed import fast\nexcept ImportError:\n    from ._slow import fast\n"
        "import importlib.resources\nfiles = importlib.resources.files('ns.data')\ndef run(): pass\n",
        "src/ns/core/sub.py": "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'ns.tool'])\n", "src/ns/other/x.py": "y = 1\n",
        "src/ns/core/_speed.pyx": "", "src/ns/core/_speed.pyi": "fast: int\n", "src/ns/core/_slow.py": "fast = 1\n",
        "src/ns/data/__init__.py": "", "src/ns/plug/one.py": "class Plugin: pass\n", "src/ns/tool/__main__.py": "from .work import go\n",
        "src/ns/tool/__init__.py": "", "src/ns/tool/work.py": "go = 1\n", "src/ns/dead.py": "", "above.py": "z = 1\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["src/ns/dead.py"]  # dots climb up to the root of the tree


def test_rust_finds_modules_by_attribute_workspaces_build_scripts_and_targets(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": "[workspace]\nmembers = ['crates/*']\n", "crates/a/Cargo.toml": "[package]\nname = 'a'\nbuild = 'build/main.rs'\n"
        "[[bin]]\nname = 'tool'\npath = 'tools/tool.rs'\n[dependencies]\nb-core = { path = '../b' }\n",
        "crates/a/src/lib.rs": "#[path = \"odd/place.rs\"]\nmod x;\n#[cfg(test)]\nmod tests;\npub mod inline { mod deep; }\n"
        "include!(\"part.rs\");\nuse b_core::thing;\n",
        "crates/a/src/odd/place.rs": "", "crates/a/src/tests.rs": "", "crates/a/src/inline/deep.rs": "", "crates/a/src/part.rs": "",
        "crates/a/build/main.rs": "mod helper;\nfn main() {}\n", "crates/a/build/helper.rs": "", "crates/a/tools/tool.rs": "fn main() {}\n",
        "crates/a/examples/e.rs": "fn main() {}\n", "crates/a/benches/b/main.rs": "mod m;\nfn main() {}\n", "crates/a/benches/b/m.rs": "",
        "crates/a/src/bin/one.rs": "fn main() {}\n", "crates/a/src/orphan.rs": "",
        "crates/b/Cargo.toml": "[package]\nname = 'b-core'\n", "crates/b/src/lib.rs": "pub mod thing;\n", "crates/b/src/thing/mod.rs": "",
        "crates/b/src/thing/orphan.rs": "",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["crates/a/src/orphan.rs", "crates/b/src/thing/orphan.rs"]


def test_go_finds_packages_by_replacement_tags_embedding_and_internal(tmp_path: Path) -> None:
    files = {
        "go.mod": "module ex.com/app\n\ngo 1.22\n\nrequire ex.com/lib v1.0.0\n\nreplace ex.com/lib => ./third/lib\n",
        "main.go": "package main\n\nimport (\n\t_ \"embed\"\n\t\"ex.com/app/internal/x\"\n\t\"ex.com/lib/sub\"\n)\n\n"
        "//go:embed pages/*.html\nvar pages string\n\nfunc main() { x.X(); sub.S() }\n",
        "pages/a.html": "<p>", "internal/x/x.go": "package x\n\nfunc X() {}\n", "internal/x/x_windows.go": "package x\n",
        "internal/x/ext_test.go": "package x_test\n", "internal/dead/d.go": "package dead\n", "third/lib/go.mod": "module ex.com/lib\n",
        "third/lib/sub/s.go": "package sub\n\nfunc S() {}\n", "tools/tools.go": "//go:build tools\n\npackage tools\n",
        "cmd/run/main.go": "package main\n\nfunc main() {}\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["internal/dead/d.go"]


def test_java_finds_types_of_modules_services_and_configurations(tmp_path: Path) -> None:
    files = {
        "settings.gradle": "include 'api', 'impl'\n", "build.gradle": "", "api/build.gradle": "plugins { id 'java-library' }\n",
        "impl/build.gradle": "plugins { id 'application' }\napplication { mainClass = 'p.Start' }\n"
        "dependencies { implementation project(':api') }\n",
        "api/src/main/java/p/api/Service.java": "package p.api;\npublic interface Service {}\n",
        "impl/src/main/java/p/Start.java": "package p;\nimport p.api.*;\nclass Start { Service s; Near n; }\n",
        "impl/src/main/java/p/Near.java": "package p;\nclass Near {}\n",
        "impl/src/main/java/p/Unused.java": "package p;\nclass Unused {}\n",
        "impl/src/main/java/p/Loaded.java": "package p;\npublic class Loaded implements p.api.Service {}\n",
        "impl/src/main/resources/META-INF/services/p.api.Service": "# comment\np.Loaded # why\n",
        "impl/src/main/java/p/Bean.java": "package p;\npublic class Bean {}\n", "impl/src/test/data.xml": "<a>p.Unused</a>",
        "impl/src/main/resources/context.xml": '<beans><bean id="b" class="p.Bean"/></beans>\n',
    }  # fmt: skip
    assert dead(tmp_path, files) == ["impl/src/main/java/p/Unused.java"]


def test_r_finds_files_by_collation_sourcing_and_the_package(tmp_path: Path) -> None:
    files = {
        "DESCRIPTION": "Package: pkg\nCollate:\n    'a.R'\n    'b.R'\n", "NAMESPACE": "export(f)\nimportFrom(stats, sd)\n",
        "R/a.R": "f <- function() g()\n", "R/b.R": "g <- function() 1\n", "R/left-out.R": "h <- 1\n",
        "analysis/run.R": "#!/usr/bin/env Rscript\nsource('part.R')\nsource(file.path('lib', 'more.R'))\nlibrary(pkg)\n",
        "analysis/part.R": "1\n", "analysis/lib/more.R": "2\n", "analysis/never.R": "x <- 3\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["R/left-out.R", "analysis/never.R"]


def test_c_finds_headers_by_databases_builds_macros_and_templates(tmp_path: Path) -> None:
    files = {
        "compile_commands.json": '[{"directory": "/x", "file": "app/main.c", "command": "cc -Iapp/inc -include app/pre.h app/main.c"}]',
        "app/main.c": '#include "one.h"\n#define WHICH "two.h"\n#include WHICH\n', "app/inc/one.h": "", "app/pre.h": "",
        "app/two.h": "", "lib/config.h.in": '#include "from_template.h"\n', "lib/from_template.h": "", "lib/l.c": '#include "config.h"\n',
        "lib/dead.h": "", "meson.build": "inc = include_directories('m/include')\n", "m/include/m.h": "", "m/src/m.c": '#include <m.h>\n',
    }  # fmt: skip
    assert dead(tmp_path, files) == ["lib/dead.h"]


def test_haskell_reads_the_imports_of_literate_files_and_of_what_programs_make_modules_from(tmp_path: Path) -> None:
    files = {
        "x.cabal": "name: x\nexecutable x\n  main-is: Main.lhs\n  hs-source-dirs: src\n  other-modules: A, B, C, D, E, Raw, Lex, Parse\n",
        "src/Main.lhs": "Text\nimport Never\n\n> module Main where\n> import A\n> import qualified Raw as R\n\nMore\n\n"
        "\\begin{code}\nimport B (b)\n{- import Never -}\nimport Lex\nimport Parse\nmain = b\n\\end{code}\nimport Never\n",
        "src/A.hs": "module A where\n", "src/B.hs": "module B where\nb = 1\n", "src/C.hs": "module C where\n",
        "src/D.hs": "module D where\n", "src/E.hs": "module E where\n", "src/Never.hs": "module Never where\n",
        "src/Raw.hsc": "module Raw where\n#include <x.h>\nimport C\nsize = #{size int}\n",
        "src/Lex.x": "{\nmodule Lex where\nimport D\n}\n%wrapper \"basic\"\n",
        "src/Parse.y": "{\nmodule Parse where\nimport E\n}\n%name p\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["src/Never.hs"]


def test_c_headers_of_grammars_are_alive(tmp_path: Path) -> None:
    files = {
        "src/parse.y": '%{\n#include "tree.h"\n/* #include "never.h" */\n%}\n%%\n', "src/scan.l": '%{\n#include "token.h"\n%}\n',
        "src/tree.h": "", "src/token.h": "", "src/never.h": "",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["src/never.h"]


def test_pages_find_files_by_base_source_sets_and_references(tmp_path: Path) -> None:
    files = {
        "index.html": '<base href="sub/"><a href="a.html#x">a</a><img srcset="../p1.html 1x, ../p2.html 2x"><form action="b.html"></form>'
        '<iframe src="c.html"></iframe><object data="d.html"></object>',
        "sub/a.html": '<p id="x">', "sub/b.html": "", "sub/c.html": "", "sub/d.html": "", "a.html": "",
        "README.md": "[one][ref] [two] <img src='three.md'> [a b](<four five.md>) [q](six.md?x=1) [e](seven%20x.md)\n\n"
        "[ref]: one.md 'T'\n[two]: two.md\n[no]: no.md\n",
        "one.md": "# 1\n", "two.md": "# 2\n", "four five.md": "# 4\n", "six.md": "# 6\n", "seven x.md": "# 7\n", "no.md": "# n\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["a.html", "no.md"]
