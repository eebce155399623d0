"""C and C++: two tables, for two grammars with mostly the same names for the same things."""

from __future__ import annotations

from ce.extract.languages.c_file import read_file
from ce.extract.spec import (
    CallKinds,
    ComplexityKinds,
    LanguageSpec,
    SiteRule,
    StringKinds,
    UnitKind,
    Visibility,
    VisibilityRule,
)

__all__ = ["CPP", "C"]

_CYCLOMATIC = ("if_statement", "for_statement", "while_statement", "do_statement", "case_statement", "conditional_expression")
_NESTING: dict[str, tuple[str, ...]] = {
    "if_statement": ("consequence", "alternative"),
    "for_statement": ("body",),
    "while_statement": ("body",),
    "do_statement": ("body",),
    "switch_statement": ("body",),
    "conditional_expression": (),
}
_LOOKS = """
    (preproc_include path: [(identifier) (call_expression)] @look.computed)
    (preproc_def name: (identifier) value: (preproc_arg)) @look.macro
    (declaration declarator: (_) @look.declarator)
"""


def _types(*nodes: tuple[str, str]) -> tuple[UnitKind, ...]:
    return tuple(
        UnitKind(
            node=node,
            kind="named",
            declares=word,
            bases=(("<base_class_clause>",),) if node.startswith(("class", "struct")) else (),
            bases_ignored=("access_specifier", "virtual", "comment"),
            bases_generic=("template_type",),
            requires=(("name",), ("body",)),
            is_type=node != "enum_specifier",
        )
        for node, word in nodes
    )


_UNITS = (
    UnitKind(
        node="function_definition",
        member="method",
        name=("declarator*",),
        params=("declarator*", "parameters"),
        requires=(("body",), ("declarator*", "parameters")),
    ),
    UnitKind(node="type_definition", kind="named", declares="typedef", name=("declarator*",)),
    UnitKind(node="preproc_def", kind="named", declares="macro"),
    UnitKind(node="preproc_function_def", kind="named", declares="macro"),
    *_types(("struct_specifier", "struct"), ("union_specifier", "union"), ("enum_specifier", "enum")),
)


def _table(
    name: str,
    *,
    units: tuple[UnitKind, ...],
    cyclomatic: tuple[str, ...],
    nesting: dict[str, tuple[str, ...]],
    words: str,
    lambdas: tuple[str, ...],
    looks: str,
) -> LanguageSpec:
    return LanguageSpec(
        name=name,
        grammar=name,
        units=(*_UNITS, *units),
        complexity=ComplexityKinds(
            cyclomatic=(*_CYCLOMATIC, *cyclomatic),
            nesting={**_NESTING, **nesting},
            flat=("else_clause",),
            nest_only=lambdas,
            operators=f"(binary_expression operator: [{words}]) @op",
            jumps="(goto_statement) @jump",
            opaque="(preproc_if condition: (_) @opaque) (preproc_elif condition: (_) @opaque)",
        ),
        sites=(SiteRule(kind="include", query="(preproc_include path: [(string_literal) (system_lib_string)] @spec) @site"),),
        calls=CallKinds(query="(call_expression function: (_) @callee)"),
        receivers=("this", "this->"),
        strings=StringKinds(
            nodes=("string_literal",),
            concatenations=("concatenated_string",),
            plain="(string_literal . (string_content) @string .)",
            quotes=(b'"',),
            bare_parents=("preproc_include",),
        ),
        visibility=VisibilityRule(mechanism=Visibility.READ),
        conditional=("preproc_if", "preproc_elif", "preproc_else"),
        reads_ahead=True,
        looks=_LOOKS + looks,
        finish=read_file,
    )


C = _table("c", units=(), cyclomatic=(), nesting={}, words='"&&" "||"', lambdas=(), looks="")
CPP = _table(
    "cpp",
    units=(
        *_types(("class_specifier", "class")),
        UnitKind(node="namespace_definition", kind="named", declares="namespace"),
        UnitKind(node="alias_declaration", kind="named", declares="alias"),
    ),
    cyclomatic=("for_range_loop", "catch_clause"),
    nesting={"for_range_loop": ("body",), "catch_clause": ("body",)},
    words='"&&" "||" "and" "or"',
    lambdas=("lambda_expression",),
    looks="(field_declaration_list (access_specifier) @look.access)",
)
