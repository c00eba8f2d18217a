"""Differences between the two compilers' runs of strangers' programs that are right as they are, each kind with its rule.

A rule looks at what the difference is made of: the bytes of an item, the value of a number. A form alone is no reason.
"""

import re
import struct

ROUTINE = r"(SYSTEM|CBL_\w+|C\$\w+)"
"""What GnuCOBOL brings along."""
CALLED = re.compile(rf"ended with abend S806: CALL of {ROUTINE}: no such program", re.I)
NO_NUMBER = re.compile(r"^\S+: ([\w-]+)(?:\([\d,]+\))? holds X'([0-9A-F]+)…?', which is not a number$", re.M)
DEPENDING = re.compile(r"\bDEPENDING\s+(?:ON\s+)?([\w-]+)", re.I)
EXCEPTION = re.compile(r"ended with abend S0C7: data exception at line (\d+) of")
UNHANDLED = re.compile(r"ended with abend U4038: file status 35 of (\S+), which the program does not handle, at line (\d+)")
SHOWN_HEX = re.compile(rb"[ -]?\.(?:\d{8}|\d{17})E[ -]\d\d")
SHOWN_IEEE = rb"\s*-?\d*\.?\d+(?:E[+-]?\d+)?"
STATEMENT_LINES = 8
"""A statement that has no end before goes no further for the rule's purpose."""
SIGNED = b"{ABCDEFGHI}JKLMNOPQR"
"""The last digit of a positive number, then of a negative one."""


def of_routine(_text, native, _hosted):
    return native["end"] == "abend S806" and CALLED.search(native["told"])


def of_data(text, native, hosted):
    """An item of the statement holds no number, and everything before was the same."""
    if native["end"] != "abend S0C7" or not hosted["end"].startswith("return code"):
        return False
    raised = EXCEPTION.search(native["told"])
    statement = statement_at(text, int(raised[1])) if raised else set()
    # A group's length is that of its tables now.
    statement |= {name.upper() for name in DEPENDING.findall(text)}
    items = [(name, bytes.fromhex(digits)) for name, digits in NO_NUMBER.findall(native["told"])]
    return goes_on(native, hosted) and any(name in statement and not is_number(data, usage(text, name)) for name, data in items)


def of_missing_file(text, native, hosted):
    """OPEN, MERGE or SORT of a file that is not there ends a program that has no FILE STATUS; the hosted runtime goes on."""
    raised = UNHANDLED.search(native["told"])
    statement = statement_at(text, int(raised[2])) if raised else set()
    return statement & {"MERGE", "SORT", "OPEN"} and raised[1].upper() in statement and goes_on(native, hosted)


def of_hosted_sort(_text, native, hosted):
    """The hosted run is refused its files; natively everything before is the same."""
    return "USING and GIVING of SORT and MERGE do not reach" in hosted["told"] and goes_on(hosted, native)


def of_first_operand(text, native, hosted):
    """MULTIPLY A BY A B: what is multiplied is what A holds before; the hosted program takes the first product for the second."""
    twice = re.compile(r"\b(?:MULTIPLY|DIVIDE)\s+([A-Z0-9-]+)\s+(?:BY|INTO)\s+\1\s+(?!GIVING|ROUNDED|ON\b|END-)[A-Z]", re.I)
    return twice.search(text) and alike(native, hosted, lambda shown: re.sub(rb"\d+", b"9", shown))


WHOLE = [
    ("CALL of a routine that GnuCOBOL brings along: there is no such program (COMPAT, CALL)", of_routine),
    ("a number that holds no digits is a data exception; the hosted runtime goes on with zeros (COMPAT, decimal data)", of_data),
    ("a file that OPEN, MERGE or SORT does not find ends a program without FILE STATUS; the hosted runtime goes on", of_missing_file),
    ("USING and GIVING of SORT and MERGE do not reach the files where a program is hosted (COMPAT)", of_hosted_sort),
    ("an operand that is a result, too, counts as it was before the statement (MULTIPLY, DIVIDE as published)", of_first_operand),
]
"""Rules that explain all of a difference, from the program's text and what both runs did."""


def zeros(shown):
    return re.sub(rb"[ \0]", b"0", shown)


def without_signs(shown):
    """Numbers with a minus sign in front of them, and without plus signs, blanks and zeros in front.

    >>> without_signs(b"07A 00050} 3") == without_signs(b"071+ 00500- +3")
    True
    >>> without_signs(b"07A") == without_signs(b"072+")
    False
    """

    def apart(sign):
        place = SIGNED.index(sign[2])
        return b"%s%s%d" % (b"-" if place > 9 else b"", sign[1], place % 10)

    shown = re.sub(rb"-(?=[$ ]*0[0.,]*(?![\d.,]))", b"", shown)
    shown = re.sub(rb"(\d+)([{}A-R])(?![A-Z])", apart, shown)
    shown = re.sub(rb"(\d+)([+-])(?!\d)", rb"\2\1", shown)
    return re.sub(rb"(?<![\d.,])0+(?=\d)| +(?=-?\d)", b"", re.sub(rb"\+(?![A-Z])", b"", shown))


def without_lone_blanks(shown):
    return re.sub(rb"(?m)^ $", b"", shown)


