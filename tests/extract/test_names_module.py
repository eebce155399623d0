"""`names_module`: which files the imports of a file name as they are written."""

from __future__ import annotations

from pathlib import Path

import ce

PACKAGE = {
    "shop/__init__.py": "from shop.orders import place\n",
    "shop/orders.py": "def place():\n    pass\n",
    "shop/store/__init__.py": "from .rows import read as rows\nLIMIT = 1\n",
    "shop/store/rows.py": "def read():\n    pass\n",
    "shop/store/pages.py": "",
}


def named(tmp_path: Path, text: str, files: dict[str, str] = PACKAGE, name: str = "main.py") -> set[tuple[int, str, str]]:
    """Return line, kind and target of what the file names."""
    for path, content in {**files, name: text}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    return {(int(row.L), str(row.K), str(row.G)) for row in ce.open(str(tmp_path)).query(f'names_module("{name}", L, K, G)')}


def test_an_import_names_the_module_and_not_the_packages_around_it(tmp_path: Path) -> None:
    assert named(tmp_path, "import shop.store.pages\n") == {(1, "import", "shop/store/pages.py")}


def test_a_name_that_is_a_module_is_named_and_its_package_is_not(tmp_path: Path) -> None:
    assert named(tmp_path, "from shop.store import pages\n") == {(1, "import_from", "shop/store/pages.py")}


def test_a_name_of_the_package_names_the_package_and_not_what_stands_behind(tmp_path: Path) -> None:
    assert named(tmp_path, "from shop import place\n") == {(1, "import_from", "shop/__init__.py")}


def test_one_statement_can_name_a_package_and_a_module_in_it(tmp_path: Path) -> None:
    found = named(tmp_path, "import os\nfrom shop.store import LIMIT, pages\n")
    assert found == {(2, "import_from", "shop/store/__init__.py"), (2, "import_from", "shop/store/pages.py")}


def test_a_name_that_is_a_module_and_also_taken_from_elsewhere_counts_as_the_module(tmp_path: Path) -> None:
    assert named(tmp_path, "from shop.store import rows\n") == {(1, "import_from", "shop/store/rows.py")}


def test_all_names_of_a_package_name_the_package(tmp_path: Path) -> None:
    assert named(tmp_path, "from shop.store import *\n") == {(1, "import_from", "shop/store/__init__.py")}


def test_a_relative_import_in_a_package_names_the_sibling(tmp_path: Path) -> None:
    assert named(tmp_path, "from . import rows\n", name="shop/store/more.py") == {(1, "import_from", "shop/store/rows.py")}


def test_a_call_that_loads_a_module_is_told_apart(tmp_path: Path) -> None:
    found = named(tmp_path, 'import importlib\nimportlib.import_module("shop.store.pages")\n')
    assert found == {(2, "dynamic_import", "shop/store/pages.py")}


def test_a_module_of_javascript_is_named_and_not_what_it_passes_on(tmp_path: Path) -> None:
    files = {"lib/index.js": "export { one } from './one.js'\n", "lib/one.js": "export const one = 1\n"}
    assert named(tmp_path, "import { one } from './lib/index.js'\none()\n", files, "main.js") == {(1, "import", "lib/index.js")}


def test_links_of_documents_name_no_module(tmp_path: Path) -> None:
    assert named(tmp_path, "[one](shop/orders.py)\n", name="page.md") == set()
