"""Files that something outside of the imports starts or installs: fields and scripts of `package.json`, words of command files.

A path that a build writes stands for the one file that it is made from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ce.extract.resolve.commands import command_words
from ce.extract.resolve.context import ancestors, base_name, directory_of, join, normal_path
from ce.extract.resolve.ecmascript.files import DECLARATIONS, FAMILY, is_code, stem_of
from ce.extract.resolve.ecmascript.globs import glob_matcher, is_glob
from ce.extract.resolve.ecmascript.imports import ModuleTree
from ce.extract.resolve.ecmascript.offers import has_exports, is_hidden, targets_of
from ce.extract.resolve.ecmascript.packages import Package
from ce.facts.manifests import json_document, line_of, strings, table
from ce.facts.records import EntryPoint, Role

__all__ = ["Start", "command_starts", "declared_starts", "internal_roles", "listed_starts", "script_starts"]

Start = tuple[EntryPoint, Role]

# Fields whose texts are no paths of files that the package runs or offers.
_NOT_PATHS = frozenset({
    "scripts", "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "peerDependenciesMeta", "resolutions",
    "overrides", "files", "keywords", "description", "repository", "homepage", "bugs", "author", "contributors", "license", "name",
    "version", "engines", "workspaces", "packageManager", "pnpm", "imports",
})  # fmt: skip
# Commands whose arguments are files to look at, not to run.
_READERS = frozenset({
    "eslint", "prettier", "tslint", "stylelint", "biome", "xo", "standard", "oxlint", "dprint", "rimraf", "rm", "del", "del-cli", "cp",
    "mv",
    "copyfiles", "cpx", "cpy", "shx", "mkdir", "mkdirp", "echo", "cat", "cloc", "git", "sed", "touch", "chmod", "zip", "tar", "size-limit",
    "replace", "find", "ls", "test", "diff", "attw", "publint", "jscodeshift", "codecov", "sort-package-json", "typedoc", "api-extractor",
})  # fmt: skip
_RUNNERS = frozenset({
    "node", "ts-node", "ts-node-esm", "ts-node-dev", "tsx", "bun", "deno", "nodemon", "babel-node", "swc-node", "vite-node", "electron",
    "jiti", "sucrase-node", "esno", "esmo", "zx", "run", "watch", "start", "esbuild", "tsup", "rollup", "webpack", "ncc", "build",
    "browserify",
    "forever", "pm2", "node-dev", "esr", "npx", "c8", "nyc", "-r", "--require", "--import", "--loader", "--config", "-c", "--input", "-i",
    "--entry", "exec", "workerd", "microbundle", "parcel", "serve", "supervisor", "pkg",
})  # fmt: skip
_WAITING = frozenset({"--input", "-i", "--entry", "--file"})  # at the end of a script: whoever runs it names a file
_SEGMENT = re.compile(r"&&|\|\||[;|\n]")
_TOKEN = re.compile(r"[^\s\"'`=,()]+")
_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]*$")
_JSON_LISTS = re.compile(
    r"(?:angular|workspace|project|nest-cli|manifest(?:\.\w+)?|app|vercel|jest\.config|nodemon|cypress|typedoc|ng-package|turbo|\.?mocharc|"
    r"\.mocharc|babel\.config|api-extractor|cdk|firebase|ionic\.config|capacitor\.config|ecosystem|process|project\.config|\.nycrc|\.swcrc|"
    r"\.babelrc|\.eslintrc|stryker\.conf|ember-cli|snowpack\.config|web-ext-config|wdio|\.jestrc|jest-\w+|karma|deno|jsr|wrangler)\.jsonc?"
)


def declared_starts(tree: ModuleTree) -> Iterator[Start]:
    """Yield the files that fields of a `package.json` name: what the package offers, its commands, settings of tools in it."""
    for package in tree.packages.by_directory.values():
        data = tree.context.manifests[package.manifest]
        seen = set()
        for text, field in targets_of(package):
            for file in _offered_files(text, package, tree):
                inside = "./" + file.removeprefix(package.directory).lstrip("/")
                if (file, field) not in seen and not (field == "exports" and "*" in text and is_hidden(package, text, inside)):
                    seen.add((file, field))
                    yield _start(file, f"`{text}` of `{field}`", f"{package.manifest}:{line_of(data, text)}")
        for file, why in _implied_files(package, tree):
            if not any(file == other for other, _ in seen):
                seen.add((file, ""))
                yield _start(file, why, package.manifest)
        for text in _settings(package.document, 0):
            if " " in text:
                for file in _run_by(text, package.directory, tree):
                    yield _start(file, f"`{text}`", f"{package.manifest}:{line_of(data, base_name(file))}")
                continue
            found = _exact(text.removeprefix("<rootDir>/"), (package.directory,), tree)
            if found and not any(found == other for other, _ in seen):
                seen.add((found, ""))
                yield _start(found, f"`{text}`", f"{package.manifest}:{line_of(data, text)}")


def _start(file: str, what: str, at: str, role: str = "declared") -> Start:
    manifest = at.rpartition(":")[0] or at
    return EntryPoint(file, "", at), Role(file, role, f"{what} in {base_name(manifest)}", at)


def internal_roles(tree: ModuleTree) -> Iterator[Role]:
    """Yield the files that private packages offer to other members of their workspace, and to nobody else."""
    packages = tree.packages.by_directory.values()
    needed = {name for package in packages for name in package.needs}
    for package in packages:
        root = tree.packages.workspace_of(package.directory)
        if root in (None, package.directory) or package.document.get("private") is not True or package.name not in needed:
            continue
        offered = {file for text, field in targets_of(package) if field != "bin" for file in _offered_files(text, package, tree)}
        for file in sorted(offered | {file for file, _ in _implied_files(package, tree)}):
            yield Role(file, "internal", "a private package offers it inside its workspace", package.manifest)


def _offered_files(text: str, package: Package, tree: ModuleTree) -> Iterator[str]:
    """Yield the files that a path of a field means, those with a star by what fits it and is installed."""
    path = normal_path(join(package.directory, text))
    if path is None or not text or text.startswith(("#", "http")):
        return
    if "*" in text or text.endswith("/"):
        yield from _patterned(text if "*" in text else text + "*", package, tree)
        return
    if not path:
        return
    hit = tree.files.find(path, typed=False)
    if hit is not None:
        yield from (file for file in (hit.path, hit.types) if tree.context.files.get(file) in FAMILY)
    else:
        yield from (file for file in tree.outputs.sources(path) if file in tree.context.files)


def _patterned(text: str, package: Package, tree: ModuleTree) -> Iterator[str]:
    prefix, _, suffix = text.partition("*")
    start = normal_path(join(package.directory, prefix.rpartition("/")[0]))
    if start is None:
        return
    name = prefix.rpartition("/")[2]
    inside = tuple(tree.files.code_below(start)) if start in tree.context.directories or not start else ()
    fitting = [path for path in inside if _fits(path[len(start) :].lstrip("/"), name, suffix, exact=True) and _is_installed(path, package)]
    if fitting:
        yield from fitting
        return
    others = [path for other, _ in targets_of(package) if "*" not in other and (path := normal_path(join(package.directory, other)))]
    for source in tree.outputs.source_directories(start, others):
        yield from (path for path in tree.files.code_below(source) if _fits(path[len(source) :].lstrip("/"), name, suffix, exact=False))


def _fits(rest: str, name: str, suffix: str, *, exact: bool) -> bool:
    if not rest.startswith(name):
        return False
    if exact or not suffix:
        return rest.endswith(suffix.replace("*", ""))
    stem = stem_of("x" + suffix.replace("*", ""))[1:]
    return stem_of(rest).endswith(stem) or rest.rpartition(".")[0].endswith(stem)


def _implied_files(package: Package, tree: ModuleTree) -> Iterator[tuple[str, str]]:
    """Yield what a package offers though no field says so: its `index`, the source of its main file, modules beside its manifest."""
    document = package.document
    has_main = any(isinstance(document.get(name), str) for name in ("main", "module", "exports", "types")) or has_exports(package)
    found = False
    for text, field in targets_of(package):
        if field in ("main", "module", "exports", "types", "source"):
            found = found or any(True for _ in _offered_files(text, package, tree))
    if has_main and not found:
        source = tree.outputs.main_source(package)
        if source in tree.context.files:
            yield source, "the source of the main file"
    elif not has_main:
        hit = tree.files.find(join(package.directory, "index"), typed=False)
        if hit is not None and hit.path in tree.context.files and package.name:
            yield hit.path, "the `index` of the package"
    directory = table(document, "directories").get("bin")
    if isinstance(directory, str):
        start = normal_path(join(package.directory, directory))
        for path in tree.files.code_below(start) if start else ():
            yield path, "a file of `directories.bin`"
    for text in strings(document.get("files")) if package.is_published and isinstance(document.get("files"), list) else ():
        listed = _exact(text, (package.directory,), tree) if is_code(text) else ""
        if listed:
            yield listed, f"`{text}` of `files`"
    if package.is_published and isinstance(document.get("files"), list):
        # Resolvers that read no `exports` find declarations by their paths.
        for path in tree.files.code_below(package.directory):
            if path.endswith(DECLARATIONS) and tree.packages.owner(directory_of(path)) is package and _is_installed(path, package):
                yield path, "declarations that are installed"
    if package.is_published and not has_exports(package) and has_main:
        for path in tree.context.children.get(package.directory, ()):
            if tree.context.files[path] == "javascript" and _is_installed(path, package):
                yield path, f"`{base_name(path)}`, importable as `{package.name}/{base_name(path).rpartition('.')[0]}`, beside the manifest"


def _is_installed(path: str, package: Package) -> bool:
    """Return whether `files` of the package lists the file; without such a list everything is installed."""
    listed = package.document.get("files")
    globs = [glob for glob in strings(listed) if glob] if isinstance(listed, list) else []
    if not globs:
        return True
    whole = tuple(pattern for glob in globs for pattern in (glob, glob.rstrip("/") + "/**"))
    return glob_matcher(whole, "")(path[len(package.directory) :].lstrip("/"))


def installed_files(package: Package, tree: ModuleTree) -> Iterator[str]:
    """Yield the JavaScript files that a published package without a map of exports installs: all of them can be imported by path."""
    if package.is_published and not has_exports(package):
        for path in tree.files.code_below(package.directory):
            if (
                tree.context.files[path] == "javascript"
                and tree.packages.owner(directory_of(path)) is package
                and _is_installed(path, package)
            ):
                yield path


def _settings(document: Mapping[str, object], depth: int) -> Iterator[str]:
    """Yield the texts of the other fields that look like paths of modules."""
    for name, value in document.items():
        if depth or name not in _NOT_PATHS:
            yield from _texts(value, depth)


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if is_code(value):
            yield value
    elif depth < 8:
        if isinstance(value, list):
            for item in value:
                yield from _texts(item, depth + 1)
        elif isinstance(value, dict):
            yield from _settings(value, depth + 1)


def _exact(text: str, starts: tuple[str, ...], tree: ModuleTree) -> str:
    """Return the module that a path is, from the first of the directories that holds it."""
    for start in starts:
        path = normal_path(join(start, text))
        if path and tree.context.files.get(path) in FAMILY:
            return path
    return ""


# --- commands


def script_starts(tree: ModuleTree) -> Iterator[Start]:
    """Yield the files that the scripts of a `package.json` run."""
    for package in tree.packages.by_directory.values():
        data = tree.context.manifests[package.manifest]
        for name, command in table(package.document, "scripts").items():
            if isinstance(command, str):
                at = f"{package.manifest}:{line_of(data, name, command[:40]) if chr(34) not in command else line_of(data, name)}"
                for file in dict.fromkeys(_run_by(command, package.directory, tree)):
                    yield _start(file, f"run by the script `{name}`", at, "script")
                if command.rpartition(" ")[2] in _WAITING:
                    for file in tree.context.children.get(package.directory, ()):
                        if tree.context.files[file] in FAMILY:
                            yield _start(file, f"can be given to the script `{name}`", at, "script")


def _run_by(command: str, directory: str, tree: ModuleTree) -> Iterator[str]:
    for segment in _SEGMENT.split(command):
        tokens = _TOKEN.findall(segment)
        words = [token for token in tokens if not _ASSIGNMENT.match(token)]
        first = next(
            (word for word in words if word not in ("npx", "cross-env", "yarn", "pnpm", "npm", "bunx", "exec", "dotenv", "--")), ""
        )
        if first in _READERS:
            continue
        before = ""
        for word in tokens:
            yield from _named(word, before, directory, tree)
            before = word


def _named(word: str, before: str, directory: str, tree: ModuleTree) -> Iterator[str]:
    word = word.rstrip(":;")
    if not word or word.startswith("-"):
        return
    if is_glob(word):
        if re.search(r"\.[cm]?[jt]sx?\}?$|\}$", word):
            fits = glob_matcher((word.lstrip("/"),), directory)
            yield from (path for path in tree.files.code_below(directory) if fits(path))
        return
    path = normal_path(join(directory, word))
    if not path:
        return
    if is_code(word):
        found = _exact(word, (directory, ""), tree)
        if found:
            yield found
        else:
            sources = tree.outputs.sources(path)
            yield from sources if len(sources) == 1 and sources[0] in tree.context.files else ()
    elif before.rpartition("/")[2] in _RUNNERS and (("/" in word) or before in ("node", "ts-node", "tsx", "bun", "nodemon")):
        hit = tree.at(path, typed=False) or tree.at(path, typed=True)
        if hit is not None and tree.context.files.get(hit.path) in FAMILY:
            yield hit.path


def command_starts(tree: ModuleTree) -> Iterator[Start]:
    """Yield the files that command files name by their paths."""
    seen = set()
    for word in command_words(tree.context):
        manifest = word.at.rpartition(":")[0]
        if base_name(manifest) == "package.json" or not (is_code(word.text) or "/" in word.text):
            continue
        for file in _of_command(word.text, word.before, word.directory, tree):
            if (file, word.at) not in seen:
                seen.add((file, word.at))
                yield EntryPoint(file, "", word.at), Role(file, "script", f"named by {manifest}", word.at)


def _of_command(text: str, before: str, directory: str, tree: ModuleTree) -> Iterator[str]:
    """Yield the module that a path of a command file means: from the directory of the file, one above it, or without its first names."""
    plain = text.strip("/")
    for start in ancestors(directory):
        path = normal_path(join(start, plain))
        if path and is_code(plain):
            if tree.context.files.get(path) in FAMILY:
                yield path
                return
            sources = tree.outputs.sources(path)
            if len(sources) == 1 and sources[0] in tree.context.files:
                yield sources[0]
                return
        elif path and before.rpartition("/")[2] in ("node", "bun", "deno", "tsx", "ts-node"):
            hit = tree.at(path, typed=False)
            if hit is not None and tree.context.files.get(hit.path) in FAMILY:
                yield hit.path
                return
    # A container and a CI job put the tree somewhere else: an absolute path loses its first names until it is one of the tree.
    if text.startswith("/") and is_code(plain):
        parts = plain.split("/")
        for skipped in range(1, len(parts)):
            rest = "/".join(parts[skipped:])
            found = _exact(rest, (directory, ""), tree)
            sources = () if found else tree.outputs.sources(rest)
            if found or (len(sources) == 1 and sources[0] in tree.context.files):
                yield found or sources[0]
                return


def listed_starts(tree: ModuleTree) -> Iterator[Start]:
    """Yield the files that JSON settings of tools and `files` of compiler settings list."""
    context = tree.context
    for path in sorted(context.manifests):
        name = base_name(path)
        if not _JSON_LISTS.fullmatch(name):
            continue
        document = json_document(context.manifests[path], path, [])
        directory = directory_of(path)
        for text in dict.fromkeys(_settings(document, 0)):
            if " " in text:
                for file in _run_by(text, directory, tree):
                    yield _start(file, f"`{text}`", f"{path}:{line_of(context.manifests[path], base_name(file))}", "script")
                continue
            found = _exact(text.lstrip("/"), (directory, *(package.directory for package in tree.packages.around(directory)), ""), tree)
            if found:
                yield _start(found, f"`{text}`", f"{path}:{line_of(context.manifests[path], text)}")
    for config in tree.configs.all():
        data = context.manifests[config.path]
        for file in config.files:
            if context.files.get(file) in FAMILY:
                yield _start(file, f"`{base_name(file)}` of `files`", f"{config.path}:{line_of(data, base_name(file))}")
