"""What a person must be able to do with CardDemo, in eight scenes.

Texts, keys and places are those of the application's programs and maps. The scenes share one region and its data:
their order matters.
"""

from pathlib import Path
import re
import time

from walk import PATIENCE

USER = ("USER0001", "PASSWORD")
ADMIN = ("ADMIN001", "PASSWORD")
ACCOUNT = "00000000001"

# Where the fields of the maps begin.
USER_ID, PASSWORD = (19, 44), (20, 44)
OPTION = (20, 42)
ACCOUNT_TO_VIEW = ACCOUNT_TO_UPDATE = (5, 39)
FIRST_CARD = (11, 13)
FICO, FIRST_NAME, ZIP, SECOND_AREA_CODE = (13, 63), (15, 2), (17, 74), (20, 11)
BILL_ACCOUNT, BILL_CONFIRM = (6, 22), (15, 61)
REPORT_MONTHLY, REPORT_CONFIRM = (7, 11), (19, 67)
ADD_ACCOUNT, ADD_DATE, ADD_CONFIRM = (6, 22), (14, 43), (21, 64)
ADD_FIELDS = {
    (10, 16): "01",  # type
    (10, 37): "0001",  # category
    (10, 55): "POS TERM",  # source
    (12, 20): "ACCEPTANCE",  # description
    (14, 15): "-00000012.34",  # amount
    (14, 43): "2022-07-18",  # original date
    (14, 69): "2022-07-19",  # processing date
    (16, 20): "999999999",  # merchant
    (16, 49): "CHANDLER",
    (18, 22): "SALTMOUTH",
    (18, 68): "12345",
}
NEW_USER = {(8, 19): "NORA", (8, 57): "NEWCOME", (11, 16): "TESTER1", (11, 56): "SECRET1", (14, 18): "U"}
USER_TO_CHANGE, CHANGED_FIRST_NAME = (6, 22), (11, 19)


def sign_on(walk, person, menu):
    """A terminal at the menu."""
    terminal = walk.terminal()
    terminal.start("CC00")
    terminal.sees("Type your User ID and Password")
    terminal.fill(*USER_ID, person[0])
    terminal.fill(*PASSWORD, person[1])
    terminal.enter()
    terminal.sees(menu)
    return terminal


def at_option(walk, option, heading, person=USER, menu="Main Menu"):
    """A new terminal at an option's first screen."""
    terminal = sign_on(walk, person, menu)
    terminal.fill(*OPTION, str(option))
    terminal.enter()
    terminal.sees(heading)
    return terminal


def card_numbers(carddemo):
    """All card numbers in order, from the application's own data."""
    data = (Path(carddemo) / "app/data/EBCDIC/AWS.M2.CARDDEMO.CARDDATA.PS").read_bytes().decode("cp037")
    return sorted(data[start:start + 16] for start in range(0, len(data), 150))


def signing_on(walk):
    """1 Signing on"""
    terminal = walk.terminal()
    with walk.step("1.1 CC00 shows the sign-on screen"):
        terminal.start("CC00")
        terminal.sees("Type your User ID and Password")
    with walk.step("1.2 an empty ENTER asks for the user id"):
        terminal.enter()
        terminal.sees("Please enter User ID ...")
    with walk.step("1.3 a wrong password"):
        terminal.fill(*USER_ID, "USER0001")
        terminal.fill(*PASSWORD, "WRONG")
        terminal.enter()
        terminal.sees("Wrong Password. Try again ...")
    with walk.step("1.4 an unknown user"):
        terminal.fill(*USER_ID, "NOBODY")
        terminal.fill(*PASSWORD, "PASSWORD")
        terminal.enter()
        terminal.sees("User not found. Try again ...")
    with walk.step("1.5 USER0001 comes to the menu"):
        terminal.fill(*USER_ID, USER[0])
        terminal.fill(*PASSWORD, USER[1])
        terminal.enter()
        terminal.sees("Main Menu", "Account View", "Bill Payment")


