"""Modules that Python code finds by looking through a directory, by a path of imports, or under the name of another package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import ce

SCRIPT = "if __name__ == '__main__':\n    main()\n"


def dead(root: Path, files: Mapping[str, str]) -> list[str]:
    """Write the files and return those that are dead."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return sorted(str(row.F) for row in ce.open(str(root)).query("dead(F)"))


def tree(main: str) -> dict[str, str]:
    """Return a program with two directories of plug-ins that `main` may look through, one of which holds a package."""
    names = ("plugins/one.py", "plugins/two/__init__.py", "others/three.py", "others/four.py")
    return {"app/__init__.py": "", "app/main.py": main + SCRIPT, **{f"app/{name}": "class Plugin: pass\n" for name in names}}


OTHERS = ["app/others/four.py", "app/others/three.py"]
LOOP = "def main():\n    for name in {0}:\n        import_module(name)\n"


@pytest.mark.parametrize(
    "listing",
    [
        "os.listdir(os.path.join(os.path.dirname(__file__), 'plugins'))",
        "os.listdir(os.path.dirname(os.path.abspath(__file__)) + '/plugins')",
        "os.listdir(os.path.dirname(__file__) + os.sep + 'plugins')",
        "os.listdir(f'{os.path.dirname(__file__)}/plugins')",
        "os.scandir(HERE / 'plugins')",
        "(HERE / 'plugins').iterdir()",
        "(Path(__file__).parents[1] / 'app' / 'plugins').iterdir()",
        "HERE.joinpath('plugins').glob('*.py')",
        "glob.glob(os.path.join(PLACE, '*.py'))",
        "pkgutil.iter_modules([PLACE])",
        "pkgutil.iter_modules(app.plugins.__path__)",
        "pkgutil.iter_modules(plugins.__path__, 'x.')",
        "os.listdir(settings.PLACE)",
        "os.listdir(FAR)",
        "os.listdir('app/plugins')",
        "importlib.resources.files('app.plugins').iterdir()",
    ],
)
def test_modules_of_a_listed_directory_are_alive_beside_those_of_another(listing: str, tmp_path: Path) -> None:
    head = (
        "import glob, os, pkgutil, importlib.resources\nimport app.plugins\nfrom importlib import import_module\nfrom pathlib import Path\n"
        "from app import settings, plugins\nfrom app.settings import PLACE as FAR\n"
        "HERE = Path(__file__).resolve().parent\nPLACE = str(HERE / 'plugins')\n"
    )
    files = tree(head + LOOP.format(listing))
    files |= {"app/settings.py": "import os\nPLACE = os.path.join(os.path.dirname(__file__), 'plugins')\n", "app/plugins/__init__.py": ""}
    assert dead(tmp_path, files) == OTHERS


def test_a_listing_without_an_import_of_made_up_names_loads_nothing(tmp_path: Path) -> None:
    files = tree("import os\ndef main():\n    print(os.listdir(os.path.join(os.path.dirname(__file__), 'plugins')))\n")
    assert dead(tmp_path, files) == [*OTHERS, "app/plugins/one.py", "app/plugins/two/__init__.py"]


def test_a_directory_on_the_path_of_imports_gives_its_modules_to_made_up_names(tmp_path: Path) -> None:
    files = tree("from app import paths\ndef main():\n    __import__(input())\n")
    files["app/paths.py"] = "import os, sys\nsys.path.insert(1, os.path.join(os.path.realpath(os.path.dirname(__file__)), 'plugins'))\n"
    assert dead(tmp_path, files) == OTHERS


ALIAS = {
    "pkg/__init__.py": "", "pkg/_tools/__init__.py": "", "pkg/_tools/core.py": "", "pkg/_tools/late.py": "", "pkg/_tools/unused.py": "",
    "hack.py": "import importlib\nmod = importlib.import_module('pkg._tools')\n" + SCRIPT,
    "main.py": "import hack\nfrom tools.core import x\ndef main(name):\n    __import__('tools.' + 'la' + name)\n" + SCRIPT,
}  # fmt: skip


def test_a_package_that_stands_in_for_another_answers_to_its_name(tmp_path: Path) -> None:
    assert dead(tmp_path, {**ALIAS, "hack.py": ALIAS["hack.py"].replace("_tools", "_other")}) == [
        "pkg/_tools/__init__.py", "pkg/_tools/core.py", "pkg/_tools/late.py", "pkg/_tools/unused.py",
    ]  # fmt: skip
    assert dead(tmp_path, ALIAS)[-1:] == ["pkg/_tools/unused.py"]


def test_a_package_takes_the_place_of_a_standard_module_only_where_the_same_file_loads_that_one_too(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "", "pkg/_json/__init__.py": "", "pkg/_json/decoder.py": "",
        "hack.py": "import importlib\nimportlib.import_module('pkg._json')\n" + SCRIPT, "main.py": "import json.decoder\n" + SCRIPT,
    }  # fmt: skip
    assert dead(tmp_path, files) == ["pkg/_json/decoder.py"]
    files["hack.py"] = "import importlib\nimportlib.import_module('pkg._json')\nimportlib.import_module('json')\n" + SCRIPT
    assert dead(tmp_path, files) == []


def test_a_private_name_that_nothing_in_the_tree_has_is_no_alias_and_ends(tmp_path: Path) -> None:
    files = {"hack.py": "import importlib\nimportlib.import_module('gone._tools')\n" + SCRIPT, "lone.py": ""}
    assert dead(tmp_path, files) == ["lone.py"]
