"""The Harbour Savings Bank (samples/bank), screen by screen, against a region that runs.

    python3 tests/bank/walk_through.py HOST:PORT [--client s3270|tnz|galasa] [--without-database]

The region must have been started with fresh data: the walk compares balances with samples/bank/data. It ends with a
line 'N passed, N failed', and in failure with a status that is not 0. `--without-database` is for a region that has no PostgreSQL.
"""

import argparse
import importlib
from pathlib import Path
import re
import sys

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from walk import Walk

CLIENTS = {"s3270": "clients.s3270", "tnz": "clients.tnz_driver", "galasa": "clients.galasa_driver"}
CLERK = ("TELLER1", "HARBOUR1")
MANAGER = ("MANAGER", "LIGHTHSE")
# The region's own user, who may run CEMT.
OPERATOR = ("OPERATOR", "HARBOUR9")

# Where the fields of the maps begin.
USER, PASSWORD = (16, 37), (17, 37)
CESN_USER, CESN_PASSWORD = (12, 28), (13, 28)
OPTION = (19, 29)
LIST_FROM, LIST_NAME = (4, 15), (4, 37)
ACCOUNT = (4, 18)
CUSTOMER, SURNAME, FIRST_NAME, BIRTH, TOWN, PHONE, EMAIL = (
    (6, 18), (8, 18), (9, 18), (10, 18), (12, 18), (14, 18), (15, 18),
)
FROM_ACCOUNT, TO_ACCOUNT, AMOUNT, TEXT = (6, 18), (8, 18), (10, 18), (12, 18)
WHAT, BRANCH, STATEMENT_OF, SECONDS = (5, 38), (7, 38), (9, 38), (11, 38)
TELLER_ACCOUNT = (6, 18)
PAYER = (4, 18)
PAYEE, PAYEE_NAME, PAYEE_ACCOUNT = (17, 18), (19, 18), (20, 18)
ORDER, ORDER_PAYEE, ORDER_AMOUNT, ORDER_MONTHS, FIRST_DUE = (17, 18), (19, 18), (19, 43), (20, 18), (20, 43)


def list_row(number):
    """Where the letter before a row of the list of customers is typed."""
    return (6 + number, 2)


def records(name):
    return (ROOT / "samples/bank/data/ascii" / name).read_text().splitlines()


def opening_balance(account):
    """An account's balance in pence, as it was loaded."""
    record = next(line for line in records("accounts.txt") if line.startswith(account))
    *digits, last = record[16:27]
    sign, letters = (1, "{ABCDEFGHI") if last in "{ABCDEFGHI" else (-1, "}JKLMNOPQR")
    return sign * int("".join(digits) + str(letters.index(last)))


def edited(pence):
    """An amount as PICOUT='+ZZZ,ZZZ,ZZ9.99' shows it, without the blanks in front."""
    return f"{abs(pence) / 100:,.2f}"


def sign_on_as(walk, person):
    """A terminal at the main menu."""
    terminal = walk.terminal()
    terminal.start("BK00")
    terminal.sees("Type your user id and password")
    terminal.fill(*USER, person[0])
    terminal.fill(*PASSWORD, person[1])
    terminal.enter()
    terminal.sees("Good day,")
    return terminal


def operator_at(walk):
    """A terminal of the region's operator."""
    terminal = walk.terminal()
    terminal.start("CESN")
    terminal.sees("Password . . .")
    terminal.fill(*CESN_USER, OPERATOR[0])
    terminal.fill(*CESN_PASSWORD, OPERATOR[1])
    terminal.enter()
    terminal.sees("Sign-on is complete")
    return terminal


def choose(terminal, option, heading):
    """From the menu to an option's first screen."""
    terminal.fill(*OPTION, str(option))
    terminal.enter()
    terminal.sees(heading)


def back_to_menu(terminal):
    terminal.pf(3)
    terminal.sees("Good day,")