def menu(walk):
    """2 The menu"""
    terminal = sign_on(walk, USER, "Main Menu")
    with walk.step("2.1 an option that is not there"):
        terminal.fill(*OPTION, "99")
        terminal.enter()
        terminal.sees("Please enter a valid option number...")
    with walk.step("2.2 an option whose program is not installed (INQUIRE PROGRAM)"):
        terminal.fill(*OPTION, "11")
        terminal.enter()
        terminal.sees("This option Pending", "is not installed...")
    with walk.step("2.3 a key that means nothing"):
        terminal.pf(9)
        terminal.sees("Invalid key pressed. Please see below...")


def account_view(walk):
    """3 Account view"""
    with walk.step("3.1 account 1 with its customer and amounts"):
        terminal = at_option(walk, 1, "View Account")
        terminal.fill(*ACCOUNT_TO_VIEW, ACCOUNT)
        terminal.enter()
        terminal.sees("Immanuel", "Kessler", "Altenwerthshire", "NC", "194.00", "2,020.00")
        # Its program has the text "Displaying details of given Account" but never shows it.
        terminal.sees("Enter or update id of account to display")


def card_list(walk):
    """4 Card list"""
    pages = [cards[0] for cards in in_pages(card_numbers(walk.carddemo), 7)]
    with walk.step("4.1 the first page"):
        terminal = at_option(walk, 3, "List Credit Cards")
        terminal.sees("0500024453765740")
        assert pages[0] in terminal.row(11), terminal.row(11)
    for number, first in enumerate(pages[1:4], 2):
        with walk.step(f"4.2 PF8 to page {number}"):
            terminal.pf(8)
            terminal.sees(first)
            assert first in terminal.row(11), terminal.row(11)
    for number, first in ((3, pages[2]), (2, pages[1]), (1, pages[0])):
        with walk.step(f"4.3 PF7 back to page {number}"):
            terminal.pf(7)
            terminal.sees(first)
            assert first in terminal.row(11), terminal.row(11)
    with walk.step("4.4 S shows the card"):
        terminal.fill(*FIRST_CARD, "S")
        terminal.enter()
        terminal.sees("Displaying requested details", pages[0], "Aniya Von")


def in_pages(entries, size):
    return [entries[start:start + size] for start in range(0, len(entries), size)]


def account_update(walk):
    """5 Account update"""

    def show_account():
        terminal = at_option(walk, 2, "Update Account")
        terminal.fill(*ACCOUNT_TO_UPDATE, ACCOUNT)
        terminal.enter()
        terminal.sees("Update account details presented above.")
        return terminal

    with walk.step("5.1 the account is shown for change"):
        first = show_account()
        first.sees("Kessler")
    with walk.step("5.2 what the application finds wrong in its own data is mended, a name changed: validated"):
        first.fill(*FICO, "700")
        first.fill(*ZIP, "27601")
        first.fill(*SECOND_AREA_CODE, "908")
        first.fill(*FIRST_NAME, "EMANUEL")
        first.enter()
        first.sees("Changes validated.Press F5 to save")
    with walk.step("5.3 PF5 saves account and customer"):
        first.pf(5)
        first.sees("Changes committed to database")
    with walk.step("5.4 two terminals look at the account; the second one changes it"):
        slow, quick = show_account(), show_account()
        quick.sees("EMANUEL")
        quick.fill(*FIRST_NAME, "IMMANUEL")
        quick.enter()
        quick.sees("Changes validated.Press F5 to save")
        quick.pf(5)
        quick.sees("Changes committed to database")
    with walk.step("5.5 the first one's change is refused"):
        slow.fill(*FIRST_NAME, "MANUEL")
        slow.enter()
        slow.sees("Changes validated.Press F5 to save")
        slow.pf(5)
        slow.sees("Record changed by some one else. Please review")


def bill_payment(walk):
    """6 Bill payment"""
    terminal = at_option(walk, 10, "Bill Payment")
    with walk.step("6.1 the balance is shown and a confirmation wanted"):
        terminal.fill(*BILL_ACCOUNT, ACCOUNT)
        terminal.enter()
        terminal.sees("Confirm to make a bill payment...", "194.00")
    with walk.step("6.2 Y pays: transaction 1"):
        terminal.fill(*BILL_CONFIRM, "Y")
        terminal.enter()
        terminal.sees("Payment successful.  Your Transaction ID is 0000000000000001.")
    with walk.step("6.3 the second time there is nothing to pay"):
        terminal.fill(*BILL_ACCOUNT, ACCOUNT)
        terminal.enter()
        terminal.sees("You have nothing to pay...")


