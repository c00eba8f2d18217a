"""Writes the data of the Harbour Savings Bank, the same every time.

    python3 make.py

ascii/*.txt are lines, a record each; ebcdic/*.bin are records of one length in code page 037 without separators.
Customers and accounts come in both forms, users as text only, movements (packed and binary fields) as EBCDIC only.
The layouts are those of the copybooks ../copy/BKR*.cpy. Everybody and every address is invented.
"""

from pathlib import Path

HERE = Path(__file__).parent
EBCDIC = "cp037"
CUSTOMERS = 200

SURNAMES = (
    "Whitlock Ashdown Barrow Callis Dunmore Eastley Farrow Garside Hartnell Ibbot Jessop Kettering Lorimer Maddox "
    "Norcott Oakes Penrose Quill Radley Selwyn Thorne Underhill Verney Wainwright Yardley"
).split()
FIRST_NAMES = (
    "Ada Bernard Clara Dominic Edith Felix Grace Hugo Iris Jonas Kate Leo Mabel Noel Olive Percy Rosa Simon Tessa "
    "Victor Winifred"
).split()
STREETS = ("Anchor Lane", "Beacon Street", "Capstan Row", "Dock Road", "Estuary Close", "Ferry Hill", "Gull Terrace")
TOWNS = ("Saltmouth", "Port Ellery", "Cawsby", "Tidewell", "Merrow Bay")
USERS = (
    ("TELLER1", "Tom Bright", "HARBOUR1", "C"),
    ("TELLER2", "Ann Fielding", "HARBOUR2", "C"),
    ("MANAGER", "Maud Greyling", "LIGHTHSE", "M"),
)
TEXTS = ("Opening", "Salary", "Rent", "Groceries", "Gas and water", "Cash machine", "Interest", "Cheque")


def digest(user, password):
    """What program BKHASH makes of a user id and a password."""
    alphabet = " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    value = 7
    for turn in range(1, 21):
        for letter in f"{user:8}{password:8}":
            value = (value * 131 + (alphabet.index(letter) + 1) * turn) % 999_999_999_999_989
    return value


def zoned(value, digits):
    """A signed DISPLAY number: the last digit carries the sign as an overpunch letter."""
    text = f"{abs(value):0{digits}}"
    return text[:-1] + ("}JKLMNOPQR" if value < 0 else "{ABCDEFGHI")[int(text[-1])]


def packed(value, size):
    """A COMP-3 number of `size` bytes."""
    return bytes.fromhex(f"{abs(value):0{size * 2 - 1}}" + ("D" if value < 0 else "C"))


def users():
    for user, name, password, kind in USERS:
        yield f"{user:8}{name:30}{digest(user, password):015}{kind}".ljust(80)


def customers():
    for number in range(1, CUSTOMERS + 1):
        surname = SURNAMES[(number - 1) * 7 % len(SURNAMES)]
        first_name = FIRST_NAMES[(number - 1) % len(FIRST_NAMES)]
        birth = f"{1935 + number * 13 % 70}-{1 + number % 12:02}-{1 + number * 5 % 28:02}"
        street = f"{1 + number * 3 % 96} {STREETS[number % len(STREETS)]}"
        town = number % len(TOWNS)
        postcode = f"SM{town + 1} {number % 9 + 1}{chr(65 + number % 26)}{chr(65 + number * 3 % 26)}"
        phone = f"0555 {number * 7919 % 1_000_000:06}"
        email = f"{first_name}.{surname}{number}@harbour.example".lower()
        record = f"{number:06}{surname:20}{first_name:20}{birth}{street:30}{TOWNS[town]:20}{postcode:8}{phone:15}"
        yield f"{record}{email:40}{number * 37 % 1000:03}{'LOAD':8}".ljust(200)


def movements_of(account):
    """The amounts, in pence, that made an account's balance; the first one opens it."""
    count = 8 if account == 10_000_001 else 2 + account % 3
    amounts = [(account * 9173 % 900_000) + 5_000]
    amounts += [(account % 997 * 7_919 * turn * turn + turn * 104_729) % 60_000 - 25_000 for turn in range(1, count)]
    if account == 10_000_002:
        amounts[-1] -= sum(amounts) + 7_550
    return amounts


def accounts():
    for number in range(1, CUSTOMERS + 1):
        yield number, 10_000_000 + number, "C"
        if number % 5 == 1:
            yield number, 20_000_000 + number, "S"


def account_records():
    for customer, account, kind in sorted(accounts(), key=lambda entry: entry[1]):
        status = "B" if account == 10_000_003 else "O"
        overdraft = 50_000 if kind == "C" else 0
        opened = f"{1990 + customer % 30}-{1 + customer % 12:02}-15"
        balance = zoned(sum(movements_of(account)), 11)
        record = f"{account:08}{customer:06}{kind}{status}{balance}{zoned(overdraft, 9)}{opened}"
        yield f"{record}{100 * (1 + customer % 4):04}".ljust(100)


def movement_records():
    sequence = 0
    for customer, account, _ in sorted(accounts(), key=lambda entry: entry[1]):
        balance = 0
        for turn, amount in enumerate(movements_of(account)):
            sequence += 1
            balance += amount
            date = f"2026-{1 + turn:02}-{1 + account % 28:02}"
            yield (
                f"{account:08}{sequence:08}".encode(EBCDIC)
                + packed(amount, 6)
                + packed(balance, 6)
                + f"{0:08}{date}{TEXTS[turn]:24}".encode(EBCDIC)
                + (100 * (1 + customer % 4)).to_bytes(2, "big", signed=True)
                + " ".encode(EBCDIC) * 8
            )


def write_lines(name, records):
    (HERE / "ascii" / name).write_text("".join(f"{record}\n" for record in records), encoding="ascii")


def write_fixed(name, records, length):
    records = list(records)
    assert all(len(record) == length for record in records)
    (HERE / "ebcdic" / name).write_bytes(b"".join(records))


write_lines("users.txt", users())
write_lines("customers.txt", customers())
write_lines("accounts.txt", account_records())
write_fixed("customers.bin", (record.encode(EBCDIC) for record in customers()), 200)
write_fixed("accounts.bin", (record.encode(EBCDIC) for record in account_records()), 100)
write_fixed("movements.bin", movement_records(), 80)
