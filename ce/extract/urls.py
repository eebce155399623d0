"""Addresses as they may be stored: without the name and password of a user and without the content of a query."""

from __future__ import annotations

import re

__all__ = ["public_url"]

_URL = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*:)?(//)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$", re.DOTALL)


def public_url(spec: str) -> str:
    """Return an address without user information and query content; a bare `?` and the fragment stay.

    Text that is no address with a host is returned as it is.
    """
    match = _URL.match(spec)
    if match is None:
        return spec
    scheme, slashes, host, path, query, fragment = match.groups(default="")
    return f"{scheme}{slashes}{host.rpartition('@')[2]}{path}{'?' if query else ''}{fragment}"
