"""What a checkout's jobs say about its batch programs: the DD statements and the PARM of the first step that runs each."""

from dataclasses import dataclass, field
import re

STEP = re.compile(r"^//\S*\s+EXEC\s+(?:PGM=)([A-Z0-9$#@]+)(.*)", re.I)
OTHER_STEP = re.compile(r"^//\S*\s+EXEC\s", re.I)
DD = re.compile(r"^//([A-Z0-9$#@]+)\s+DD\s+(.*)", re.I)
GOES_ON = re.compile(r"^//\s+(\S.*)")
PARM = re.compile(r"\bPARM=(?:'([^']*)'|\(?'?([^,')\s]*))", re.I)
DATA_SET = re.compile(r"\bDSN(?:AME)?=([A-Z0-9$#@.&()+-]+)", re.I)
IN_STREAM = re.compile(r"^(\*|DATA\b)", re.I)


@dataclass
class Step:
    """A step that runs a program."""

    parm: str | None
    lines: dict = field(default_factory=dict)
    """In-stream data, by ddname."""
    names: dict = field(default_factory=dict)
    """Names of data sets, by ddname."""


def steps(text):
    """Programs and the steps that run them, in the order of a job."""
    found, step, stream, last = [], None, None, None
    for line in text.splitlines():
        line = line[:72].rstrip() if line.startswith("//") else line.rstrip("\r")
        if stream is not None and not line.startswith(("//", "/*")):
            stream.append(line)
            continue
        stream = None
        if named := STEP.match(line):
            parm = PARM.search(named[2])
            step = Step(parm and (parm[1] or parm[2]))
            found.append((named[1].upper(), step))
        elif OTHER_STEP.match(line):
            step = None
        elif step and (dd := DD.match(line)):
            last = dd[1].upper()
            if IN_STREAM.match(dd[2]):
                stream = step.lines.setdefault(last, [])
            else:
                named_in(step, last, dd[2])
        elif step and last and (more := GOES_ON.match(line)):
            named_in(step, last, more[1])
    return found


def named_in(step, ddname, text):
    """Notes the name of a data set that stands in a statement; the first of a concatenation counts."""
    if named := DATA_SET.search(text):
        step.names.setdefault(ddname, named[1].upper())
