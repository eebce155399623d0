"""JavaScript, as modules, as CommonJS and as plain scripts, with elements."""

from __future__ import annotations

from ce.extract.languages.ecmascript import ecmascript
from ce.extract.spec import UnitKind

__all__ = ["JAVASCRIPT"]

JAVASCRIPT = ecmascript(
    "javascript",
    "javascript",
    types=tuple(
        UnitKind(
            node=node,
            kind="named",
            declares="expression" if node == "class" else "class",
            name_around=(("variable_declarator", "name"),),
            bases=(("<class_heritage>",),),
            bases_ignored=("comment",),
            is_type=True,
        )
        for node in ("class_declaration", "class")
    ),
    has_elements=True,
)