def sign_on(walk):
    """Sign-on and menu"""
    terminal = walk.terminal()
    with walk.step("a transaction starts on an empty screen; ERASE and the map's constants; ASSIGN APPLID, SYSID"):
        terminal.start("BK00")
        terminal.sees("Type your user id and password", "Tran: BK00", "Region: HARBOUR", "System: BANK")
    with walk.step("RECEIVE MAP without data from the operator; the program asks"):
        terminal.enter()
        terminal.sees("Please enter your user id.")
    with walk.step("-1 in a length field placed the cursor; DATAONLY leaves what was typed"):
        terminal.type("NOBODY")
        terminal.enter()
        terminal.sees("Please enter your password.", "NOBODY")
    with walk.step("READ of a key that is not there: NOTFND"):
        terminal.type("HARBOUR1")
        terminal.enter()
        terminal.sees("Nobody here has that user id.")
    with walk.step("a key that the program does not know, by EIBAID"):
        terminal.pf(9)
        terminal.sees("Invalid key. Use ENTER or PF3.")
    with walk.step("CALL of a COBOL subprogram: the wrong password is found out"):
        terminal.fill(*USER, CLERK[0])
        terminal.fill(*PASSWORD, "HARBOR1")
        terminal.enter()
        terminal.sees("Wrong password.")
    with walk.step("the password is never shown"):
        terminal.lacks("HARBOR1")
    with walk.step("XCTL with a COMMAREA to the menu"):
        terminal.fill(*PASSWORD, CLERK[1])
        terminal.enter()
        terminal.sees("Good day, Tom Bright", "Tran: BKMN", "1. Customers", "8. Teller's enquiry")
    with walk.step("LOW-VALUES in a field send nothing: a clerk does not see what managers may do"):
        terminal.lacks("Close a customer", "Recovery exercise")
    with walk.step("JUSTIFY=(RIGHT,ZERO) on input; an option out of range"):
        terminal.fill(*OPTION, "77")
        terminal.enter()
        terminal.sees("Please choose one of the options above.")
    with walk.step("INQUIRE PROGRAM NOHANDLE of a program that is not installed"):
        terminal.fill(*OPTION, "9")
        terminal.enter()
        terminal.sees("Mortgages is not installed in this region.")
    with walk.step("pseudo-conversation: the COMMAREA remembers who signed on"):
        terminal.fill(*OPTION, "10")
        terminal.enter()
        terminal.sees("Only a manager may do that.")
    with walk.step("XCTL back to the sign-on"):
        terminal.pf(3)
        terminal.sees("Type your user id and password")
    with walk.step("SEND TEXT, then RETURN without TRANSID"):
        terminal.pf(3)
        terminal.sees("Thank you for banking with Harbour. Good-bye.")


def customers(walk):
    """The list of customers"""
    terminal = sign_on_as(walk, CLERK)
    with walk.step("STARTBR GTEQ and twelve READNEXT"):
        choose(terminal, 1, "Surname")
        terminal.sees("000012", "000001", "Page: 0001", "Whitlock")
        terminal.lacks("000013")
    with walk.step("PF7 on the first page; DATAONLY keeps the rows"):
        terminal.pf(7)
        terminal.sees("This is the top of the list.", "000012")
    with walk.step("PF8 pages forward"):
        terminal.pf(8)
        terminal.sees("000013", "000024", "Page: 0002")
    with walk.step("and forward once more"):
        terminal.pf(8)
        terminal.sees("000025", "Page: 0003")
    with walk.step("PF7 pages backward: STARTBR, READPREV"):
        terminal.pf(7)
        terminal.sees("000013", "000024", "Page: 0002")
        terminal.lacks("000025")
    with walk.step("a browse from a number to the end of the file: ENDFILE"):
        terminal.fill(*LIST_FROM, "195")
        terminal.enter()
        terminal.sees("000195", "000200", "Page: 0001")
        terminal.pf(8)
        terminal.sees("end of the list", "000200")
    with walk.step("generic browse of a path over a nonunique alternate index, in the order of names"):
        terminal.fill(*LIST_NAME, "Ash")
        terminal.enter()
        terminal.sees("In the order of surnames.")
        names = [terminal.row(6 + row)[14:34].strip() for row in range(1, 13)]
        assert names == ["Ashdown"] * 8 + ["Barrow"] * 4, names
    with walk.step("paging is refused there"):
        terminal.pf(8)
        terminal.sees("Paging is by number only.")
    with walk.step("two letters at once are refused"):
        terminal.fill(*list_row(1), "S")
        terminal.fill(*list_row(3), "S")
        terminal.enter()
        terminal.sees("One customer at a time, please.")
    with walk.step("FSET: the letters come back unless they are erased; a wrong one is pointed at"):
        terminal.fill(*list_row(1), "")
        terminal.fill(*list_row(3), "X")
        terminal.enter()
        terminal.sees("Please use S, U or D.")
    with walk.step("the cursor stands at the wrong letter; a letter carries the customer on"):
        terminal.type("s")
        terminal.enter()
        terminal.sees("This is the account.", "Ashdown")
    with walk.step("PF3 goes back to where one came from"):
        terminal.pf(3)
        terminal.sees("Surname", "Page: 0001")
        back_to_menu(terminal)