FORMS = [
    ("blanks and binary zeros in a zoned item are shown as they lie; the hosted runtime shows zeros (COMPAT, decimal data)", zeros),
    ("the sign of a number is shown as published; the hosted runtime shows plus signs, signs beside, signs of zero, and fewer digits (COMPAT, DISPLAY)", without_signs),
    ("an empty literal has no characters; the hosted compiler makes a blank of it", without_lone_blanks),
]
"""Rules of the form of what is shown: brought to one form, lines say the same."""
FLOATING = "floating point is shown as published, and reckoned with in hexadecimal form (COMPAT, COMP-1 and COMP-2)"


def statement_at(text, line):
    """The words of the statement that begins at a line."""
    words = set()
    for row in text.splitlines()[line - 1 : line - 1 + STATEMENT_LINES]:
        words |= {word.upper() for word in re.findall(r"[\w-]+", row)}
        if row[:72].rstrip().endswith("."):
            break
    return words


def usage(text, name):
    """How a program holds an item's number: packed or zoned; nothing if the item stands in a copybook."""
    described = re.search(rf"^\s*\d\d?\s+{re.escape(name)}\s([^.]*)", text, re.I | re.M)
    return described and ("packed" if re.search(r"\b(COMP\w*-3|PACKED-DECIMAL)\b", described[1], re.I) else "zoned")


def is_number(data, usage):
    """Whether bytes are a packed or a zoned number.

    >>> [is_number(bytes.fromhex(digits), "packed") for digits in ("012C", "0120", "31324142")]
    [True, False, False]
    >>> [is_number(data, "zoned") for data in (b"012", b"01B", b"   ", b"1A2")]
    [True, True, False, False]
    """
    halves = [half for byte in data for half in (byte >> 4, byte & 15)]
    packed = all(half < 10 for half in halves[:-1]) and halves[-1] > 9
    zoned = all(48 <= byte <= 57 for byte in data[:-1]) and (48 <= data[-1] <= 57 or data[-1] in SIGNED)
    return {"packed": packed, "zoned": zoned}.get(usage, packed or zoned)


def goes_on(ended, other):
    """Whether what one run has displayed before it ended begins what the other one has, brought to one form."""
    one, other = (form_of(done["shown"]["display"], [form for _, form in FORMS]) for done in (ended, other))
    return other.startswith(one)


def form_of(text, forms):
    for form in forms:
        text = form(text)
    return text


def alike(native, hosted, *forms):
    """Whether both ended alike and showed the same, brought to one form."""
    shown = [{name: form_of(text, forms) for name, text in done["shown"].items()} for done in (native, hosted)]
    return native["end"] == hosted["end"] and shown[0] == shown[1]


def floats_alike(native, hosted, forms):
    """Whether what differs are numbers of floating point, of the same value to the digits that the hosted runtime shows."""
    if native["end"] != hosted["end"] or native["shown"].keys() != hosted["shown"].keys():
        return False
    return all(floating_alike(text, hosted["shown"][name], forms) for name, text in native["shown"].items())


def floating_alike(one, other, forms):
    lines, others = one.split(b"\n"), other.split(b"\n")
    return len(lines) == len(others) and all(line_alike(*pair, forms) for pair in zip(lines, others))


def line_alike(one, other, forms):
    if form_of(one, forms) == form_of(other, forms):
        return True
    parts, numbers = SHOWN_HEX.split(one), [match[0] for match in SHOWN_HEX.finditer(one)]
    pattern = (b"(" + SHOWN_IEEE + b")").join(re.escape(part) for part in parts)
    found = re.fullmatch(pattern, other)
    return bool(numbers and found) and all(map(same_value, numbers, found.groups()))


def same_value(native, hosted):
    """A number of floating point, hexadecimal and as the processor has it; or the same eight bytes, seen in either way.

    >>> same_value(b" .20895294E 02", b"20.8953"), same_value(b".20895294E 02", b"20.7")
    (True, False)
    """
    value, other = float(native.strip().replace(b"E ", b"E+")), float(hosted)
    seen = hexadecimal(struct.pack("<d", other))
    near = lambda a, b: abs(a - b) <= 1e-5 * max(abs(a), abs(b))
    return near(value, other) or near(value, seen)


def hexadecimal(data):
    """What eight bytes mean as a hexadecimal number of floating point.

    >>> hexadecimal(bytes.fromhex("4118000000000000"))
    1.5
    """
    sign = -1 if data[0] & 128 else 1
    return sign * int.from_bytes(data[1:], "big") / 2**56 * 16.0 ** ((data[0] & 127) - 64)


def without_digits(done):
    return {**done, "shown": {n: re.sub(rb"\d", b"9", b) for n, b in done["shown"].items()}}


def rule_of(text, native, hosted, changes):
    """The rule of a difference, or the rules, if it is of a kind that has one. Where something `changes` from run to run, digits do
    not count."""
    for rule, holds in WHOLE:
        if holds(text, native, hosted):
            return rule
    pairs = [(native, hosted)]
    if changes:
        pairs.append((without_digits(native), without_digits(hosted)))
    for one, other in pairs:
        for rule, form in FORMS:
            if alike(one, other, form):
                return rule
        forms = [form for _, form in FORMS]
        if alike(one, other, *forms):
            return "a mixture of forms that are shown: of blanks and zeros, of signs, of empty literals"
        if floats_alike(one, other, forms):
            return FLOATING
    return None
