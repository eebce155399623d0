"""The ladder of Go: modules and their files, imports of packages, what the toolchain starts."""
