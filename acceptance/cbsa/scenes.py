"""What a person does with CBSA. Customers lie in a KSDS, accounts and their movements in tables."""

import re

AMOUNT = re.compile(r"[+-]\d{10}\.\d{2}")


def option(terminal, key, heading):
    """From wherever the terminal is: the menu, and one of its options."""
    if not terminal.has("Select an option"):
        terminal.pf(3)
        terminal.sees("Select an option")
    terminal.type(key)
    terminal.enter()
    terminal.sees(heading)


def begin(walk):
    """A terminal at the menu."""
    terminal = walk.terminal()
    terminal.start("OMEN")
    terminal.sees("Select an option")
    return terminal


def balance(terminal, label):
    """The amount in pence of the line that has this label."""
    line = next(line for line in terminal.screen() if label in line)
    return int(AMOUNT.search(line)[0].replace(".", ""))


def show_account(terminal, number):
    option(terminal, "2", "Display Account")
    terminal.type(number)
    terminal.enter()
    terminal.sees("If you wish to delete the Account")


def enquiries(walk):
    """What the batch program has made"""
    terminal = begin(walk)
    with walk.step("a customer: READ of the KSDS"):
        option(terminal, "1", "Display Customer")
        terminal.type("0000000001")
        terminal.enter()
        terminal.sees("Customer lookup successful.")
    with walk.step("a customer who is not there"):
        terminal.fill(5, 18, "0000077777")
        terminal.enter()
        terminal.sees("not found")
    with walk.step("an account: a cursor over a table"):
        show_account(terminal, "00000001")
        terminal.sees("0000000001")
    with walk.step("the accounts of a customer: a cursor of several rows"):
        option(terminal, "A", "Accounts for Customers")
        terminal.type("0000000001")
        terminal.enter()
        terminal.sees("accounts found", "00000001")


def money(walk):
    """Money moves"""
    terminal = begin(walk)
    show_account(terminal, "00000001")
    before = balance(terminal, "Actual Balance")
    with walk.step("credit: UPDATE of the account, INSERT of a movement"):
        option(terminal, "6", "Credit/Debit Funds")
        terminal.type("00000001")
        terminal.fill(8, 36, "+")
        terminal.fill(8, 38, "100.25")
        terminal.enter()
        terminal.sees("Amount successfully applied")
        assert balance(terminal, "Actual Balance") == before + 10025
    with walk.step("a transfer: two UPDATEs in one unit of work"):
        option(terminal, "7", "Transfer")
        terminal.fill(8, 24, "00000001")
        terminal.fill(8, 53, "00000002")
        terminal.fill(9, 24, "50.25")
        terminal.enter()
        terminal.sees("Transfer successfully applied.")
        show_account(terminal, "00000001")
        assert balance(terminal, "Actual Balance") == before + 5000


def new_account(walk):
    """An account, opened and closed"""
    terminal = begin(walk)
    with walk.step("INSERT, its number from a table"):
        option(terminal, "4", "Create Account")
        terminal.fill(6, 24, "0000000001")
        terminal.fill(7, 24, "SAVING")
        terminal.fill(8, 24, "0001.50")
        terminal.fill(9, 24, "00000100")
        terminal.enter()
        terminal.sees("successfully created")
        line = next(line for line in terminal.screen() if "Account number" in line)
        number = re.search(r"\d{8}", line)[0]
    with walk.step("DELETE"):
        show_account(terminal, number)
        terminal.pf(5)
        terminal.sees("successfully deleted")


def new_customer(walk):
    """A customer, opened and closed"""
    terminal = begin(walk)
    with walk.step("credit agencies are asked by child tasks; WRITE to the KSDS, INSERT of a movement"):
        option(terminal, "3", "Create Customer")
        values = {
            (7, 19): "Mrs", (7, 47): "Jane", (8, 36): "Pemberley", (10, 19): "1 Dock Road", (13, 19): "16", (13, 24): "12",
            (13, 29): "1975",
        }
        for place, text in values.items():
            terminal.fill(*place, text)
        terminal.enter()
        terminal.sees("successfully created")
        line = next(line for line in terminal.screen() if "Customer Number" in line)
        number = re.search(r"\d{10}", line)[0]
    with walk.step("DELETE of the record"):
        option(terminal, "1", "Display Customer")
        terminal.type(number)
        terminal.enter()
        terminal.sees("Customer lookup successful.", "Pemberley")
        terminal.pf(5)
        terminal.sees("successfully deleted")


SCENES = (enquiries, money, new_account, new_customer)
