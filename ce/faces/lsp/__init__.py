"""The language server: pure functions from a text and a place to what an editor shows, and one module that speaks the protocol."""
