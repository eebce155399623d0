"""What Maven and Gradle files say: the groups of dependencies, and whether a tree is published as a library."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.context import Context
from ce.facts.manifests import decode

__all__ = ["BUILD_FILES", "declared_groups", "dependencies", "groups_hold", "is_published_library", "publishes", "starts_program"]

BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts")

_XML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DEPENDENCY = re.compile(r"<dependency>(.*?)</dependency>", re.DOTALL)
_GROUP = re.compile(r"<groupId>\s*([^<\s]+)\s*</groupId>")
_ARTIFACT = re.compile(r"<artifactId>\s*([^<\s]+)\s*</artifactId>")
_GRADLE = re.compile(r"""["']([\w.-]+):([\w.-]+)(?::[^"']*)?["']|group\s*[:=]\s*["']([\w.-]+)["']\s*,\s*name\s*[:=]\s*["']([\w.-]+)["']""")
_PROGRAM = re.compile(
    r"<mainClass>|<Main-Class>|<start-class>|spring-boot-maven-plugin|<packaging>\s*(?:war|ear)\s*<|mainClass\b|mainClassName\b"
    r"|org\.springframework\.boot|id\s*\(?\s*['\"](?:application|war|com\.android\.application)['\"]"
)
_PUBLISHED = re.compile(
    r"<licenses>|<scm>|<distributionManagement>|maven-publish|java-library|com\.android\.library|com\.vanniktech\.maven\.publish"
)


def _text(context: Context, path: str) -> str:
    text = decode(context.manifests[path])
    return _XML_COMMENT.sub("", text) if path.endswith(".xml") else text


def dependencies(context: Context) -> Iterator[tuple[str, str, str]]:
    """Yield the build file, the group and the artifact of every literal dependency."""
    for path in context.manifests_named(*BUILD_FILES):
        text = _text(context, path)
        if path.endswith(".xml"):
            for block in _DEPENDENCY.findall(text):
                group, artifact = _GROUP.search(block), _ARTIFACT.search(block)
                if group and artifact:
                    yield path, group.group(1), artifact.group(1)
        else:
            for one, two, three, four in _GRADLE.findall(text):
                yield path, one or three, two or four


def declared_groups(context: Context) -> frozenset[str]:
    """Return the groups and artifacts of the dependencies, as far as they can begin the name of a package."""
    return frozenset(name for _, group, artifact in dependencies(context) for name in (group, artifact) if not name.startswith("$"))


def groups_hold(groups: frozenset[str], name: str) -> bool:
    """Return whether a dependency can hold a qualified name: its group begins it, or is the word that is its first or second segment."""
    parts = name.split(".")
    return any(".".join(parts[:cut]) in groups for cut in range(2, len(parts) + 1)) or any(part in groups for part in parts[:2])


def starts_program(context: Context, path: str) -> bool:
    """Return whether a build file makes a program."""
    return _PROGRAM.search(_text(context, path)) is not None


def publishes(context: Context, path: str) -> bool:
    """Return whether a build file publishes what it builds."""
    return _PUBLISHED.search(_text(context, path)) is not None


def is_published_library(context: Context) -> str:
    """Return the build file that publishes a library, empty when none does or one makes a program."""
    paths = context.manifests_named(*BUILD_FILES)
    if any(starts_program(context, path) for path in paths if path.count("/") < 2):
        return ""
    return next((path for path in paths if publishes(context, path)), "")