def transactions(walk):
    """7 Transactions and reports"""
    with walk.step("7.1 the list has the payment"):
        terminal = at_option(walk, 6, "List Transactions")
        terminal.sees("0000000000000001", "BILL PAYMENT")
    with walk.step("7.2 PF7 at the top"):
        terminal.pf(7)
        terminal.sees("You are already at the top of the page...", "0000000000000001")
    with walk.step("7.3 a new transaction with an impossible month: CEEDAYS through a CALLed program"):
        terminal = at_option(walk, 8, "Add Transaction")
        terminal.fill(*ADD_ACCOUNT, ACCOUNT)
        for place, text in ADD_FIELDS.items():
            terminal.fill(*place, text)
        terminal.fill(*ADD_DATE, "2022-13-18")
        terminal.enter()
        terminal.sees("Orig Date - Not a valid date...")
    with walk.step("7.4 a good date asks for confirmation"):
        terminal.fill(*ADD_DATE, "2022-07-18")
        terminal.enter()
        terminal.sees("Confirm to add this transaction...")
    with walk.step("7.5 Y adds it"):
        terminal.fill(*ADD_CONFIRM, "Y")
        terminal.enter()
        terminal.sees("Your Tran ID is 0000000000000002.")
    with walk.step("7.6 a monthly report asks for confirmation"):
        terminal = at_option(walk, 9, "Transaction Reports")
        terminal.fill(*REPORT_MONTHLY, "X")
        terminal.enter()
        terminal.sees("Please confirm to print the Monthly report...")
    with walk.step("7.7 Y submits it"):
        terminal.fill(*REPORT_CONFIRM, "Y")
        terminal.enter()
        terminal.sees("Monthly report submitted for printing ...")
    with walk.step("7.8 its JCL is in the file of queue JOBS"):
        lines = lines_of(walk.jobs, until="/*EOF")
        assert any(re.match(r"//TRNRPT00 JOB", line) for line in lines), lines[:5]
        assert any(line.startswith("/*EOF") for line in lines), lines[-5:]


def lines_of(path, until):
    """The lines of a file that another process writes, once one of them begins with a text; else what there is."""
    deadline = time.monotonic() + PATIENCE
    while True:
        lines = path.read_text(errors="replace").splitlines() if path.exists() else []
        if any(line.startswith(until) for line in lines) or time.monotonic() > deadline:
            return lines
        time.sleep(0.05)


def users(walk):
    """8 Users"""

    def at_admin_option(option, heading):
        return at_option(walk, option, heading, ADMIN, "Admin Menu")

    with walk.step("8.1 an administrator adds a user"):
        terminal = at_admin_option(2, "Add User")
        for place, text in NEW_USER.items():
            terminal.fill(*place, text)
        terminal.enter()
        terminal.sees("User TESTER1 has been added ...")
    with walk.step("8.2 but not twice"):
        for place, text in NEW_USER.items():
            terminal.fill(*place, text)
        terminal.enter()
        terminal.sees("User ID already exist...")
    with walk.step("8.3 the list has the user"):
        terminal = at_admin_option(1, "List Users")
        terminal.sees("TESTER1", "NEWCOME")
    with walk.step("8.4 the user is fetched and changed"):
        terminal = at_admin_option(3, "Update User")
        terminal.fill(*USER_TO_CHANGE, "TESTER1")
        terminal.enter()
        terminal.sees("Press PF5 key to save your updates ...", "NEWCOME")
        terminal.fill(*CHANGED_FIRST_NAME, "NELL")
        terminal.pf(5)
        terminal.sees("User TESTER1 has been updated ...")
    with walk.step("8.5 and deleted"):
        terminal = at_admin_option(4, "Delete User")
        terminal.fill(*USER_TO_CHANGE, "TESTER1")
        terminal.enter()
        terminal.sees("Press PF5 key to delete this user ...", "NELL")
        terminal.pf(5)
        terminal.sees("User TESTER1 has been deleted ...")
    with walk.step("8.6 the list has forgotten"):
        terminal = at_admin_option(1, "List Users")
        terminal.sees("ADMIN001")
        terminal.lacks("TESTER1")


SCENES = (signing_on, menu, account_view, card_list, account_update, bill_payment, transactions, users)