def accounts(walk):
    """One account"""
    terminal = sign_on_as(walk, CLERK)
    balance = opening_balance("10000001")
    total = balance + opening_balance("20000001")
    with walk.step("READ by key; LINK with COMMAREA gives the owner"):
        choose(terminal, 2, "Please enter an account number.")
        terminal.fill(*ACCOUNT, "10000001")
        terminal.enter()
        terminal.sees("This is the account.", "Ada Whitlock", "4 Beacon Street, Port Ellery SM2 2BD")
    with walk.step("a signed balance through PICOUT"):
        assert edited(balance) in terminal.row(10), terminal.row(10)
    with walk.step("LINK with a channel: containers COUNT and TOTAL, over a path with duplicate keys"):
        assert "Accounts:   2" in terminal.row(10), terminal.row(10)
        assert edited(total) in terminal.row(11), terminal.row(11)
    with walk.step("packed decimals loaded from an EBCDIC file: the last movement's balance is the account's"):
        assert "Cheque" in terminal.row(19), terminal.row(19)
        assert edited(balance) in terminal.row(19)[52:], terminal.row(19)
    with walk.step("NOTFND of an account"):
        terminal.fill(*ACCOUNT, "99999999")
        terminal.enter()
        terminal.sees("There is no such account.")
        terminal.lacks("Ada Whitlock")
    with walk.step("MAPFAIL or an empty field"):
        terminal.fill(*ACCOUNT, "")
        terminal.enter()
        terminal.sees("Please enter an account number.")
    with walk.step("a negative balance: overpunched sign, shown red"):
        terminal.fill(*ACCOUNT, "10000002")
        terminal.enter()
        terminal.sees("Bernard Garside")
        assert re.search(r"- +75\.50", terminal.row(10)), terminal.row(10)
    with walk.step("the next account: STARTBR GTEQ beyond a key"):
        terminal.pf(8)
        terminal.sees("10000003", "BLOCKED")
    back_to_menu(terminal)


