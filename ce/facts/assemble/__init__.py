"""Extractions and a resolution become the tables of the schema: encoded, sorted, each kept on its own."""

from ce.facts.assemble.database import Assembly, ResultStore
from ce.facts.assemble.providers import PROVIDERS, Provided, Provider, ProviderContext, register
from ce.facts.assemble.table import Coded, ColumnRows, Row
from ce.facts.assemble.tree import TreeFacts

__all__ = [
    "PROVIDERS",
    "Assembly",
    "Coded",
    "ColumnRows",
    "Provided",
    "Provider",
    "ProviderContext",
    "ResultStore",
    "Row",
    "TreeFacts",
    "register",
]
