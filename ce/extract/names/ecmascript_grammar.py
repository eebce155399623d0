"""The numbers of the kinds and fields of a grammar of TypeScript or JavaScript, and what no handler has to look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ce.extract.parsing import grammar

if TYPE_CHECKING:
    from tree_sitter import Language

__all__ = ["FUNCTION_KINDS", "LITERAL_KINDS", "Numbers", "numbers_of"]

FUNCTION_KINDS = ("arrow_function", "function_expression", "generator_function")
LITERAL_KINDS = (
    "string", "template_string", "number", "regex", "true", "false", "null", "undefined", "unary_expression", "update_expression",
)  # fmt: skip

# Leaves that name nothing.
_SILENT = frozenset({
    "number", "regex", "regex_pattern", "regex_flags", "true", "false", "null", "undefined", "this", "super", "empty_statement",
    "predefined_type", "property_identifier", "private_property_identifier", "statement_identifier", "this_type", "existential_type",
    "jsx_text", "jsx_closing_element", "html_character_reference", "hash_bang_line", "html_comment", "optional_chain", "meta_property",
    "accessibility_modifier", "override_modifier", "string_fragment", "escape_sequence", "debugger_statement", "import",
    "break_statement", "continue_statement", "import_attribute", "jsx_namespace_name", "shorthand_property_identifier_pattern",
})  # fmt: skip

_ERROR = 65_535  # the kind of what does not parse


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a grammar calls things. A kind that only the other grammar has is missing in `kind` and number 0 by `number`.

    `names` gives the name of every kind number. `is_silent` tells whether a kind is a leaf that names nothing.
    """

    kind: dict[str, tuple[int, ...]]
    field: dict[str, int]
    names: tuple[str, ...]
    is_silent: tuple[bool, ...]

    def numbers(self, *kinds: str) -> frozenset[int]:
        """Return the numbers of these kinds."""
        return frozenset(number for kind in kinds for number in self.kind.get(kind, ()))


@cache
def numbers_of(name: str) -> Numbers:
    """Return the numbers of the grammar of that name."""
    language: Language = grammar(name)
    kinds: dict[str, tuple[int, ...]] = {}
    names = []
    for number in range(language.node_kind_count):
        kind = language.node_kind_for_id(number) or ""
        is_named = language.node_kind_is_named(number)
        names.append(kind if is_named else "")
        if is_named:
            kinds[kind] = (*kinds.get(kind, ()), number)
    fields = {language.field_name_for_id(number) or "": number for number in range(1, language.field_count + 1)}
    names += [""] * (_ERROR + 1 - len(names))
    names[_ERROR] = "ERROR"
    return Numbers(kinds, fields, tuple(names), tuple(not name or name in _SILENT for name in names))