def change_a_customer(walk):
    """Change a customer, with two terminals"""
    terminal = sign_on_as(walk, CLERK)
    with walk.step("a number that nobody has"):
        choose(terminal, 4, "Please enter the number of a customer.")
        terminal.fill(*CUSTOMER, "999999")
        terminal.enter()
        terminal.sees("There is no such customer.")
    with walk.step("READ and show; the number is protected by an attribute byte"):
        terminal.fill(*CUSTOMER, "5")
        terminal.enter()
        terminal.sees("Change what you like, then press ENTER.", "000005")
    with walk.step("FSET brings all fields back: nothing was changed"):
        terminal.enter()
        terminal.sees("Nothing was changed.")
    with walk.step("CEEDAYS refuses a date; the cursor stands at it"):
        terminal.fill(*BIRTH, "1999-02-30")
        terminal.enter()
        terminal.sees("There is no such date (message 2508).")
        terminal.type("1999-02-28")
    with walk.step("several errors: the first one speaks"):
        terminal.fill(*SURNAME, "")
        terminal.fill(*EMAIL, "nowhere")
        terminal.enter()
        terminal.sees("Please enter the surname.")
        terminal.fill(*SURNAME, "Verney-Smith")
        terminal.enter()
        terminal.sees("That is no e-mail address.")
        terminal.fill(*EMAIL, "verney@harbour.example")
    with walk.step("what is right waits for PF5"):
        terminal.enter()
        terminal.sees("Changes checked. Press PF5 to save, PF12 to cancel.")
    with walk.step("READ UPDATE, compare, REWRITE, SYNCPOINT"):
        terminal.pf(5)
        terminal.sees("Saved.", "Verney-Smith", "TELLER1")
    with walk.step("PF12 cancels"):
        terminal.pf(12)
        terminal.sees("Please enter the number of a customer.")
        terminal.lacks("Verney-Smith")

    other = sign_on_as(walk, MANAGER)
    with walk.step("two terminals look at the same customer; the second one changes it"):
        terminal.fill(*CUSTOMER, "6")
        terminal.enter()
        terminal.sees("Change what you like, then press ENTER.")
        choose(other, 4, "Please enter the number of a customer.")
        other.fill(*CUSTOMER, "6")
        other.enter()
        other.sees("Change what you like, then press ENTER.")
        other.fill(*PHONE, "0555 111111")
        other.enter()
        other.sees("Changes checked.")
        other.pf(5)
        other.sees("Saved.")
    with walk.step("the first one's change is refused and the new record shown"):
        terminal.fill(*PHONE, "0555 222222")
        terminal.enter()
        terminal.sees("Changes checked.")
        terminal.pf(5)
        terminal.sees("Changed by someone else. Please review.", "0555 111111", "MANAGER")


def open_and_close(walk):
    """A new customer, opened and closed"""
    manager = sign_on_as(walk, MANAGER)
    with walk.step("a form with nothing in it"):
        choose(manager, 3, "Please fill in the form")
        manager.enter()
        manager.sees("Please enter the surname.")
    with walk.step("WRITE of a key that is there: DUPREC, SYNCPOINT ROLLBACK"):
        manager.fill(*CUSTOMER, "1")
        manager.fill(*SURNAME, "Pemberley")
        manager.fill(*FIRST_NAME, "Jane")
        manager.fill(*BIRTH, "1975-12-16")
        manager.fill(*TOWN, "Saltmouth")
        manager.enter()
        manager.sees("Form checked. Press PF5 to add")
        manager.pf(5)
        manager.sees("That customer number is taken.")
    with walk.step("ENQ'd number generator; two WRITEs, one of them to an upgraded base of a path"):
        manager.fill(*CUSTOMER, "")
        manager.enter()
        manager.sees("Form checked. Press PF5 to add")
        manager.pf(5)
        manager.sees("was added, with account")
        found = re.search(r"Customer (9\d{5}) was added, with account (9\d{7})\.", manager.row(23))
        assert found, manager.row(23)
    customer, account = found.groups()
    with walk.step("the new record is found by name at once"):
        back_to_menu(manager)
        choose(manager, 1, "Surname")
        manager.fill(*LIST_NAME, "Pemberley")
        manager.enter()
        manager.sees("In the order of surnames.", customer, "Jane")
    with walk.step("and by its account"):
        manager.fill(*list_row(1), "S")
        manager.enter()
        manager.sees("This is the account.", account, "Jane Pemberley")
        manager.pf(3)
        manager.sees("Surname")
        back_to_menu(manager)
    with walk.step("a customer with money is not closed"):
        choose(manager, 5, "Please enter the number of a customer.")
        manager.fill(*CUSTOMER, "2")
        manager.enter()
        manager.sees("Press PF5 to close this customer for good.", "Garside")
        manager.pf(5)
        manager.sees("The accounts are not at zero. Nothing closed.")
        manager.pf(12)
        manager.sees("Please enter the number of a customer.")
    with walk.step("DELETE after READ UPDATE, DELETE by RIDFLD"):
        manager.fill(*CUSTOMER, customer)
        manager.enter()
        manager.sees("Press PF5 to close this customer for good.", "Pemberley")
        manager.pf(5)
        manager.sees(f"Customer {customer} was closed, accounts: 1.")
    with walk.step("the alternate index has forgotten as well"):
        back_to_menu(manager)
        choose(manager, 1, "Surname")
        manager.fill(*LIST_NAME, "Pemberley")
        manager.enter()
        manager.sees("In the order of surnames.", "Penrose")
        manager.lacks(customer)


