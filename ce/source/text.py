"""The bytes of a file, read without leaving the root, and the text they hold.

Whatever the encoding and the line ends are, the text comes out as UTF-8 with LF at the end of each line, so that line
numbers are those of an editor: LF, CRLF and a lone CR each end a line.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ce.source.tree import SkippedFile

__all__ = ["PARSE_LIMIT", "READ_LIMIT", "SourceText", "decode", "read_file"]

READ_LIMIT = 32 << 20  # a larger file is not opened; the setting `limits.max_file_bytes` has this default
PARSE_LIMIT = 4 << 20  # a larger file is counted and not parsed

_BINARY_WINDOW = 8000  # as git decides


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a file: UTF-8 with LF line ends and without a byte order mark; empty when the file is binary.

    `encoding` is the name that Python gives it, or `binary`. `problems` are lower-case remarks without the path.
    """

    text_bytes: bytes
    encoding: str
    problems: tuple[str, ...] = ()
    byte_order_mark: bool = False
    line_end: str = "\n"  # that of most lines of the file

    @property
    def is_binary(self) -> bool:
        """Whether the file is no text."""
        return self.encoding == "binary"

    @property
    def lines(self) -> int:
        """The number of lines; a last line without a line end counts."""
        return self.text_bytes.count(b"\n") + (bool(self.text_bytes) and not self.text_bytes.endswith(b"\n"))


def decode(data: bytes) -> SourceText:
    """Return the text that the bytes hold. Never fails: what is not UTF-8 and declares nothing is read as Latin-1 and said so."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding, byte_order_mark=True)
    if b"\0" in data[:_BINARY_WINDOW]:
        return SourceText(b"", "binary", ("binary: it holds a NUL byte",))
    if data.isascii():
        return _decoded(data, "ascii")
    encoding, problem = _declared_encoding(data)
    if encoding:
        return _decoded(data, encoding)
    return _undeclared(data, (problem,) if problem else ())


def read_file(root: str | Path, path: str, *, limit: int = READ_LIMIT) -> bytes | SkippedFile:
    """Return the content of a regular file below the root, or why it cannot be had.

    No link is followed in the last segment, and none before it that leads out of the root.
    """
    if path.startswith("/") or "\0" in path or ".." in path.split("/"):
        return SkippedFile(path, "unreadable", "it is no path below the root")
    top = os.fspath(root)
    try:
        descriptor = os.open(f"{top}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return SkippedFile(path, *_refusal_of(error))
    try:
        return _read(descriptor, top, path, limit)
    except OSError as error:
        return SkippedFile(path, *_refusal_of(error))
    finally:
        os.close(descriptor)


def _read(descriptor: int, top: str, path: str, limit: int) -> bytes | SkippedFile:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        return SkippedFile(path, "not_regular", "it is no regular file")
    if not _is_below(_place_of(descriptor, top, path), _real_root(top)):
        return SkippedFile(path, "symlink", "a link on its path leads out of the root")
    if found.st_size > limit:
        return SkippedFile(path, "too_large", f"{found.st_size} bytes, the limit is {limit}")
    parts = []
    left = limit + 1
    while left > 0:
        part = os.read(descriptor, min(left, max(found.st_size + 1, 1 << 16)))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    if left <= 0:
        return SkippedFile(path, "too_large", f"more than {limit} bytes")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _place_of(descriptor: int, top: str, path: str) -> str:
    """Return the real path of the open file; the kernel knows it where /proc is mounted, elsewhere its directory is looked up."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return os.path.join(os.path.realpath(os.path.dirname(f"{top}/{path}")), os.path.basename(path))


def _is_below(place: str, root: str) -> bool:
    return place.startswith(root if root.endswith("/") else root + "/")


@lru_cache(maxsize=8)
def _real_root(top: str) -> str:
    return os.path.realpath(top)


def _refusal_of(error: OSError) -> tuple[str, str]:
    if error.errno == errno.ELOOP:
        return "symlink", "it is a symbolic link"
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return "vanished", "it is gone"
    if error.errno in (errno.ENXIO, errno.ENODEV):
        return "not_regular", "it is no regular file"
    return "unreadable", (error.strerror or str(error)).lower()


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?")
_LINE_END = re.compile(rb"\r\n|\r|\n")

# Encodings of text; a codec that compresses, escapes or runs for long is none.
_TEXT_ENCODINGS = re.compile(
    r"utf_8(?:_sig)?|ascii|iso8859_\d+|cp\d+|koi8_[rtu]|kz1048|mac_\w+|gb2312|gbk|gb18030|big5\w*|euc_\w+|shift_jis\w*|johab|ptcp154|tis_620|hp_roman8"
)


def _declared_encoding(data: bytes) -> tuple[str, str]:
    """Return the encoding that a comment in the first two lines declares (PEP 263), else empty and what is wrong with it.

    Declaring UTF-8 is the same as declaring nothing.
    """
    for line in _LINE_END.split(data[:4096], maxsplit=2)[:2]:
        found = _COOKIE.match(line)
        if found is not None:
            return _known_encoding(found[1].decode("latin-1"))
        if _BLANK.fullmatch(line) is None:
            break
    return "", ""


def _known_encoding(name: str) -> tuple[str, str]:
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return "", f"the declared encoding `{name}` is unknown"
    if found in ("utf-8", "utf-8-sig"):
        return "", ""
    if _TEXT_ENCODINGS.fullmatch(found.replace("-", "_")) is None or b"# coding".decode(found, "replace") != "# coding":
        return "", f"the declared encoding `{name}` is not read"
    return "latin-1" if found == "iso8859-1" else found, ""


def _undeclared(data: bytes, problems: tuple[str, ...]) -> SourceText:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line_at(data, error.start)
        return _decoded(data, "latin-1", problems=(*problems, f"line {line} is not UTF-8: read as Latin-1"))
    return _decoded(data, "utf-8", problems=problems)


def _line_at(data: bytes, offset: int) -> int:
    return len(_LINE_END.findall(data, 0, offset)) + 1


def _decoded(data: bytes, encoding: str, *, byte_order_mark: bool = False, problems: tuple[str, ...] = ()) -> SourceText:
    text = data
    if encoding != "ascii":
        try:
            decoded = data.decode(encoding)
        except UnicodeError:
            problems = (*problems, f"it is not valid {encoding}: unreadable bytes are replaced")
            decoded = data.decode(encoding, "replace")
        text = decoded.encode("utf-8", "replace") if problems or encoding != "utf-8" else data
    line_end = "\n"
    if b"\r" in text:
        crlf, cr = text.count(b"\r\n"), text.count(b"\r")
        lf = text.count(b"\n") - crlf
        line_end = max((lf, "\n"), (crlf, "\r\n"), (cr - crlf, "\r"), key=lambda pair: pair[0])[1]
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return SourceText(text, encoding, problems, byte_order_mark, line_end)
