"""Pages and templates that documentation tools find without a link, and what reStructuredText refers to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import ce


def dead(root: Path, files: Mapping[str, str]) -> list[str]:
    """Write the files and return those that are dead."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return sorted(str(row.F) for row in ce.open(str(root)).query("dead(F)"))


API = """\
API
===

.. automodule:: pkg.a
   :members:

.. autoclass:: pkg.b.f_b

.. currentmodule:: pkg.c

.. autofunction:: f_c(x)

.. autosummary::
   :toctree: made

   pkg.d.f_d
   ~pkg.e.f_e

.. module:: pkg.f

>>> from pkg.again import f_g

Write::

    .. automodule:: pkg.shown

.. code-block:: rst

   .. automodule:: pkg.shown

.. a comment
   .. automodule:: pkg.noted
"""
CONF = """\
project = 'x'
templates_path = ['_templates']
html_theme_path = [
    '_theme',
]
html_extra_path = ['extra']
language = 'en'
"""
APPLICATION = '[project]\nname = "pkg"\nversion = "1"\nscripts = { pkg = "pkg.cli:main" }\n'


def test_modules_that_autodoc_imports_are_alive_beside_one_that_is_only_shown(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d", "e", "f", "g")
    files = {f"pkg/{name}.py": f"def f_{name}(): pass\n" for name in (*names, "shown", "noted", "unused")}
    files |= {"pkg/__init__.py": "", "pkg/cli.py": "def main(): pass\n", "pyproject.toml": APPLICATION, "docs/conf.py": "project = 'x'\n"}
    files["pkg/again.py"] = "from pkg.g import f_g\n"
    files["docs/api.rst"] = API
    assert dead(tmp_path, files) == ["pkg/noted.py", "pkg/shown.py", "pkg/unused.py"]


def test_paths_of_directives_start_from_the_page_or_from_the_source_directory(tmp_path: Path) -> None:
    files = {
        "docs/conf.py": "project = 'x'\n",
        "docs/index.rst": ".. toctree::\n   :glob:\n\n   sub/page\n   many/*\n\nSee :doc:`/sub/other` and `this <sub/third.md>`_.\n",
        "docs/sub/page.rst": ".. include:: /shared/part.md\n.. literalinclude:: ../shared/code.lua\n\n.. _more: fourth.md\n",
        "docs/sub/other.md": "# Other\n", "docs/sub/third.md": "# Third\n", "docs/sub/fourth.md": "# Fourth\n",
        "docs/sub/orphan.md": "# Orphan\n", "docs/many/one.md": "# One\n", "docs/shared/part.md": "# Part\n",
        "docs/shared/code.lua": "return 1\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["docs/sub/orphan.md"]


def test_no_page_of_restructured_text_is_dead(tmp_path: Path) -> None:
    assert dead(tmp_path, {"alone.rst": "Alone\n=====\n", "main.py": "print(1)\n"}) == []


def test_an_autodoc_name_that_nothing_binds_is_unresolved_and_one_of_a_library_is_external(tmp_path: Path) -> None:
    files = {"pkg/__init__.py": "", "main.py": "import pkg\n", "api.rst": ".. autofunction:: pkg.gone\n\n.. autofunction:: numpy.dot\n"}
    dead(tmp_path, files)
    found = ce.open(str(tmp_path)).query('outcome("api.rst", L, S, O, W)')
    assert sorted((row.S, row.O, row.W) for row in found) == [("numpy.dot", "external", "none"), ("pkg.gone", "unresolved", "out_of_scope")]


def test_templates_and_themes_that_the_settings_of_sphinx_name_are_alive(tmp_path: Path) -> None:
    files = {
        "docs/conf.py": CONF,
        "docs/_templates/layout.html": "<p>a</p>", "docs/_theme/own/search.html": "<p>b</p>", "docs/extra/plain.html": "<p>c</p>",
        "src/theme/theme.conf": "[theme]\ninherit = basic\n", "src/theme/parts/menu.html": "<p>d</p>", "docs/orphan.html": "<p>e</p>",
        "en/page.html": "<p>f</p>",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["docs/orphan.html", "en/page.html"]


def test_overrides_of_a_mkdocs_theme_and_layouts_of_generators_are_alive(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "theme:\n  name: material\n  custom_dir: docs/overrides\n", "docs/overrides/main.html": "<p>a</p>",
        "blog/_config.yml": "title: x\n", "blog/_layouts/post.html": "<p>b</p>", "site/hugo.toml": "title = 'x'\n",
        "site/layouts/_default/single.html": "<p>c</p>", "layouts/other.html": "<p>d</p>",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["layouts/other.html"]


def test_a_page_that_a_build_file_names_is_used_and_one_that_it_leaves_out_is_not(tmp_path: Path) -> None:
    files = {
        "docs/Makefile.am": "EXTRA_DIST = one.md \\\n  $(top_srcdir)/docs/two.md\nman_MANS = three.3\n.md.3:\n\tmake-man $<\n",
        "docs/one.md": "# 1\n", "docs/two.md": "# 2\n", "docs/three.md": "# 3\n", "docs/four.md": "# 4\n",
        "x.cabal": "name: x\nextra-doc-files: notes.md\n", "notes.md": "# n\n", "MANIFEST.in": "include five.md\nexclude six.md\n",
        "five.md": "# 5\n", "six.md": "# 6\n", "seven.md": "# 7\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["docs/four.md", "seven.md", "six.md"]


def test_a_translation_lives_as_long_as_its_original(tmp_path: Path) -> None:
    files = {"README.md": "[a](docs/en/a.md) [b](docs/en/b.md)\n"}
    for language in ("en", "de", "zh-hant", "go"):
        files |= {f"docs/{language}/{name}.md": f"# {name}\n" for name in ("a", "b", "dead")}
    files |= {"docs/de/only.md": "# only\n", "guide.md": "# g\n", "guide.fr.md": "# g\n"}
    assert dead(tmp_path, files) == [
        "docs/de/dead.md", "docs/de/only.md", "docs/en/dead.md", "docs/go/a.md", "docs/go/b.md", "docs/go/dead.md", "docs/zh-hant/dead.md",
        "guide.fr.md", "guide.md",
    ]  # fmt: skip


def test_numbered_chapters_and_pages_of_vitepress_are_built(tmp_path: Path) -> None:
    files = {
        "book/10-start.md": "# a\n", "book/20-more.md": "# b\n", "book/index.md": "# c\n", "book/loose.md": "# d\n",
        "single/10-alone.md": "# e\n", "site/.vitepress/config/index.ts": "export default {}\n", "site/guide/x.md": "# f\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["book/loose.md", "single/10-alone.md"]


def test_a_page_that_a_program_reads_by_a_name_that_no_other_page_has_is_used(tmp_path: Path) -> None:
    files = {
        "main.py": "if __name__ == '__main__':\n    print((Path('docs') / 'notice.md').read_text(), open('twice.md'))\n",
        "docs/notice.md": "# a\n", "docs/a/twice.md": "# b\n", "docs/b/twice.md": "# b\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["docs/a/twice.md", "docs/b/twice.md"]


def test_a_page_beside_its_manifest_that_runs_scripts_is_opened_by_hand(tmp_path: Path) -> None:
    files = {
        "package.json": '{"private": true, "workspaces": ["packages/*"]}', "packages/try/package.json": '{"name": "try", "private": true}',
        "packages/try/local.html": '<script src="./local.js"></script>', "packages/try/local.js": "export {}\n",
        "packages/try/plain.html": "<p>x</p>", "packages/try/deep/other.html": '<script src="../local.js"></script>',
    }  # fmt: skip
    assert dead(tmp_path, files) == ["packages/try/deep/other.html", "packages/try/plain.html"]


def test_a_bundler_packs_the_files_that_its_settings_make_paths_of(tmp_path: Path) -> None:
    text = "import { resolve } from 'node:path'\nexport default ['a'].map((file) => ({ input: resolve(__dirname, `./src/${file}.js`) }))\n"
    files = {
        "package.json": '{"private": true, "scripts": {"build": "rollup -c rollup.config.mjs", "go": "node other.mjs"}}',
        "rollup.config.mjs": text, "other.mjs": text.replace("./src/", "./lib/"),
        "src/a.js": "export {}\n", "lib/b.js": "export {}\n",
    }  # fmt: skip
    assert dead(tmp_path, files) == ["lib/b.js"]