def transfer(walk):
    """A transfer, and one that is backed out"""
    terminal = sign_on_as(walk, CLERK)
    giver, taker = opening_balance("10000010"), opening_balance("10000012")

    def ask(source, target, amount, text=""):
        terminal.fill(*FROM_ACCOUNT, source)
        terminal.fill(*TO_ACCOUNT, target)
        terminal.fill(*AMOUNT, amount)
        terminal.fill(*TEXT, text)
        terminal.enter()

    with walk.step("accounts and amount are checked one after the other"):
        choose(terminal, 6, "Amount        :")
        ask("1", "10000012", "1")
        terminal.sees("From which account?")
        ask("10000010", "10000010", "1")
        terminal.sees("To which account?")
        ask("10000010", "10000012", "ten pounds")
        terminal.sees("How much? For example 125.50")
    with walk.step("PF5 before the check does nothing"):
        terminal.pf(5)
        terminal.sees("That key does nothing here.")
    with walk.step("the check shows both owners and balances"):
        ask("10000010", "10000012", "123.45", "For the boat")
        terminal.sees("Press PF5 to move the money.")
        assert edited(giver) in terminal.row(15) and edited(taker) in terminal.row(16)
    with walk.step("two REWRITEs, two movements, one SYNCPOINT"):
        terminal.pf(5)
        terminal.sees("The money was moved.")
        assert edited(giver - 12345) in terminal.row(15), terminal.row(15)
        assert edited(taker + 12345) in terminal.row(16), terminal.row(16)
    with walk.step("insufficient funds after the first REWRITE: SYNCPOINT ROLLBACK undoes it"):
        ask("10000010", "10000012", "999999.99")
        terminal.sees("Press PF5 to move the money.")
        terminal.pf(5)
        terminal.sees("Insufficient funds. Nothing moved.")
        assert edited(giver - 12345) in terminal.row(15), terminal.row(15)
        assert edited(taker + 12345) in terminal.row(16), terminal.row(16)
    with walk.step("a blocked account: both REWRITEs are undone"):
        ask("10000010", "10000003", "1.00")
        terminal.sees("Press PF5 to move the money.")
        terminal.pf(5)
        terminal.sees("The receiving account is blocked. Nothing moved.")
        assert edited(giver - 12345) in terminal.row(15), terminal.row(15)
    with walk.step("the movement stands on the account, those undone do not"):
        back_to_menu(terminal)
        choose(terminal, 2, "Please enter an account number.")
        terminal.fill(*ACCOUNT, "10000010")
        terminal.enter()
        terminal.sees("This is the account.", "For the boat")
        boats = [line for line in terminal.screen() if "For the boat" in line]
        assert len(boats) == 1 and re.search(r"- +123\.45", boats[0]), boats


