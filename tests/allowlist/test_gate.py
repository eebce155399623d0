"""The mutation battery M1 to M13 and the detectors, each through the production evaluation over a synthetic corpus."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import pytest

from ce.allowlist import Corpus, DeadSymbolAllowlist, DeadSymbolKey, Detectors, Settings, Verdicts, evaluate, parse_allowlist, scan

Tree = dict[str, str]


def corpus(tree: Tree, detectors: Detectors | None = None) -> Corpus:
    sources = {}
    for path, text in tree.items():
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        sources[name] = (path, textwrap.dedent(text).encode())
    return scan(sources, detectors)


def listing(*keys: str, widened: Iterable[str] = ()) -> DeadSymbolAllowlist:
    def record(key: str) -> str:
        module, _, name = key.partition("::")
        return f"module: {module}, name: {name}"

    text = "schema_version: 1\n"
    text += "categories: {category_x: {rationale: r, requires_issue: false}}\n" if keys else "categories: {}\n"
    text += "entries: [" + ", ".join(f"{{{record(key)}, category: category_x}}" for key in keys) + "]\n"
    text += 'widened_grandfathered_470: {rationale: r, issue: "#1", entries: ['
    text += ", ".join(f"{{{record(key)}}}" for key in widened) + "]}\n"
    return parse_allowlist(text)


def judge(tree: Tree, *keys: str, widened: Iterable[str] = (), detectors: Detectors | None = None) -> Verdicts:
    settings = Settings(check_widened=bool(widened))
    return evaluate(corpus(tree, detectors), listing(*keys, widened=widened), settings)


def offenders(verdicts: Verdicts) -> list[str]:
    return [str(offender.key) for offender in verdicts.offenders]


def stale(verdicts: Verdicts) -> list[str]:
    return [f"{entry.key} {entry.verdict}" for entry in verdicts.stale]


DEAD = "__all__ = ['Baz']\nBaz = {}\n"


@pytest.mark.parametrize("body", ["1", "2", "lambda: 3"])
def test_m1_a_body_edit_changes_nothing(body: str) -> None:
    verdicts = judge({"m.py": DEAD.format(body)}, "m::Baz")
    assert (offenders(verdicts), stale(verdicts)) == ([], [])
    assert [entry.verdict for entry in verdicts.entries] == ["LIVE"]


def test_m2_a_new_dead_name_in_a_listed_module_is_an_offender() -> None:
    verdicts = judge({"m.py": "__all__ = ['Baz', 'New']\nBaz = 1\nclass New: ...\n"}, "m::Baz")
    assert offenders(verdicts) == ["m::New"]
    assert (verdicts.offenders[0].path, verdicts.offenders[0].line) == ("m.py", 3)


def test_m3_a_namesake_with_another_body_is_an_offender() -> None:
    verdicts = judge({"a.py": "__all__ = ['Shared']\nShared = 1\n", "b.py": "__all__ = ['Shared']\nShared = 2\n"}, "a::Shared")
    assert offenders(verdicts) == ["b::Shared"]


def test_m4_a_byte_identical_namesake_is_an_offender() -> None:
    text = "__all__ = ['X']\nclass X:\n    pass\n"
    assert offenders(judge({"sanctioned.py": text, "rogue.py": text}, "sanctioned::X")) == ["rogue::X"]


def test_m5_a_caller_revives() -> None:
    verdicts = judge({"m.py": DEAD.format(1), "n.py": "from m import Baz\n"}, "m::Baz")
    assert stale(verdicts) == ["m::Baz REVIVED"]
    assert "edge" in str(verdicts.stale[0].proof)


def test_m6_a_deleted_name_is_gone() -> None:
    assert stale(judge({"m.py": "__all__ = ['Other']\nOther = 1\n", "n.py": "from m import Other\n"}, "m::Baz")) == ["m::Baz GONE"]


def test_m7_a_rename_is_gone_and_an_offender() -> None:
    verdicts = judge({"m.py": "__all__ = ['New']\nNew = 1\n"}, "m::Old")
    assert (stale(verdicts), offenders(verdicts)) == (["m::Old GONE"], ["m::New"])
    assert "moved" not in verdicts.stale[0].hint


def test_m8_a_move_is_gone_with_a_hint_and_an_offender() -> None:
    verdicts = judge({"a.py": "__all__ = ['K']\nK = 1\n", "b.py": "__all__ = ['N']\nN = 1\n", "c.py": "from a import K\n"}, "a::N")
    assert (stale(verdicts), offenders(verdicts)) == (["a::N GONE"], ["b::N"])
    assert verdicts.stale[0].hint == "probably moved to `b`; update `module:`"


def test_m9_a_name_that_nothing_binds_cannot_be_excepted() -> None:
    verdicts = judge({"m.py": "__all__ = ['Ghost']\n"}, "m::Ghost")
    assert (offenders(verdicts), stale(verdicts)) == (["m::Ghost"], ["m::Ghost INVALID"])


def test_m10_a_name_that_leaves_all_is_gone() -> None:
    assert stale(judge({"m.py": "__all__ = ['Baz2']\nBaz = 1\nBaz2 = 1\n", "n.py": "from m import Baz2\n"}, "m::Baz")) == ["m::Baz GONE"]


REAL = {
    "pkg/__init__.py": "from pkg.live import used\n__all__ = ['used']\n",
    "pkg/live.py": "__all__ = ['used']\ndef used(): ...\n",
    "pkg/dead.py": "__all__ = ['spare']\ndef spare(): ...\ndef loose(): ...\n",
}


def test_m11_the_gate_reads_the_list_it_is_given_over_one_walk() -> None:
    walked = corpus(REAL)
    whole = listing("pkg.dead::spare", widened=["pkg.dead::loose"])
    assert evaluate(walked, whole).ok
    removed = evaluate(walked, listing(widened=["pkg.dead::loose"]))
    assert offenders(removed) == ["pkg.dead::spare"]
    bogus = evaluate(walked, listing("pkg.dead::spare", "pkg.dead::bogus", widened=["pkg.dead::loose"]))
    assert stale(bogus) == ["pkg.dead::bogus GONE"]
    unwidened = evaluate(walked, listing("pkg.dead::spare"))
    assert [str(offender.key) for offender in unwidened.widened_offenders] == ["pkg.dead::loose"]


def test_m13_a_walk_that_returns_a_quarter_breaks_both_floors() -> None:
    tree = {f"m{number}.py": f"__all__ = ['a{number}', 'b{number}']\na{number} = b{number} = 1\n" for number in range(8)}
    walked = corpus(tree)
    settings = Settings(min_modules=7, min_symbols=14)
    names = [key for number in range(8) for key in (f"m{number}::a{number}", f"m{number}::b{number}")]
    assert evaluate(walked, listing(*names), settings).ok
    quarter = evaluate(walked.restricted(["m0", "m1"]), listing("m0::a0", "m0::b0", "m1::a1", "m1::b1"), settings)
    assert [(floor.found, floor.needed, floor.ok) for floor in quarter.floors] == [(2, 7, False), (4, 14, False)]
    assert not quarter.ok


def test_the_cap_only_shrinks() -> None:
    walked, allowlist = corpus({"m.py": DEAD.format(1)}), listing("m::Baz")
    assert not evaluate(walked, allowlist, Settings(cap=0)).ok
    assert evaluate(walked, allowlist, Settings(cap=1)).ok
    assert evaluate(walked, allowlist, Settings(cap=2)).ok


CALLERS = {
    "from_import": "from m import Baz as other\n",
    "from_import in a function": "def f():\n    from m import Baz\n",
    "from the package below": "import importlib\n",
    "module_attr": "import m\nm.Baz\n",
    "module_attr through an alias": "import m as short\nshort.Baz\n",
    "getattr_str": "import m\ngetattr(m, 'Baz', None)\n",
    "facade": "T = {'x': ('m', 'Baz')}\ndef __getattr__(name):\n    return T[name]\n",
    "facade with a string constant": "M = 'm'\nT: dict = {'x': [M, 'Baz']}\ndef __getattr__(name):\n    return T[name]\n",
    "dynamic": "import importlib\ndef load():\n    return importlib.import_module('m')\nload().Baz\n",
    "dynamic through a variable": "import importlib\ndef load():\n    return importlib.import_module('m')\nv = load()\nv.Baz\n",
}


@pytest.mark.parametrize("kind", CALLERS)
def test_a_caller_is_seen(kind: str) -> None:
    found = offenders(judge({"m.py": DEAD.format(1), "n.py": CALLERS[kind]}))
    assert found == (["m::Baz"] if kind == "from the package below" else [])


NO_CALLERS = {
    "plain import": "import m\n",
    "an unaliased chain": "import p.m\np.m.Baz\n",
    "a symbol under an alias": "from m import Cls as C\nC.Baz\n",
    "a one-value lazy row": "T = {'Baz': 'm'}\ndef __getattr__(name):\n    return T[name]\n",
    "an accessor in a function": "import importlib as i\ndef f():\n    def load():\n        return i.import_module('m')\n    load().Baz\n",
    "import_module by name": "from importlib import import_module\ndef load():\n    return import_module('m')\nload().Baz\n",
    "a computed string": "import m\ngetattr(m, 'B' + 'az')\n",
}


@pytest.mark.parametrize("kind", NO_CALLERS)
def test_what_is_no_caller_leaves_an_offender(kind: str) -> None:
    tree = {"m.py": "__all__ = ['Baz']\nBaz = 1\nCls = 2\n", "p/__init__.py": "", "n.py": NO_CALLERS[kind]}
    assert offenders(judge(tree)) == ["m::Baz"]


def test_a_package_that_passes_on_a_name_keeps_it_alive() -> None:
    assert offenders(judge({"p/__init__.py": "from p.m import Baz\n", "p/m.py": DEAD.format(1)})) == []


def test_a_caller_below_the_module_counts() -> None:
    tree = {"p/__init__.py": DEAD.format(1), "p/sub.py": "", "n.py": "from p.sub import Baz\n"}
    assert offenders(judge(tree)) == []


def test_a_star_import_hides_a_module_and_makes_its_entries_moot() -> None:
    tree = {"m.py": DEAD.format(1), "n.py": "from m import *\n"}
    verdicts = judge(tree, "m::Baz")
    assert (offenders(verdicts), stale(verdicts)) == ([], ["m::Baz MOOT"])


EXEMPT = {
    "an app object": "import typer\n__all__ = ['app']\napp = typer.Typer()\n",
    "a command": "from x import cli\n__all__ = ['run']\n@cli.command()\ndef run(): ...\n",
    "a bare command decorator": "from x import cli\n__all__ = ['run']\n@cli.callback\ndef run(): ...\n",
    "a registered class": "from x import registry\n__all__ = ['P']\n@registry.plugin\nclass P: ...\n",
}


@pytest.mark.parametrize("kind", EXEMPT)
def test_structure_exempts_and_supersedes_an_entry(kind: str) -> None:
    detectors = Detectors(registered_classes=(("pkg", "registry", "plugin"),))
    tree = {"pkg/__init__.py": "", "pkg/m.py": EXEMPT[kind]}
    assert offenders(judge(tree, detectors=detectors)) == []
    (name,) = corpus(tree).modules["pkg.m"].declared
    assert stale(judge(tree, f"pkg.m::{name}", detectors=detectors)) == [f"pkg.m::{name} SUPERSEDED"]


def test_a_reexport_is_exempt_unless_it_collides() -> None:
    tree = {"a.py": "__all__ = ['x']\nx = 1\n", "b.py": "from a import x\n__all__ = ['x']\n"}
    assert offenders(judge(tree)) == []
    tree["c.py"] = "from a import x\n__all__ = ['x']\n"
    assert offenders(judge(tree)) == ["b::x", "c::x"]


def test_a_private_name_passed_on_under_a_public_one_is_exempt() -> None:
    assert offenders(judge({"a.py": "_x = 1\n", "b.py": "from a import _x as x\n__all__ = ['x']\n"})) == []


def test_a_caller_of_the_package_above_counts_and_one_of_another_name_below_does_not() -> None:
    assert offenders(judge({"p/__init__.py": "", "p/m.py": DEAD.format(1), "n.py": "from p import Baz\n"})) == []
    tree = {"p/__init__.py": DEAD.format(1), "p/sub.py": "", "n.py": "from p.sub import other\n"}
    assert offenders(judge(tree)) == ["p::Baz"]


def test_only_modules_that_declare_a_name_collide_over_it() -> None:
    tree = {"a.py": "x = 1\n", "b.py": "from a import x\n__all__ = ['x']\n", "c.py": "from a import x\n"}
    assert offenders(judge(tree)) == []


def test_a_name_that_is_bound_again_is_no_reexport() -> None:
    tree = {"a.py": "__all__ = ['x']\nx = 1\n", "b.py": "from a import x\n__all__ = ['x']\ndef x(): ...\n"}
    assert offenders(judge(tree)) == ["b::x"]


ALL = {
    "a literal list": ("__all__ = ['a']", ["a"]),
    "a tuple": ("__all__ = ('a', 'b')", ["a", "b"]),
    "an annotated list": ("__all__: list[str] = ['a']", ["a"]),
    "an annotation alone": ("__all__: list[str]", []),
    "a set": ("__all__ = {'a'}", []),
    "a concatenation": ("__all__ = ['a'] + ['b']", []),
    "a name among the texts": ("__all__ = ['a', b]", []),
    "a later assignment": ("__all__ = ['a']\n__all__ = ['b']", ["a"]),
    "an addition": ("__all__ = ['a']\n__all__ += ['b']", ["a"]),
    "under a condition": ("if x:\n    __all__ = ['a']", []),
}


@pytest.mark.parametrize("kind", ALL)
def test_the_declared_names_are_those_of_the_first_literal(kind: str) -> None:
    text, names = ALL[kind]
    assert list(corpus({"m.py": text + "\n"}).modules["m"].declared) == names


KEYABLE = {
    "a function": ("def n(): ...", True),
    "an async function": ("async def n(): ...", True),
    "an annotated name": ("n: int = 1", True),
    "an import": ("import os as n", True),
    "a from import": ("from os import path as n", True),
    "a lazy row onto a bound name": ("T = {'n': ('o', 'real')}\ndef __getattr__(k):\n    return T[k]", True),
    "a lazy row onto nothing": ("T = {'n': ('o', 'ghost')}\ndef __getattr__(k):\n    return T[k]", False),
    "a lazy cycle": ("T = {'n': ('m', 'n')}\ndef __getattr__(k):\n    return T[k]", False),
    "a one-value lazy row": ("T = {'n': 'o'}\ndef __getattr__(k):\n    return T[k]", False),
    "under a condition": ("if x:\n    n = 1", False),
    "a tuple target": ("n, k = 1, 2", False),
    "a loop target": ("for n in x: ...", False),
}


@pytest.mark.parametrize("kind", KEYABLE)
def test_only_what_the_module_body_binds_can_be_excepted(kind: str) -> None:
    text, keyable = KEYABLE[kind]
    verdicts = judge({"m.py": f"__all__ = ['n']\n{text}\n", "o.py": "real = 1\n"}, "m::n")
    assert (stale(verdicts) != ["m::n INVALID"]) is keyable


OWN_USE = {
    "read at the top": ("h = 1\nprint(h)", True),
    "read in a function": ("h = 1\ndef _f():\n    return h", True),
    "shadowed by a parameter": ("h = 1\ndef _f(h):\n    return h", False),
    "shadowed by a local": ("h = 1\ndef _f():\n    h = 2\n    return h", False),
    "global undoes the shadow": ("h = 1\ndef _f():\n    global h\n    h = 2\n    return h", True),
    "shadowed in a comprehension": ("h = 1\n_x = [h for h in ()]", False),
    "read in a class body before it is bound": ("h = 1\nclass _C:\n    k = h\n    h = 2", True),
    "read in a class body after it is bound": ("h = 1\nclass _C:\n    h = 2\n    k = h", False),
    "used as a decorator": ("def h(f): return f\n@h\ndef _f(): ...", True),
    "not read": ("h = 1", False),
}


@pytest.mark.parametrize("kind", OWN_USE)
def test_the_widened_scope_spares_what_its_own_module_reads(kind: str) -> None:
    text, used = OWN_USE[kind]
    verdicts = evaluate(corpus({"m.py": text + "\n"}), listing())
    assert ([str(offender.key) for offender in verdicts.widened_offenders] == []) is used
    listed = evaluate(corpus({"m.py": text + "\n"}), listing(widened=["m::h"]))
    assert listed.widened_stale == (((DeadSymbolKey("m", "h"), "already rescued"),) if used else ())


def test_a_widened_entry_with_a_caller_is_stale_and_the_pass_looks_unwired() -> None:
    verdicts = evaluate(corpus({"m.py": "def h(): ...\n", "n.py": "from m import h\n"}), listing(widened=["m::h"]))
    assert verdicts.widened_stale == (
        (DeadSymbolKey("m", "h"), "no longer a widened offender"),
        (None, "no widened entry is a widened offender: the pass looks unwired"),
    )


def test_entries_never_rescue_widened_names() -> None:
    verdicts = evaluate(corpus({"m.py": "__all__ = ['k']\nk = 1\nh = 1\n"}), listing("m::k", "m::h"))
    assert [str(offender.key) for offender in verdicts.widened_offenders] == ["m::h"]


def test_own_use_never_rescues_an_exported_name() -> None:
    assert offenders(judge({"m.py": "__all__ = ['k']\nk = 1\nprint(k)\n"})) == ["m::k"]


def test_every_entry_has_exactly_one_verdict() -> None:
    tree = {
        "a.py": "__all__ = ['live', 'called', 'ghost', 'passed']\nlive = called = 1\nfrom b import passed\n",
        "b.py": "from a import called\npassed = 1\n",
        "s.py": "__all__ = ['star']\nstar = 1\n",
        "t.py": "from s import *\n",
    }
    keys = ["a::live", "a::called", "a::ghost", "a::passed", "a::none", "s::star"]
    verdicts = judge(tree, *keys)
    assert {str(entry.key): entry.verdict for entry in verdicts.entries} == {
        "a::live": "LIVE",
        "a::called": "REVIVED",
        "a::ghost": "INVALID",
        "a::passed": "SUPERSEDED",
        "a::none": "GONE",
        "s::star": "MOOT",
    }
