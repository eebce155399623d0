"""Haskell: the table. What the header, the pragmas and Template Haskell add to it is in `haskell_module.py`."""

from __future__ import annotations

from ce.extract.languages.haskell_module import read_module
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

__all__ = ["HASKELL"]

_TYPES = {
    "data_type": "data",
    "newtype": "newtype",
    "type_synomym": "type",  # as the grammar spells it
    "type_family": "family",
    "data_family": "family",
}

HASKELL = LanguageSpec(
    name="haskell",
    grammar="haskell",
    comments=("comment", "haddock"),
    units=(
        UnitKind(node="function", member="method", params=("patterns",), requires=(("name",),)),
        UnitKind(node="bind", member="method", params=("<nothing>",), requires=(("name",),)),
        UnitKind(node="class", kind="named", declares="class", is_type=True),
        UnitKind(
            node="instance", kind="impl", declares="instance", name=("<nothing>",), parts={"class": ("name",), "types": ("patterns",)},
            key="instance {class} {types}", is_type=True,
        ),
        *(UnitKind(node=node, kind="named", declares=declares) for node, declares in _TYPES.items()),
    ),
    complexity=ComplexityKinds(
        cyclomatic=("conditional", "alternative", "boolean", "pattern_guard", "generator"),
        nesting={"conditional": ("then", "else"), "case": ("alternatives",), "multi_way_if": ()},
        ifs=("conditional",),
        flat=("guards",),
        nest_only=("lambda", "lambda_case"),
    ),
    naming=Naming.MIXED_CAPS,
    sites=(
        SiteRule(
            kind="import",
            query="""
                (import module: (module) @spec) @site
                (import names: (import_list name: (import_name) @name)) @site
            """,
        ),
    ),
    equations=True,
    calls=CallKinds(query="(apply function: [(variable) (qualified)] @callee)"),
    strings=StringKinds(nodes=("string",), content=(), interpolation=(), bare_parents=("import_package",)),
    visibility=VisibilityRule(mechanism=Visibility.EXPORT_LIST, private_prefix="\0", top_level_only=True),
    finish=read_module,
)  # fmt: skip