def reports(walk):
    """Reports and statements"""
    terminal = sign_on_as(walk, CLERK)
    with walk.step("an order that is none"):
        choose(terminal, 7, "R = branch report")
        terminal.fill(*WHAT, "Q")
        terminal.enter()
        terminal.sees("Please enter R or S.")
    with walk.step("a report: browse of the file, WRITEQ TD to a file, WRITEQ TS"):
        terminal.fill(*WHAT, "R")
        terminal.fill(*BRANCH, "100")
        terminal.enter()
        terminal.sees("The report is written.")
    with walk.step("READQ TS with NUMITEMS; a field that OCCURS"):
        terminal.pf(5)
        terminal.sees("HARBOUR SAVINGS BANK   BRANCH 0100", "10000004", "Page: 0001")
        items = int(re.search(r"Items: +(\d+)", terminal.row(4)).group(1))
    with walk.step("paging to the end; STARTBR HIGH-VALUES and READPREV gave the highest account"):
        pages = -(-items // 15)
        for page in range(2, pages + 1):
            terminal.pf(8)
            terminal.sees(f"Page: {page:04}")
        terminal.sees(f"ACCOUNTS: {items - 2:>5}", "HIGHEST: ")
        terminal.pf(8)
        terminal.sees("This is the last page.", f"Page: {pages:04}")
    with walk.step("and back to the first page"):
        for page in range(pages - 1, 0, -1):
            terminal.pf(7)
            terminal.sees(f"Page: {page:04}")
        terminal.pf(7)
        terminal.sees("This is the first page.", "HARBOUR SAVINGS BANK")
    with walk.step("DELETEQ TS, then QIDERR"):
        terminal.pf(4)
        terminal.sees("The queue was deleted.")
        terminal.enter()
        terminal.sees("Nothing there yet.")
        terminal.lacks("HARBOUR SAVINGS BANK   BRANCH")
    with walk.step("START TRANSID after an interval, with data"):
        terminal.pf(3)
        terminal.sees("R = branch report")
        terminal.fill(*WHAT, "S")
        terminal.fill(*STATEMENT_OF, "10000001")
        terminal.fill(*SECONDS, "01")
        terminal.enter()
        terminal.sees("The statement is ordered.")
    with walk.step("CEMT at another terminal shows the queue of the started task, and when that task is over"):
        operator = operator_at(walk)
        operator.start("CEMT I TSQNAME(BKST*)")
        operator.sees_by_asking("Tsq(BKSTT")
        operator.start("CEMT I TASK")
        operator.sees("Tra(CEMT)")
        operator.lacks_by_asking("Tra(BKPT)")
    with walk.step("it has RETRIEVEd, DELAYed and written"):
        terminal.pf(5)
        terminal.sees("STATEMENT OF ACCOUNT 10000001 ORDERED BY TELLER1", "Ada Whitlock")
        terminal.sees(edited(opening_balance("10000001")))


def tellers_enquiry(walk):
    """The program of 1979"""
    terminal = sign_on_as(walk, CLERK)
    with walk.step("SEND MAP MAPONLY"):
        choose(terminal, 8, "Teller's enquiry & balance")
        terminal.sees("Enquiries     : none")
    with walk.step("HANDLE CONDITION MAPFAIL"):
        terminal.enter()
        terminal.sees("ACCOUNT NUMBER, PLEASE")
    with walk.step("PUSH HANDLE, LINK, POP HANDLE; DATAONLY"):
        terminal.fill(*TELLER_ACCOUNT, "10000001")
        terminal.enter()
        terminal.sees("At your service.", "Ada Whitlock", "Enquiries     : 0001")
    with walk.step("HANDLE CONDITION NOTFND"):
        terminal.fill(*TELLER_ACCOUNT, "11111111")
        terminal.enter()
        terminal.sees("NO SUCH ACCOUNT")
    with walk.step("HANDLE AID ANYKEY; SEND CONTROL"):
        terminal.pf(8)
        terminal.sees("NOT THAT KEY")
    with walk.step("the COMMAREA counts on"):
        terminal.fill(*TELLER_ACCOUNT, "10000002")
        terminal.enter()
        terminal.sees("Bernard Garside", "Enquiries     : 0002")
    with walk.step("HANDLE AID CLEAR"):
        terminal.clear()
        terminal.sees("Good day, Tom Bright")


def recovery(walk):
    """Abends"""
    terminal = sign_on_as(walk, MANAGER)
    with walk.step("managers see their options"):
        terminal.sees("5. Close a customer", "10. Recovery exercise")
        choose(terminal, 10, "ENTER: change a customer, abend, back out.")
    with walk.step("HANDLE ABEND LABEL catches a default abend; SYNCPOINT ROLLBACK restores the record"):
        terminal.enter()
        terminal.sees("Caught AEI0. The customer is as before.")
    with walk.step("HANDLE ABEND CANCEL, ABEND ABCODE: the region tells the terminal"):
        terminal.pf(9)
        terminal.sees("BK99")
    with walk.step("and goes on"):
        terminal.start("BK00")
        terminal.sees("Type your user id and password")


def payees(walk):
    """Payees: a table beside the files"""
    terminal = sign_on_as(walk, CLERK)
    with walk.step("a SELECT over two tables; what the region's first start has put there"):
        choose(terminal, 11, "Please enter an account number.")
        terminal.fill(*PAYER, "10000001")
        terminal.enter()
        terminal.sees("Tidewell Ferries", "The savings account", "10000010", "LOAD", "Ada Whitlock")
    with walk.step("a payee is a name and another account of the bank"):
        terminal.pf(5)
        terminal.sees("Please enter the name of the payee.")
        terminal.fill(*PAYEE_NAME, "Nobody")
        terminal.fill(*PAYEE_ACCOUNT, "99999999")
        terminal.pf(5)
        terminal.sees("Which account shall be paid?")
    with walk.step("INSERT, its number by FINAL TABLE, SYNCPOINT"):
        terminal.fill(*PAYEE_NAME, "O'Hara's boats")
        terminal.fill(*PAYEE_ACCOUNT, "10000012")
        terminal.pf(5)
        terminal.sees("Payee 103 was added.", "O'Hara's boats", "10000012", "TELLER1")
    with walk.step("a unique index: SQLCODE -803"):
        terminal.fill(*PAYEE_NAME, "The boats again")
        terminal.fill(*PAYEE_ACCOUNT, "10000012")
        terminal.pf(5)
        terminal.sees("That account is a payee already.")
        terminal.lacks("103  The boats again")
    with walk.step("a foreign key: SQLCODE -532"):
        terminal.fill(*PAYEE, "101")
        terminal.pf(9)
        terminal.sees("Standing orders pay this payee.", "Tidewell Ferries")
    with walk.step("DELETE of a row that is not this account's: SQLCODE 100"):
        terminal.fill(*PAYEE, "999")
        terminal.pf(9)
        terminal.sees("There is no such payee of this account.")
    with walk.step("DELETE, SYNCPOINT"):
        terminal.fill(*PAYEE, "103")
        terminal.pf(9)
        terminal.sees("The payee was removed.")
        terminal.lacks("O'Hara's boats")
    with walk.step("XCTL with the account in the COMMAREA, and back"):
        terminal.pf(4)
        terminal.sees("Next due", "Tidewell Ferries", "Ada Whitlock", "250.00", "2099-12-31", "never")
        terminal.pf(3)
        terminal.sees("Added by", "Ada Whitlock")
    back_to_menu(terminal)


def standing_orders(walk):
    """Standing orders: a unit of work over files and tables"""
    terminal = sign_on_as(walk, CLERK)
    balance = opening_balance("10000020")
    too_much = edited(balance + 50_001)

    def give(payee, amount, months, first):
        terminal.fill(*ORDER_PAYEE, payee)
        terminal.fill(*ORDER_AMOUNT, amount)
        terminal.fill(*ORDER_MONTHS, months)
        terminal.fill(*FIRST_DUE, first)
        terminal.pf(4)

    def order_of(text):
        """The number of the order in whose line this stands."""
        return next(line for line in terminal.screen()[7:15] if text in line).split()[0]

    with walk.step("a new payee, then the orders of its account"):
        choose(terminal, 11, "Please enter an account number.")
        terminal.fill(*PAYER, "10000020")
        terminal.fill(*PAYEE_NAME, "Harbour rent")
        terminal.fill(*PAYEE_ACCOUNT, "10000022")
        terminal.pf(5)
        terminal.sees("was added.")
        payee = order_of("Harbour rent")
        terminal.pf(4)
        terminal.sees("Next due")
    with walk.step("what is typed is checked"):
        give(payee, "much", "1", "2020-01-31")
        terminal.sees("How much? For example 125.50")
    with walk.step("INSERT … SELECT finds no such payee of this account: SQLCODE 100"):
        give("101", "100.25", "1", "2020-01-31")
        terminal.sees("There is no such payee of this account.")
    with walk.step("a date that is none: SQLCODE -181"):
        give(payee, "100.25", "1", "2020-02-31")
        terminal.sees("There is no such date.")
    with walk.step("a check constraint: SQLCODE -545"):
        give(payee, "100.25", "13", "2020-01-31")
        terminal.sees("Every how many months? 1 to 12.")
    with walk.step("dates in Db2's other formats; NULL by an indicator"):
        give(payee, "100.25", "1", "31.01.2020")
        terminal.sees("The order was given.", "Harbour rent", "100.25", "2020-01-31", "never")
        first = order_of("100.25")
    with walk.step("two REWRITEs, two movements and an UPDATE in one unit of work; a month after 31 January"):
        terminal.fill(*ORDER, first)
        terminal.pf(5)
        terminal.sees("The order was paid.", "2020-02-29")
        assert edited(balance - 10025) in terminal.row(5), terminal.row(5)
    with walk.step("insufficient funds after all of them: SYNCPOINT ROLLBACK undoes files and tables"):
        give(payee, too_much.replace(",", ""), "12", "2021-06-30")
        terminal.sees("The order was given.", too_much, "2021-06-30")
        terminal.fill(*ORDER, order_of(too_much))
        terminal.pf(5)
        terminal.sees("Insufficient funds. Nothing moved.", "2021-06-30", "2020-02-29")
        assert edited(balance - 10025) in terminal.row(5), terminal.row(5)
    with walk.step("a cursor WITH HOLD over a SYNCPOINT; the first order that fails ends it"):
        terminal.pf(6)
        terminal.sees("Insufficient funds. Nothing moved.", "2020-03-29", "2021-06-30")
        assert edited(balance - 20050) in terminal.row(5), terminal.row(5)
    with walk.step("DELETE; then all that are due are paid"):
        terminal.fill(*ORDER, order_of(too_much))
        terminal.pf(9)
        terminal.sees("The order was cancelled.")
        terminal.lacks(too_much)
        terminal.pf(6)
        terminal.sees("Orders paid: 01.", "2020-04-29")
        assert edited(balance - 30075) in terminal.row(5), terminal.row(5)
    with walk.step("an order that is not there"):
        terminal.fill(*ORDER, "77")
        terminal.pf(5)
        terminal.sees("There is no such order of this account.")
    with walk.step("the movements stand on the account, those undone do not"):
        terminal.pf(3)
        terminal.sees("Added by")
        back_to_menu(terminal)
        choose(terminal, 2, "Please enter an account number.")
        terminal.fill(*ACCOUNT, "10000020")
        terminal.enter()
        terminal.sees("This is the account.", "Harbour rent")
        rents = [line for line in terminal.screen() if "Harbour rent" in line]
        assert len(rents) == 3 and all(re.search(r"- +100\.25", line) for line in rents), rents


def no_database(walk):
    """Payees where there is no PostgreSQL"""
    terminal = sign_on_as(walk, CLERK)
    with walk.step("the screen says that the database is not there; the account comes from its file"):
        choose(terminal, 11, "Please enter an account number.")
        terminal.fill(*PAYER, "10000001")
        terminal.enter()
        terminal.sees("Payments need the database, which is not there.", "Ada Whitlock")
    back_to_menu(terminal)
    with walk.step("a file function afterwards"):
        choose(terminal, 2, "Please enter an account number.")
        terminal.fill(*ACCOUNT, "10000001")
        terminal.enter()
        terminal.sees("Ada Whitlock")


def strangers(walk):
    """What is not the bank's"""
    terminal = walk.terminal()
    with walk.step("an unknown transaction"):
        terminal.start("ZZZZ")
        terminal.sees("DFHAC2001")
    with walk.step("a screen of the bank without having signed on leads to the sign-on"):
        terminal.start("BKVW")
        terminal.sees("Type your user id and password")


OF_FILES = (
    sign_on, customers, accounts, change_a_customer, open_and_close, transfer, reports, tellers_enquiry, recovery,
)
SCENES = (*OF_FILES, payees, standing_orders, strangers)
WITHOUT_DATABASE = (*OF_FILES, no_database, strangers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("region", metavar="HOST:PORT")
    parser.add_argument("--client", choices=CLIENTS, default="s3270")
    parser.add_argument("--without-database", action="store_true")
    arguments = parser.parse_args()
    host, _, port = arguments.region.rpartition(":")
    client = importlib.import_module(CLIENTS[arguments.client])
    if not client.available():
        sys.exit(f"{client.NAME} is not installed")
    scenes = WITHOUT_DATABASE if arguments.without_database else SCENES
    sys.exit(0 if Walk(client, host, int(port)).run(scenes) else 1)


if __name__ == "__main__":
    main()
