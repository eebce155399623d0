"""What holds for the Python ladder on any tree, over extractions made by hand."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from ce.extract.resolve import resolve
from ce.extract.resolve.python.evidence import _compiled
from ce.facts.records import Binding, DynamicSite, Extraction, Resolution, Site, TreeInputs

NAMES = st.sampled_from(["a", "b", "c", "pkg", "sub"])


def file(*sites: Site, bindings: tuple[Binding, ...] = (), strings: tuple[tuple[int, str], ...] = ()) -> Extraction:
    """Return the extraction of a Python file."""
    return Extraction("python", sites=sites, bindings=bindings, strings=strings)


def resolution(extractions: dict[str, Extraction], **manifests: str) -> Resolution:
    """Return the resolution of a tree that holds these files."""
    inputs = TreeInputs(dict.fromkeys(extractions, "python"), manifests={name: text.encode() for name, text in manifests.items()})
    return resolve(inputs, extractions)


def targets(found: Resolution, path: str) -> set[str]:
    """Return what a file refers to."""
    return {edge.target for edge in found.edges if edge.source == path}


@st.composite
def module_paths(draw: st.DrawFn) -> list[str]:
    """Draw the paths of a few modules and packages."""
    paths = set()
    for parts in draw(st.lists(st.lists(NAMES, min_size=1, max_size=3), min_size=1, max_size=6)):
        paths.add("/".join(parts) + draw(st.sampled_from([".py", "/__init__.py", ".pyi"])))
    return sorted(paths)


@given(paths=module_paths(), spec=st.lists(NAMES, min_size=1, max_size=4), names=st.lists(NAMES, max_size=2), dots=st.integers(0, 3))
def test_every_import_ends_in_outcomes_that_name_files_of_the_tree(paths: list[str], spec: list[str], names: list[str], dots: int) -> None:
    sites = (
        Site("import", ".".join(spec), 1),
        Site("import_from", "." * dots + ".".join(spec), 2, names=tuple((name, name) for name in names) or (("*", "*"),)),
        Site("dynamic_import", ".".join(spec), 3),
    )
    extractions = {path: file(*sites) for path in paths}
    found = resolution(extractions)
    assert {(outcome.path, outcome.site) for outcome in found.outcomes} == {(path, site) for path in paths for site in range(3)}
    for outcome in found.outcomes:
        statuses = {other.status for other in found.outcomes if (other.path, other.site) == (outcome.path, outcome.site)}
        assert len(statuses) == 1
        if outcome.status == "resolved":
            assert outcome.target in paths or outcome.granularity == "package"
        assert set(outcome.candidates) <= set(paths)
    assert {target for _, _, target, _ in found.could_name} <= set(paths)


@given(paths=module_paths())
def test_a_module_is_reached_by_its_dotted_path_from_the_root(paths: list[str]) -> None:
    for path in paths:
        key = path.removesuffix(".pyi").removesuffix(".py").removesuffix("/__init__")
        beside = [other for other in paths if other.startswith((key + ".", key + "/__init__."))]
        if len(beside) == 1 and key not in ("a", "b", "c") and "." not in key:
            found = resolution({**{other: file() for other in paths}, "start/main.py": file(Site("import", key.replace("/", "."), 1))})
            assert path in targets(found, "start/main.py")


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.booleans()), max_size=12))
def test_reexports_in_any_circle_end(links: list[tuple[int, int, bool]]) -> None:
    extractions = {f"m{number}.py": file() for number in range(5)}
    for importer, imported, star in links:
        path = f"m{importer}.py"
        site = Site("import_from", f"m{imported}", 1, names=(("*", "*") if star else ("x", "x"),))
        extractions[path] = replace(extractions[path], sites=(*extractions[path].sites, site))
    extractions["m0.py"] = replace(extractions["m0.py"], bindings=(Binding("x", 1, "def"),))
    extractions["main.py"] = file(Site("import_from", "m4", 1, names=(("x", "x"),)))
    found = resolution(extractions)
    assert "m4.py" in targets(found, "main.py")
    assert resolution(dict(reversed(extractions.items()))) == found


def test_a_long_chain_of_reexports_leads_to_the_definition() -> None:
    extractions = {f"m{number}.py": file(Site("import_from", f"m{number + 1}", 1, names=(("x", "x"),))) for number in range(20)}
    extractions["m20.py"] = file(bindings=(Binding("x", 7, "class"),))
    extractions["main.py"] = file(Site("import_from", "m0", 1, names=(("x", "y"),)))
    found = resolution(extractions)
    assert targets(found, "main.py") == {"m0.py", "m20.py"}
    assert ("main.py", "m20.py", "x", 1) in found.imported_names


def test_a_text_names_a_module_only_as_a_whole() -> None:
    extractions = {
        "settings.py": file(strings=((1, "app.views"), (2, "app.viewsets"), (3, "xapp.views"), (4, "app.views."), (5, "app"))),
        "app/__init__.py": file(),
        "app/views.py": file(),
        "app/viewset.py": file(),
    }
    assert targets(resolution(extractions), "settings.py") == {"app/__init__.py", "app/views.py"}


def test_a_pattern_fits_whole_names() -> None:
    extractions = {
        "pkg/__init__.py": replace(file(), dynamic=(DynamicSite(4, "import_module", "pkg.read_*"),)),
        "pkg/read_csv.py": file(),
        "pkg/reader.py": file(),
        "other/pkg/read_csv.py": file(),
        "attr.py": replace(file(), dynamic=(DynamicSite(1, "getattr", "*"),)),
    }
    found = resolution(extractions)
    assert targets(found, "pkg/__init__.py") == {"pkg/read_csv.py"}
    assert found.could_name == (("pkg/__init__.py", 4, "pkg/read_csv.py", "dynamic"),)
    assert found.could_name_any == ()


def test_names_that_are_no_text_at_all_harm_nothing() -> None:
    odd = ["", ".", "..", "...", "a..b", ".a.", "a.", "/", "../x.py", "\udcff", "a\nb", "ü.é", "*"]
    sites = tuple(Site(kind, spec, line) for line, spec in enumerate(odd, start=1) for kind in ("import", "import_from", "dynamic_import"))
    strings = tuple(enumerate(odd, start=1))
    dynamic = tuple(DynamicSite(line, "import_module", spec) for line, spec in enumerate(odd, start=1))
    found = resolution({"a/b.py": replace(file(*sites, strings=strings), dynamic=dynamic), "\udcff.py": file()})
    assert {outcome.site for outcome in found.outcomes} == set(range(len(sites)))


@given(pattern=st.text("ab*?.", max_size=7), names=st.lists(st.text("ab.", min_size=1, max_size=7), min_size=1, max_size=5, unique=True))
def test_a_pattern_fits_as_a_shell_glob_does(pattern: str, names: list[str]) -> None:
    fitting = {match.group() for match in _compiled(pattern).finditer("\n".join(names))}
    assert fitting == {name for name in names if fnmatchcase(name, pattern)}


def test_no_pattern_makes_matching_slow() -> None:
    assert list(_compiled("*a" * 40 + "b").finditer("a" * 20_000)) == []
