"""The ladder of Rust: manifests of Cargo, the tree of modules, paths of `use`, what Cargo builds."""
