"""Tables of names outside of any tree, generated; each says from what and how."""
