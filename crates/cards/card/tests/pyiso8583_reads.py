"""Reads a frame, given as hexadecimal digits, with pyiso8583 and prints its parts; writes it again and compares."""

import copy
import sys

import iso8583
from iso8583.specs import default

spec = copy.deepcopy(default)
# Our length of two bytes is a header to the library.
spec["h"]["max_len"] = 2
spec["h"]["data_enc"] = "b"

frame = bytes.fromhex(sys.argv[1])
decoded, encoded = iso8583.decode(frame, spec)
for part in sorted(decoded, key=lambda part: (part.isdigit(), part.zfill(3))):
    print(f"{part}: {decoded[part]}")

again, _ = iso8583.encode(decoded, spec)
sys.exit(0 if again == frame else "written again it differs")
