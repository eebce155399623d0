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
