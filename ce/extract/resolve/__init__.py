"""From the sites of files to the reference graph of a tree: ladders, roles, entry points.

`resolve(inputs, extractions)` is the only way in. To add a language:

1. Write a module (or a package) with a `LADDER`: the languages it serves, `prepare(context)`, which builds the state of the ladder
   once for a tree, `resolve_site(site, file, state)`, which returns at least one `Answer` for every site, and
   `conventions(state)`, which returns roles, entry points and edges that no site opens, taken from manifests and conventions. When the
   language has packages that hold less than all that lies below a directory, `members(state)` says which files they hold.
   Make answers with the functions of `answer.py`; say what each rung means in the module's docstring.
2. Keep to the rule of all ladders: the rungs in order, the first with exactly one candidate answers; several candidates are
   `unresolved("ambiguous_…", candidates=…)`, never a pick. An unresolved answer lists in `could` exactly the files that it could mean.
3. Ask `context` about paths; it never searches a directory for one site. Read manifests with `ce.facts.manifests`; add the file
   names to `ce.facts.loaders.manifests`. A table of names of a toolchain is a module in `data/`, generated.
4. Add one line to `registry.LADDERS`, the language's conventional names and places to the tables in `roles.py`, and one
   directory for each rung, refusal and role to `fixtures/extract/resolve/`.
"""

from ce.extract.resolve.tree import resolve

__all__ = ["resolve"]
