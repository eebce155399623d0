"""Java files that something beside an import starts: virtual machines, containers, test runners, service loaders, build files.

| role | files that get it here |
|---|---|
| `script` | a `main` method |
| `declared` | `package-info.java`, `module-info.java`; types that a framework makes by annotation; public types of a published library |
| `test` | methods that a test runner finds by their annotation |
| `surface` | public types that are no tests |
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.answer import EVIDENCE
from ce.extract.resolve.commands import command_words
from ce.extract.resolve.context import base_name
from ce.extract.resolve.java.builds import BUILD_FILES, dependencies, is_published_library
from ce.extract.resolve.java.ladder import JavaTree, type_named
from ce.extract.resolve.java.table import LANGUAGE, TYPES
from ce.extract.resolve.ladder import Conventions
from ce.extract.resolve.roles import is_test_path
from ce.facts.manifests import decode
from ce.facts.records import Edge, EntryPoint, Extraction, Role

__all__ = ["conventions"]

_SCOPE = 3
_QUALIFIED = re.compile(r"[a-z_][\w]*(?:\.[\w$]+)+")
_BY_ANNOTATION = frozenset({
    "AndroidEntryPoint", "ApplicationPath", "ApplicationScoped", "Aspect", "AutoService", "BugPattern", "Command", "Component",
    "Configuration", "ConfigurationProperties", "Controller", "ControllerAdvice", "Converter", "Dao", "Database", "Dependent",
    "Embeddable", "Entity", "Extension", "FacesConverter", "FacesValidator", "FeignClient", "HiltAndroidApp", "HiltViewModel",
    "Initializer", "InstallIn", "ManagedBean", "MappedSuperclass", "Mapper", "MessageDriven", "MetaInfServices", "Module", "Mojo",
    "Named", "Path", "Plugin", "Provider", "ProviderFor", "Repository", "RequestScoped", "RestController", "RestControllerAdvice",
    "RunWith", "ServerEndpoint", "Service", "SessionScoped", "Singleton", "SpringBootApplication", "SpringBootTest", "State",
    "Stateful", "Stateless", "StaticMetamodel", "Suite", "SupportedAnnotationTypes", "TestConfiguration", "WebFilter",
    "WebListener", "WebService", "WebServlet",
})  # fmt: skip
_TESTS = frozenset({
    "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property", "Example", "Theory", "BeforeSuite", "Given",
    "When", "Then", "ArchTest",
})  # fmt: skip
_RUN = frozenset({"Benchmark", "Bean", "Scheduled", "EventListener", "KafkaListener", "RabbitListener", "JmsListener", "Incoming"})


def conventions(tree: JavaTree) -> Conventions:
    """Return roles, entry points and references that no import opens."""
    starts = tuple(_starts(tree))
    edges: list[Edge] = []
    could_any = []
    for path in tree.table.files:
        extraction = tree.context.extractions[path]
        edges += _heads(path, extraction, tree)
        edges += _texts(path, extraction, tree)
        for dynamic in extraction.dynamic:
            fits = _fitting(dynamic.pattern, path, tree)
            if fits is None:
                could_any.append((path, dynamic.line, LANGUAGE, dynamic.why))
            else:
                edges += [Edge(path, other, "import", EVIDENCE, dynamic.line, "lazy") for other in fits if other != path]
    return Conventions(
        roles=tuple(_roles(tree)),
        entry_points=starts,
        edges=tuple(edges),
        could_name_any=tuple(could_any),
        manifest_deps=tuple(
            (path.rpartition("/")[0], artifact if "$" in group else f"{group}:{artifact}")
            for path, group, artifact in dependencies(tree.context)
        ),
    )


def _heads(path: str, extraction: Extraction, tree: JavaTree) -> Iterator[Edge]:
    """Yield a reference for every name in front of a dot that is a type of the tree by scope."""
    written = extraction.extra.get("heads")
    for row in written if isinstance(written, list) else ():
        if not (isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and type(row[1]) is int):
            continue
        answer = type_named(row[0], path, _innermost_type(extraction, row[1]), tree)
        if answer.status == "resolved" and answer.target != path:
            yield Edge(path, answer.target, "import", max(answer.rung, _SCOPE), row[1], "runtime")


def _innermost_type(extraction: Extraction, line: int) -> int:
    found = -1
    for index, unit in enumerate(extraction.units):
        if unit.declares in TYPES and unit.start <= line <= unit.end:
            found = index
    return found


def _texts(path: str, extraction: Extraction, tree: JavaTree) -> Iterator[Edge]:
    """Yield a reference for every text that spells the qualified name of a type."""
    for line, text in extraction.strings:
        if _QUALIFIED.fullmatch(text):
            for target in _spelled(text, path, tree):
                if target != path:
                    yield Edge(path, target, "import", EVIDENCE, line, "lazy")


def _spelled(text: str, viewer: str, tree: JavaTree) -> tuple[str, ...]:
    found, rest = tree.table.qualified(text.replace("$", "."), viewer)
    return found if found and rest.count(".") == 0 and "." in text else ()


def _fitting(glob: str, viewer: str, tree: JavaTree) -> list[str] | None:
    """Return the files whose qualified names a glob fits, None for a glob without constant parts."""
    parts = re.split(r"(?<!\[)\*", glob)
    if not any(part.strip(".$") for part in parts) or len(parts) > 4:
        return None
    match = re.compile(r"[\w.$]*".join(re.escape(re.sub(r"\[([*?\[])\]", r"\1", part)) for part in parts) + r"\Z").match
    return [
        path
        for path, file in tree.table.files.items()
        if any(match(f"{file.package}.{name}") for name in file.types) and tree.table.sees(viewer, path)
    ]


def _roles(tree: JavaTree) -> Iterator[Role]:
    published = is_published_library(tree.context)
    for path, file in tree.table.files.items():
        extraction = tree.context.extractions[path]
        name = base_name(path)
        if name in ("package-info.java", "module-info.java"):
            yield Role(path, "declared", "the compiler reads it for the package or the module")
            continue
        if extraction.main_guard:
            yield Role(path, "script", "it has a `main` method", path)
        yield from _by_annotation(path, extraction)
        is_test = is_test_path(path) or file.source_set not in ("", "main")
        if not is_test and any(unit.parent < 0 and unit.visibility & 5 == 1 for unit in extraction.units):
            yield Role(path, "surface", f"a public type of `{file.package or 'the default package'}`")
            if published:
                yield Role(path, "declared", "a public type of a published library", published)


def _by_annotation(path: str, extraction: Extraction) -> Iterator[Role]:
    for unit in extraction.units:
        for decorator in unit.decorators:
            name = decorator.partition("(")[0].strip().rpartition(".")[2]
            if unit.kind == "fn" and name in _TESTS:
                yield Role(path, "test", f"`@{name}` marks a test", f"{path}:{unit.start}")
            elif (unit.kind == "fn" and name in _RUN) or (unit.kind != "fn" and name in _BY_ANNOTATION):
                yield Role(path, "declared", f"a framework finds it by `@{name}`", f"{path}:{unit.start}")


def _starts(tree: JavaTree) -> Iterator[EntryPoint]:
    """Yield the types that build files, service files, descriptors and commands name by their qualified names."""
    for path in sorted(tree.context.manifests):
        name = base_name(path)
        is_descriptor = "META-INF/" in path or name.endswith(".xml") or name in BUILD_FILES
        if is_descriptor:
            for number, line in enumerate(decode(tree.context.manifests[path]).splitlines(), start=1):
                for match in _QUALIFIED.finditer(line.partition("#")[0] if "META-INF/" in path else line):
                    yield from (EntryPoint(file, "", f"{path}:{number}") for file in _spelled(match.group(), "", tree))
            service = path.partition("META-INF/services/")[2]
            yield from (EntryPoint(file, "", path) for file in (_spelled(service, "", tree) if service else ()))
    for word in command_words(tree.context):
        if _QUALIFIED.fullmatch(word.text):
            yield from (EntryPoint(file, "", word.at) for file in _spelled(word.text, "", tree))
