"""Resolution of Python: tables of modules, roots, imports, conventions."""
