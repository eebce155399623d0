"""The page of proofs as a browser has it: it folds, runs no foreign script, asks the network for nothing, and reports no error.

Needs Chromium or Chrome on the path. A script at the end of a copy of the page does what a reader would and leaves its report there.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]

BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome", "chrome") if (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome on the path")

# What a tree can be called that could break a page, change its order or make it too wide.
HOSTILE: dict[str, str | bytes] = {
    "<script>alert(1)<.py": "",
    "<img src=x onerror=document.title='broken'>.py": "",
    "\"quoted\" & 'single'.py": "",
    "שלום.py": "import עולם\n",
    "עולם.py": "",
    "rlo\u202egpj.py": "",
    "new\nline.py": "",
    "very_long_" * 20 + ".py": "",
}

REPORT = """
<script>addEventListener("load", () => {{
  const all = () => document.querySelectorAll("details").length, open = () => document.querySelectorAll("details[open]").length;
  const report = {{}};
  {steps}
  const result = document.createElement("pre");
  result.id = "report";
  result.textContent = JSON.stringify(report);
  document.body.append(result);
}});</script>
"""


def seen(page: str, scratch: Path, steps: str, fragment: str = "", width: int = 800) -> tuple[dict[str, Any], str]:
    """Return what the steps reported in a browser that shows the page, and what it wrote on its log."""
    file = scratch / "page.html"
    file.write_text(page.replace("</body>", REPORT.format(steps=steps) + "</body>"), encoding="utf-8")
    assert BROWSER is not None
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--window-size={width},900",
        f"--user-data-dir={scratch / 'profile'}",
    ]
    command += ["--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom", f"file://{file}{fragment}"]
    done = subprocess.run(command, capture_output=True, timeout=120)
    dom = done.stdout.decode("utf-8", "replace")
    found = re.search(r'<pre id="report">(.*?)</pre>', dom, re.DOTALL)
    assert found is not None, dom[-500:] + done.stderr.decode("utf-8", "replace")[-500:]
    report: dict[str, Any] = json.loads(unescape(found[1]))
    return report, done.stderr.decode("utf-8", "replace")


def test_buttons_fold_and_unfold_everything_and_a_summary_its_own_part(ce: Ce, tree: Make, tmp_path: Path) -> None:
    page = ce("query", 'depends("a.py", G)', tree({"a.py": "import b\n", "b.py": "import c\n", "c.py": ""}), "--format", "html")[1]
    steps = """
  const [unfold, fold] = document.querySelectorAll("button");
  report.all = all();
  unfold.click(); report.unfolded = open();
  fold.click(); report.folded = open();
  document.querySelector("summary").click(); report.one = open();
  report.focusable = [...document.querySelectorAll("summary, button")].every(each => each.tabIndex === 0);
"""
    report, log = seen(page, tmp_path, steps)
    assert report["all"] > 3
    assert report == {"all": report["all"], "unfolded": report["all"], "folded": 0, "one": 1, "focusable": True}
    assert "CONSOLE" not in log


def test_a_link_into_a_folded_part_unfolds_it(ce: Ce, tree: Make, tmp_path: Path) -> None:
    page = ce("query", 'depends("a.py", G)', tree({"a.py": "import b\n", "b.py": "import c\n", "c.py": ""}), "--format", "html")[1]
    target = re.findall(r'id="(g0a1n\d+)"', page)[-1]
    steps = f'report.open = document.getElementById("{target}").closest(".answer").open; report.others = open();'
    folded, _ = seen(page.replace("<details open", "<details"), tmp_path, steps)
    assert folded == {"open": False, "others": 0}
    shown, _ = seen(page.replace("<details open", "<details"), tmp_path, f"show(); {steps}", f"#{target}")
    assert shown["open"] is True


def test_hostile_names_are_text_and_nothing_else(ce: Ce, tree: Make, tmp_path: Path) -> None:
    page = ce("query", "dead(F)", tree(HOSTILE), "--format", "html", "--why")[1]
    steps = """
  report.title = document.title;
  report.scripts = document.querySelectorAll("script").length;
  report.foreign = document.querySelectorAll("img, iframe, object, embed, link, base, form, svg").length;
  report.requests = performance.getEntriesByType("resource").length;
  fold(true);
  report.fits = document.documentElement.scrollWidth <= innerWidth;
  report.text = document.body.innerText;
"""
    report, log = seen(page, tmp_path, steps, width=400)
    text = report.pop("text")
    assert report == {"title": "ce query", "scripts": 2, "foreign": 0, "requests": 0, "fits": True}
    assert "<script>alert(1)<.py" in text and "rlo\\u202egpj.py" in text and "new\\nline.py" in text
    assert "CONSOLE" not in log


def test_the_browser_would_tell_of_an_error(tmp_path: Path) -> None:
    """The other tests rely on this: an error of a script or a refused request is on the log."""
    page = "<!DOCTYPE html><html><body><script>nothing_of_this_name()</script></body></html>"
    assert "CONSOLE" in seen(page, tmp_path, "report.ok = true;")[1]


def test_names_from_right_to_left_stand_in_the_order_of_the_arguments(ce: Ce, tree: Make, tmp_path: Path) -> None:
    page = ce("query", "ref(F, G, import, _)", tree(HOSTILE), "--format", "html", "--why")[1]
    steps = """
  fold(true);
  report.rows = [...document.querySelectorAll("summary, .leaf")].map(each => [...each.querySelectorAll("bdi")]
    .map(name => name.getBoundingClientRect().left)).filter(row => row.length > 1);
"""
    report, _ = seen(page, tmp_path, steps)
    assert report["rows"]
    assert all(row == sorted(row) for row in report["rows"])
