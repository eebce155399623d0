"""Rust: the table. What attributes, groups of `use` and macros add to it is in `rust_items.py`."""

from __future__ import annotations

from ce.extract.languages.rust_items import read_items
from ce.extract.spec import (
    CallKinds,
    ComplexityKinds,
    LanguageSpec,
    Naming,
    SiteRule,
    StringKinds,
    UnitKind,
    Visibility,
    VisibilityRule,
)

__all__ = ["RUST"]

_ITEMS = {
    "struct_item": "struct",
    "enum_item": "enum",
    "union_item": "union",
    "const_item": "const",
    "static_item": "static",
    "type_item": "type",
    "macro_definition": "macro",
}

RUST = LanguageSpec(
    name="rust",
    grammar="rust",
    comments=("line_comment", "block_comment"),
    units=(
        UnitKind(node="function_item", member="method", params_ignored=("attribute_item",), params_ignored_marks="/#"),
        UnitKind(node="closure_expression", declares="expression", name=("<nothing>",)),
        UnitKind(
            node="impl_item", kind="impl", declares="impl", name=("<nothing>",), parts={"type": ("type",)}, key="impl {type}", is_type=True
        ),
        UnitKind(node="trait_item", kind="named", declares="trait", bases=(("bounds",),), bases_ignored=("lifetime",), is_type=True),
        UnitKind(node="mod_item", kind="named", declares="module", requires=(("body",),)),
        *(UnitKind(node=node, kind="named", declares=declares, top_level=True) for node, declares in _ITEMS.items()),
    ),
    complexity=ComplexityKinds(
        cyclomatic=("if_expression", "match_arm", "for_expression", "while_expression", "loop_expression", "try_expression"),
        nesting={
            "if_expression": ("consequence", "alternative"),
            "for_expression": ("body",),
            "while_expression": ("body",),
            "loop_expression": ("body",),
            "match_expression": ("body",),
        },
        ifs=("if_expression",),
        flat=("else_clause",),
        operators='(binary_expression operator: ["&&" "||"]) @op',
        jumps="(break_expression (label)) @jump (continue_expression (label)) @jump",
        chains=("let_chain",),
    ),
    naming=Naming.SNAKE,
    sites=(
        SiteRule(kind="use", query="(use_declaration argument: (_) @spec) @site"),
        SiteRule(kind="use", query="(extern_crate_declaration name: (_) @spec) @site", prefix="::"),
        SiteRule(kind="mod_decl", query="(mod_item name: (identifier) @spec !body) @site"),
    ),
    calls=CallKinds(
        query="""
            (call_expression function: (_) @callee)
            (call_expression function: (generic_function function: (_) @callee))
        """
    ),
    receivers=("self", "Self::"),
    strings=StringKinds(
        nodes=("string_literal", "raw_string_literal"),
        interpolation=(),
        plain="(string_literal . (string_content) @string .)",
        quotes=(b'"',),
        bare_parents=("attribute",),
    ),
    visibility=VisibilityRule(mechanism=Visibility.MODIFIER),
    finish=read_items,
)
