"""The names of a tree: what each file declares, what it refers to, and how far scoping proves it."""
