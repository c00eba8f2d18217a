"""Differences between the two compilers' runs of strangers' programs that are right as they are, each kind with its rule."""

import re

ROUTINES = re.compile(r"\bCALL\s+[\"'](SYSTEM|CBL_\w+|C\$\w+)[\"']", re.I)
"""What GnuCOBOL brings along."""

RULES = [
    (
        "CALL of a routine that GnuCOBOL brings along: there is no such program (COMPAT, CALL)",
        lambda text, native, hosted: native["end"] == "abend S806" and ROUTINES.search(text),
    ),
    (
        "a number that holds no digits is a data exception; the hosted runtime goes on with zeros (COMPAT, decimal data)",
        lambda text, native, hosted: native["end"] == "abend S0C7" and hosted["end"].startswith("return code"),
    ),
    (
        "blanks and binary zeros in a zoned item are shown as they lie; the hosted runtime shows zeros (COMPAT, decimal data)",
        lambda text, native, hosted: alike(native, hosted, lambda shown: re.sub(rb"[ \0]", b"0", shown)),
    ),
    (
        "the last digit of a signed number is shown with its sign, as it lies; the hosted runtime shows signs beside (COMPAT, DISPLAY)",
        lambda text, native, hosted: alike(native, hosted, without_signs),
    ),
    (
        "characters beyond ASCII are shown byte by byte; the hosted run replaces what is no UTF-8",
        lambda text, native, hosted: alike(native, hosted, lambda shown: re.sub(rb"[\x80-\xff]+", b"?", shown)),
    ),
]
"""What kind a difference may be of, and how it is told, from the program's text and what both runs did."""


def without_signs(shown):
    """Numbers with a minus sign behind them, and without plus signs and zeros in front."""

    def apart(sign):
        place = b"{ABCDEFGHI}JKLMNOPQR".index(sign[0])
        return b"%d%s" % (place % 10, b"-" if place > 9 else b"")

    return re.sub(rb"[+ ]|\b0+(?=\d)", b"", re.sub(rb"(?<=\d)[{}A-R]", apart, shown))


def alike(native, hosted, form):
    """Whether both ended alike and showed the same, brought to one form and without the digits of times."""
    digits = re.compile(rb"\d")
    shown = [{name: digits.sub(b"9", form(text)) for name, text in done["shown"].items()} for done in (native, hosted)]
    return native["end"] == hosted["end"] and shown[0] == shown[1]


def rule_of(text, native, hosted):
    """The rule of a difference, if it is of a kind that has one."""
    return next((rule for rule, holds in RULES if holds(text, native, hosted)), None)
