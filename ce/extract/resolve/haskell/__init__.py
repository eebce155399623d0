"""The ladder of Haskell: package descriptions, imports of modules, what Cabal builds."""
