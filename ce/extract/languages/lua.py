"""Lua, 5.1 to 5.4 and LuaJIT: the table."""

from __future__ import annotations

from ce.extract.languages.lua_file import name_of, read_file
from ce.extract.spec import CallKinds, CallRule, ComplexityKinds, LanguageSpec, StringKinds, UnitKind, Visibility, VisibilityRule

__all__ = ["LUA"]

LUA = LanguageSpec(
    name="lua",
    grammar="lua",
    units=(UnitKind(node="function_declaration"), UnitKind(node="function_definition", declares="expression")),
    complexity=ComplexityKinds(
        cyclomatic=("if_statement", "elseif_statement", "for_statement", "while_statement", "repeat_statement"),
        nesting={
            "if_statement": ("consequence", "alternative"),
            "for_statement": ("body",),
            "while_statement": ("body",),
            "repeat_statement": ("body",),
        },
        flat=("elseif_statement", "else_statement"),
        operators='(binary_expression ["and" "or"]) @op',
        jumps="(goto_statement) @jump",
    ),
    calls=CallKinds(query="(function_call name: (_) @callee)", telling=("pcall", "xpcall")),
    call_rules=(
        CallRule(callees=("require",), why="require", site="require", needs_argument=True),
        CallRule(callees=("dofile", "loadfile"), why="load_file", site="load", needs_argument=True),
        CallRule(callees=("load", "loadstring"), why="eval", literal_is_harmless=True, needs_argument=True),
    ),
    receivers=("self", "self:"),
    strings=StringKinds(
        plus=("binary_expression",),
        joins=("..",),
        raw_prefixes=("[[", "[=[", "[==["),
        plain="(string content: (string_content) @string)",
        quotes=(b'"', b"'", b"["),
    ),
    visibility=VisibilityRule(mechanism=Visibility.READ),
    conditional=("if_statement",),
    endless=(rb"\[(=*(?=\[)|=+)", rb"\](=*)\]"),
    finish=read_file,
    name_of=name_of,
)
