"""Uses across files: over imports, re-exports, packages and imports of all names."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.linked_tree import link_tree


def test_an_imported_function_is_used_over_the_import_and_by_it(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "util.py": "def run(): ...\n",
            "main.py": "from util import run\ndef go():\n    run()\n",
        },
    )
    assert linked.uses("main.py::go") == {"main.py::run", "util.py::run"}
    assert linked.how("main.py::go", "main.py::run") == {"scope"}
    assert linked.how("main.py::go", "util.py::run") == {"import"}
    assert linked.kinds("main.py::go", "util.py::run") == {"call"}
    assert linked.uses("main.py::run") == {"util.py::run"}
    assert linked.uses("main.py::") == {"util.py::"}


def test_every_step_of_a_chain_of_reexports_is_used(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "pkg/__init__.py": "from .middle import Thing as Item\n",
            "pkg/middle.py": "from .deep import Thing\n",
            "pkg/deep.py": "class Thing: ...\n",
            "main.py": "from pkg import Item\nItem()\n",
        },
    )
    assert linked.uses("main.py::") == {
        "main.py::Item", "pkg/__init__.py::", "pkg/__init__.py::Item", "pkg/middle.py::Thing", "pkg/deep.py::Thing",
    }  # fmt: skip


def test_a_cycle_of_imports_ends(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "a.py": "from b import x\nfrom b import *\nx()\n",
            "b.py": "from a import x\nfrom a import *\n",
        },
    )
    assert "b.py::x" in linked.uses("a.py::")


def test_a_name_is_a_submodule_or_what_the_package_binds(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "pkg/__init__.py": "from .part import part\n",
            "pkg/part.py": "def part(): ...\n",
            "pkg/other.py": "def deep(): ...\n",
            "main.py": "from pkg import part, other\npart()\nother.deep()\n",
        },
    )
    uses = linked.uses("main.py::")
    assert {"pkg/part.py::part", "pkg/other.py::", "pkg/other.py::deep"} <= uses


def test_a_package_that_imports_its_own_submodule_hands_it_on(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "pkg/__init__.py": "from . import part\n",
            "pkg/part.py": "def run(): ...\n",
            "main.py": "import pkg\npkg.part.run()\n",
        },
    )
    assert {"pkg/__init__.py::part", "pkg/part.py::", "pkg/part.py::run"} <= linked.uses("main.py::")


def test_import_of_a_dotted_name_binds_its_first_part(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "a/__init__.py": "",
            "a/b/__init__.py": "",
            "a/b/c.py": "def f(): ...\n",
            "main.py": "import a.b.c\ndef go():\n    a.b.c.f()\n",
        },
    )
    assert linked.uses("main.py::go") == {"main.py::a", "a/__init__.py::", "a/b/__init__.py::", "a/b/c.py::", "a/b/c.py::f"}


def test_a_directory_without_init_holds_modules(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "space/one.py": "def f(): ...\n",
            "space/two.py": "def g(): ...\n",
            "main.py": "from space import one\nimport space.two\none.f()\nspace.two.g()\n",
        },
    )
    assert {"space/one.py::f", "space/two.py::g"} <= linked.uses("main.py::")


def test_relative_imports_climb(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/base.py": "def f(): ...\n",
            "pkg/sub/__init__.py": "",
            "pkg/sub/mod.py": "from ..base import f\nfrom .. import base\nf()\nbase.f()\n",
        },
    )
    assert "pkg/base.py::f" in linked.uses("pkg/sub/mod.py::")
    assert linked.uses("pkg/sub/mod.py::base") == {"pkg/base.py::"}


def test_an_import_of_all_names_takes_the_listed_ones(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "lib.py": "__all__ = ['_listed']\ndef _listed(): ...\ndef left_out(): ...\n",
            "plain.py": "def public(): ...\ndef _private(): ...\n",
            "main.py": "from lib import *\nfrom plain import *\n_listed()\nleft_out()\npublic()\n_private()\n",
        },
    )
    uses = linked.uses("main.py::")
    assert {"lib.py::_listed", "plain.py::public"} <= uses
    assert not {"lib.py::left_out", "plain.py::_private"} & uses


def test_a_stub_beside_a_module_is_used_with_it(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "fast.py": "def f(x): return x\n",
            "fast.pyi": "def f(x: int) -> int: ...\n",
            "main.py": "import fast\nfast.f(1)\n",
        },
    )
    assert {"fast.py::f", "fast.pyi::f"} <= linked.uses("main.py::")


def test_what_is_outside_keeps_its_dotted_name(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                import os.path
                import numpy as np
                from flask import Flask
                app = Flask(__name__)
                def go():
                    os.path.join("a", "b")
                    np.linalg.norm(1)
                    app.run()
                    len([])
            """,
        },
    )
    assert linked.of("external_ref", "main.py::go") >= {"os.path.join", "numpy.linalg.norm", "flask.Flask.run", "builtins.len"}
    assert "join" not in linked.of("member_ref", "main.py::go")


