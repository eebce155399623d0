"""Tables of names, generated; each says from what and how."""
