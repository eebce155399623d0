"""Which releases the generated tables of names come from."""

from __future__ import annotations

from ce.extract.resolve.data import jdk_names


def test_the_names_of_java_are_those_of_jdk_25() -> None:
    assert jdk_names.SOURCES[0].startswith("JDK 25.")
    assert (len(jdk_names.PACKAGES), len(jdk_names.LANG_TYPES)) == (233, 108)
    assert {"java.lang.classfile", "java.lang.foreign"} <= jdk_names.PACKAGES
    assert {"IO", "ScopedValue"} <= jdk_names.LANG_TYPES
