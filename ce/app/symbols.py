"""The relations about names: the names of all files, linked."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ce.facts.assemble.providers import Provided, ProviderContext

if TYPE_CHECKING:
    from ce.extract.names.link.linker import DataFile

__all__ = ["symbols"]


def symbols(context: ProviderContext, _names: Collection[str]) -> Provided:
    """Link the names of all files; whichever relations are asked for, all are given, because linking makes them together."""
    from ce.extract.names.codec import decode_names_table
    from ce.extract.names.declared import with_declarations
    from ce.extract.names.link.linker import link
    from ce.extract.names.link.relations import relations_of
    from ce.extract.names.registry import is_spelled
    from ce.extract.names.table import file_names, names_table

    problems: list[str] = []
    languages = context.languages()
    tables = []
    spelled = {}
    for path, blob in context.layer("names"):
        try:
            table = decode_names_table(blob)
        except ValueError:  # a sealed row that no measurement wrote
            problems.append(f"{path}: the index holds no table of its definitions")
            continue
        if is_spelled(languages.get(path, "")):
            spelled[path] = table
        else:
            tables.append((path, languages.get(path) == "python", table))
        problems += [f"{path}: {table.texts[number]}" for number in table.problems]
    for path, extraction in context.extractions() if spelled else ():
        if path in spelled:
            tables.append((path, False, names_table(with_declarations(file_names(spelled[path]), extraction))))
    linked = link(tables, context.extractions(), context.resolution().outcomes, _data_files(context, problems))
    labels, rows = relations_of(linked, context.unit)
    return Provided(rows, problems, {"symbol": labels})


def _data_files(context: ProviderContext, problems: list[str]) -> list[DataFile]:
    from ce.extract.names.data_texts import decode_texts
    from ce.extract.names.link.linker import DataFile

    found = []
    for path, blob in context.layer("data_texts"):
        try:
            texts = decode_texts(blob)
        except ValueError:  # a sealed row that no measurement wrote
            problems.append(f"{path}: the index holds no list of its texts")
            continue
        if texts:
            found.append(DataFile(path, texts))
    return found
