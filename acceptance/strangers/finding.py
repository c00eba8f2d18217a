"""Finds what a checkout of somebody's CICS application holds, by content: names of files follow every custom there is.

A source is classified by what it says (a PROGRAM-ID, a DFHMSD, a DEFINE TRANSACTION), never by its ending. Nothing is
copied: the application that is made of it has symbolic links.
"""

from dataclasses import dataclass, field
import re

TEXT_BYTES_MAX = 4 << 20
"""Larger files are data."""

SKIPPED_FOLDERS = {".git", "node_modules"}
DOCUMENTS = {".md", ".html", ".htm", ".rst", ".adoc"}
"""They quote sources."""
NAME_LENGTH = 8
"""What z/OS keeps of a PROGRAM-ID."""

PROGRAM = re.compile(r"^.{0,11}PROGRAM-ID\s*\.?\s*['\"]?([A-Z0-9$#@][A-Z0-9$#@-]*)", re.I | re.M)
EXEC_CICS = re.compile(r"\bEXEC\s+CICS\b", re.I)
EXEC_DLI = re.compile(r"\bEXEC\s+DLI\b", re.I)
MAPSET = re.compile(r"^([A-Z$#@][A-Z0-9$#@]{0,6})\s+DFHMSD\s", re.I | re.M)
DEFINITION = re.compile(r"\s*(\*[^\n]*\n\s*)*(DEFINE|DELETE|ADD|LIST)\s+(TRANSACTION|PROGRAM|FILE|MAPSET|GROUP)\s*\(", re.I)
"""A text of definitions begins with one, behind comments: documents have them further down."""
TRANSACTION = re.compile(r"DEFINE\s+TRANSACTION\s*\(\s*(\S+?)\s*\)[^;]*?PROGRAM\s*\(\s*(\S+?)\s*\)", re.I | re.S)
JOB = re.compile(r"^//\S*\s+(JOB|EXEC)\b", re.I | re.M)
COPYBOOK_ENDINGS = {".cpy", ".copy", ".cbl", ".cob", ".cobol", ".inc", ".dcl", ".txt", ""}
NEXT = re.compile(r"\bRETURN\s+TRANSID\s*\(\s*(?:'([^']{1,4})'|([A-Z0-9-]+))\s*\)", re.I)
SHOWS = re.compile(r"\bEXEC\s+CICS\s+(SEND|RECEIVE|CONVERSE)\b", re.I)


@dataclass
class Program:
    """A COBOL program with EXEC CICS."""

    name: str
    path: object
    shows: bool
    """It sends to a terminal or receives from one."""
    other: bool
    """It has EXEC DLI, too."""
    transaction: str | None
    """The transaction that it names for its terminal's next input: mostly its own."""


@dataclass
class Found:
    """What a checkout holds."""

    programs: dict = field(default_factory=dict)
    called: dict = field(default_factory=dict)
    """Programs without EXEC CICS, by name: others may CALL them."""
    copybooks: dict = field(default_factory=dict)
    maps: dict = field(default_factory=dict)
    definitions: dict = field(default_factory=dict)
    """By path: program by transaction, as the text defines them."""


def find(checkout):
    """Reads a checkout; of two members with one name the first in the order of paths counts."""
    found = Found()
    for path, text in texts(checkout):
        classify(found, path, text)
    return found


def texts(checkout):
    """The texts of a checkout in the order of their paths, with them."""
    for path in sorted(checkout.rglob("*")):
        skipped = path.suffix.lower() in DOCUMENTS or SKIPPED_FOLDERS & set(path.parts)
        if path.is_file() and not skipped and path.stat().st_size <= TEXT_BYTES_MAX:
            text = path.read_bytes()
            if b"\0" not in text:
                yield path, text.decode("latin-1")


def classify(found, path, text):
    """Adds a file to what was found."""
    if JOB.search(text):
        return
    named = PROGRAM.search(text)
    mapset = MAPSET.search(text)
    if named:
        name = named[1].upper()[:NAME_LENGTH]
        if EXEC_CICS.search(text):
            shows, other = bool(SHOWS.search(text)), bool(EXEC_DLI.search(text))
            found.programs.setdefault(name, Program(name, path, shows, other, next_transaction(text)))
        else:
            found.called.setdefault(name, path)
    elif mapset:
        found.maps.setdefault(mapset[1].upper(), path)
    elif DEFINITION.match(text):
        found.definitions[path] = {t.upper(): p.upper() for t, p in TRANSACTION.findall(text)}
    elif path.suffix.lower() in COPYBOOK_ENDINGS:
        found.copybooks.setdefault(path.stem.upper(), path)


def next_transaction(text):
    """The first TRANSID of a RETURN: a literal, or a data item with a VALUE."""
    named = NEXT.search(text)
    if not named or named[1]:
        return named and named[1].strip().upper()
    value = re.search(rf"\b{re.escape(named[2])}\s+PIC\S*\s+\S+\s+VALUE\s+(?:IS\s+)?'([^']{{1,4}})'", text, re.I)
    return value and value[1].strip().upper()


def write_links(found, folder):
    """Writes the folders of an application of links: members by their names, whatever the files are called."""
    members = {
        "programs": {n: p.path for n, p in found.programs.items()} | found.called,
        "copybooks": found.copybooks,
        "maps": found.maps,
    }
    endings = {"programs": ".cbl", "copybooks": ".cpy", "maps": ".bms"}
    for kind, paths in members.items():
        (folder / kind).mkdir()
        for name, path in paths.items():
            (folder / kind / f"{name}{endings[kind]}").symlink_to(path)
