"""What a person does with GenApp. Its programs keep customers and policies in tables and, in the same unit of work, in two KSDS."""

import re

# Where the fields of the maps begin.
OPTION = (22, 25)
CUSTOMER, FIRST_NAME, LAST_NAME, BIRTH, HOUSE, POSTCODE = ((4, 51), (5, 51), (6, 51), (7, 51), (9, 51), (10, 51))
POLICY, POLICY_CUSTOMER, ISSUED, EXPIRES = (4, 51), (5, 51), (6, 51), (7, 51)
MAKE, MODEL, VALUE, REGISTRATION, COLOUR, CC, MADE, ACCIDENTS, PREMIUM = ((row, 51) for row in range(8, 17))
NUMBER = re.compile(r"\b\d{10}\b")


def choose(terminal, option):
    terminal.fill(*OPTION, option)
    terminal.enter()


def fill(terminal, values):
    for place, text in values.items():
        terminal.fill(*place, text)


def begin(terminal, transaction, heading):
    """A fresh menu: PF3 leaves the one that is shown."""
    if terminal.has("General Insurance"):
        terminal.pf(3)
        terminal.sees("Transaction ended")
    terminal.start(transaction)
    terminal.sees(heading)


def number_in(terminal, row):
    """The ten digits that a program has put there."""
    found = NUMBER.search(terminal.row(row))
    assert found, terminal.row(row)
    return found[0]


def customers(walk):
    """SSC1: customers"""
    terminal = walk.terminal()
    with walk.step("a menu"):
        terminal.start("SSC1")
        terminal.sees("General Insurance Customer Menu")
    with walk.step("a customer by its number: SELECT INTO"):
        terminal.fill(*CUSTOMER, "0000000002")
        choose(terminal, "1")
        terminal.sees("Tracey", "Scott", "1965-09-30", "TB14TV")
    with walk.step("one that is not there: SQLCODE 100"):
        terminal.fill(*CUSTOMER, "0000099999")
        choose(terminal, "1")
        terminal.sees("No data was returned.")
    with walk.step("a new one: INSERT into two tables, WRITE to a KSDS"):
        begin(terminal, "SSC1", "General Insurance Customer Menu")
        new = {FIRST_NAME: "Jane", LAST_NAME: "Pemberley", BIRTH: "1975-12-16", HOUSE: "7", POSTCODE: "sm1 1aa"}
        fill(terminal, new)
        choose(terminal, "2")
        terminal.sees("New Customer Inserted")
        customer = number_in(terminal, 4)
    with walk.step("a date that is none: an SQLCODE, and SYNCPOINT ROLLBACK"):
        terminal.fill(*BIRTH, "1975-02-30")
        choose(terminal, "2")
        terminal.sees("Error Adding Customer")
    with walk.step("read again, changed in the same task, read again"):
        begin(terminal, "SSC1", "General Insurance Customer Menu")
        terminal.fill(*CUSTOMER, customer)
        choose(terminal, "4")
        terminal.sees("Pemberley", "SM1 1AA")
        terminal.fill(*LAST_NAME, "Harbour")
        terminal.enter()
        terminal.sees("Customer details updated")
        terminal.fill(*CUSTOMER, customer)
        choose(terminal, "1")
        terminal.sees("Harbour", "Jane")


def motor_policies(walk):
    """SSP1: motor policies"""
    terminal = walk.terminal()
    policy = {
        POLICY_CUSTOMER: "0000000002", ISSUED: "2026-01-31", EXPIRES: "2027-01-30", MAKE: "AUSTIN", MODEL: "SEVEN",
        VALUE: "001200", REGISTRATION: "HB1 7", COLOUR: "GREEN", CC: "000747", MADE: "1930-06-01", ACCIDENTS: "000001",
        PREMIUM: "000300",
    }

    def asks(customer, number):
        fill(terminal, {POLICY_CUSTOMER: customer, POLICY: number})
        choose(terminal, "1")

    def menu():
        begin(terminal, "SSP1", "General Insurance Motor Policy Menu")

    with walk.step("a policy: a SELECT over two tables"):
        menu()
        asks("0000000002", "0000000001")
        terminal.sees("FORD", "KA", "2011-05-11", "ORANGE", "1999-07-19")
    with walk.step("a new one: INSERT into two tables and WRITE to a KSDS"):
        menu()
        fill(terminal, policy)
        choose(terminal, "2")
        terminal.sees("New Motor Policy Inserted")
        number = number_in(terminal, 4)
    with walk.step("one of a customer that is not there: SQLCODE -530"):
        menu()
        fill(terminal, policy | {POLICY_CUSTOMER: "0000099999"})
        choose(terminal, "2")
        terminal.sees("Customer does not exist")
    with walk.step("changed: a cursor WITH HOLD and FOR UPDATE, a change WHERE CURRENT OF it, REWRITE"):
        menu()
        fill(terminal, {POLICY_CUSTOMER: "0000000002", POLICY: number})
        choose(terminal, "4")
        terminal.sees("AUSTIN", "SEVEN")
        terminal.fill(*COLOUR, "BLUE")
        terminal.enter()
        terminal.sees("Motor Policy Updated")
        menu()
        asks("0000000002", number)
        terminal.sees("AUSTIN", "BLUE")
    with walk.step("gone: DELETE, and the rows that belong to it"):
        menu()
        fill(terminal, {POLICY_CUSTOMER: "0000000002", POLICY: number})
        choose(terminal, "3")
        terminal.sees("Motor Policy Deleted")
        menu()
        asks("0000000002", number)
        terminal.sees("No data was returned.")


def other_policies(walk):
    """SSP2 to SSP4: life, house and commercial policies"""
    terminal = walk.terminal()
    policies = (
        ("SSP2", "Endowment Policy Menu", "0000000003", "0000000005", ("SHEPPA", "Shep", "2011-10-01")),
        ("SSP3", "House Policy Menu", "0000000004", "0000000006", ("HOUSE", "SO211UP", "2011-12-31")),
        ("SSP4", "Commercial Policy Menu", "0000000001", "0000000010", ("HURSLEY PARK", "OFFICES", "SO212JN")),
    )
    for transaction, heading, customer, policy, shown in policies:
        with walk.step(f"{transaction}: a policy by its number"):
            begin(terminal, transaction, heading)
            fill(terminal, {POLICY: policy, POLICY_CUSTOMER: customer})
            choose(terminal, "1")
            terminal.sees(*shown)


SCENES = (customers, motor_policies, other_policies)