def test_a_decorator_has_its_canonical_name_across_files(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "web/__init__.py": "from flask import Flask\napp = Flask(__name__)\n",
            "web/views.py": "from . import app\n@app.route('/')\ndef index(): ...\n",
            "cli.py": """
                import click
                @click.group()
                def main(): ...
                @main.command()
                def sub(): ...
                @unknown.thing.deco(1)
                def odd(): ...
            """,
            "own.py": "def deco(f): return f\n@deco\ndef g(): ...\n",
        },
    )
    assert linked.of("decorated_by", "web/views.py::index") == {"flask.Flask.route"}
    assert linked.of("call_argument", "web/views.py::index") | linked.of("call_argument", "web/views.py::") == {"flask.Flask.route"}
    assert linked.of("decorated_by", "cli.py::main") == {"click.group"}
    assert linked.of("decorated_by", "cli.py::sub") == {"click.group.command"}
    assert linked.of("decorated_with", "own.py::g") == {"own.py::deco"}


def test_a_text_that_is_a_dotted_name_refers_to_it(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/tasks.py": "def run(): ...\nclass Job:\n    def start(self): ...\n",
            "main.py": "NAMES = ['pkg.tasks:run', 'pkg.tasks.Job.start', 'pkg.nothing.here', 'word']\n",
            "settings.toml": '[jobs]\nfirst = "pkg.tasks:run"\n',
        },
    )
    assert ("settings.toml::", "pkg/tasks.py::run") in linked.rows["string_ref"]
    refs = {target for source, target in linked.rows["string_ref"] if str(source).startswith("main.py")}
    assert refs == {"pkg/tasks.py::run", "pkg/tasks.py::Job.start"}
    assert ("main.py", "word") in linked.rows["spelled"]


def test_full_names_start_at_the_roots_of_imports(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "src/pkg/__init__.py": "",
            "src/pkg/mod.py": "class A:\n    def f(self): ...\n",
            "src/util.ts": "export class B { run() {} }\n",
        },
    )
    names = {row[0]: row[1] for row in linked.rows["qualified"]}
    assert names["src/pkg/mod.py::A.f"] == "pkg.mod.A.f"
    assert names["src/pkg/mod.py::"] == "pkg.mod"
    assert names["src/util.ts::B.run"] == "src/util.ts:B.run"


def test_namesakes_are_told_apart(tmp_path: Path) -> None:
    linked = link_tree(tmp_path, {"a.py": "try:\n    def f(): ...\nexcept OSError:\n    def f(): ...\nf()\n"})
    assert {"a.py::f", "a.py::f (2)"} <= linked.uses("a.py::")
    assert {row[0] for row in linked.rows["symbol"]} == {"a.py::", "a.py::f", "a.py::f (2)"}
