"""What an administrator must be able to do with CardDemo's transaction types, which are rows of Db2's tables.

Behind the eight scenes of the base application; each scene takes what the one before it has left.
"""

import subprocess

from scenes import ADMIN, at_option

LIST, EDIT = 5, 6
TYPE, DESCRIPTION = (12, 27), (14, 27)
DESCRIPTION_FILTER = (8, 26)
FIRST_CHOICE, SECOND_CHOICE, SECOND_DESCRIPTION = (12, 7), (13, 7), (13, 26)
ASKS_FOR_CHOICE = "Type U to update, D to delete any record"


def at_list(walk):
    """A terminal at the list of types."""
    return at_option(walk, LIST, ASKS_FOR_CHOICE, ADMIN, "Admin Menu")


def listing(walk):
    """9 Transaction types, listed by cursors"""
    with walk.step("9.1 the list shows the rows that the application's scripts have inserted"):
        terminal = at_list(walk)
        assert "01      PURCHASE" in terminal.row(12), terminal.row(12)
        assert "07      ADJUSTMENT" in terminal.row(18), terminal.row(18)
    with walk.step("9.2 there is no page before the first"):
        terminal.pf(7)
        terminal.sees("No previous pages to display")
    with walk.step("9.3 LIKE filters descriptions"):
        terminal = at_list(walk)
        terminal.fill(*DESCRIPTION_FILTER, "PAY")
        terminal.enter()
        terminal.sees("02      PAYMENT")
        terminal.lacks("PURCHASE")


def adding(walk):
    """10 A transaction type, added and changed"""
    with walk.step("10.1 a type that is not there is offered for adding"):
        terminal = at_option(walk, EDIT, "Enter transaction type to be maintained", ADMIN, "Admin Menu")
        terminal.fill(*TYPE, "08")
        terminal.enter()
        terminal.sees("No record found for this key in database", "Press F05 to add. F12 to cancel")
    with walk.step("10.2 its description is checked"):
        terminal.pf(5)
        terminal.sees("Enter new transaction type details.")
        terminal.fill(*DESCRIPTION, "FEE")
        terminal.enter()
        terminal.sees("Changes validated.Press F5 to save")
    with walk.step("10.3 UPDATE finds no row, and INSERT makes it"):
        terminal.pf(5)
        terminal.sees("Changes committed to database")
        terminal.lacks("Error")
    with walk.step("10.4 the list has a second page"):
        terminal = at_list(walk)
        terminal.pf(8)
        terminal.sees("08      FEE")
        terminal.pf(7)
        terminal.sees("01      PURCHASE")
    with walk.step("10.5 a description is changed in the list"):
        terminal.fill(*SECOND_CHOICE, "U")
        terminal.enter()
        terminal.sees("Update HIGHLIGHTED row. Press F10 to save")
        terminal.fill(*SECOND_DESCRIPTION, "PAYMENTS")
        terminal.enter()
        terminal.sees("02      PAYMENTS")
        terminal.pf(10)
        terminal.sees("HIGHLIGHTED row was updated")


def deleting(walk):
    """11 A transaction type, deleted"""
    with walk.step("11.1 one that categories refer to stays: -532"):
        terminal = at_list(walk)
        terminal.fill(*FIRST_CHOICE, "D")
        terminal.enter()
        terminal.sees("Delete HIGHLIGHTED row ? Press F10 to confirm")
        terminal.pf(10)
        terminal.sees("Please delete associated child records first: SQLCODE: -532")
    with walk.step("11.2 one that nobody refers to is deleted"):
        terminal = at_list(walk)
        terminal.pf(8)
        terminal.sees("08      FEE")
        terminal.fill(*FIRST_CHOICE, "D")
        terminal.enter()
        terminal.sees("Delete HIGHLIGHTED row ? Press F10 to confirm")
        terminal.pf(10)
        terminal.sees("HIGHLIGHTED row deleted.Hit Enter to continue")
    with walk.step("11.3 the list has forgotten it"):
        terminal = at_list(walk)
        terminal.lacks("FEE")
        terminal.pf(8)
        terminal.sees("No more pages")


CHANGES = """\
* A type, added and changed by batch
A09BATCH FEE
U09BATCH FEES
"""
"""What the batch program of the maintenance reads: A, U or D, the type, its description."""

CATALOGUED = """\
//CHANGES  JOB
//COPY     EXEC PGM=IEBGENER
//SYSUT1   DD *
D09
D98
/*
//SYSUT2   DD DSN=INPFILE,DISP=(NEW,CATLG),RECFM=F,LRECL=53
//SYSPRINT DD SYSOUT=*
//SYSIN    DD DUMMY
"""
"""A data set of the name that CardDemo's own job has: a type that is there, and one that is not."""


def batch(walk, *arguments):
    """Runs a batch program or a job beside the region: its return code and what it has displayed."""
    command = [walk.binary, "batch", *arguments, "--application", walk.folder, "--data", walk.folder / "state"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def maintaining(walk):
    """12 Transaction types, maintained by batch while the region runs"""
    with walk.step("12.1 the batch program adds a type and changes it"):
        changes = walk.folder / "changes.txt"
        changes.write_text(CHANGES)
        code, said = batch(walk, "COBTUPDT", "--dd", f"INPFILE={changes},lines")
        assert code == 0, f"return code {code}: {said}"
        for line in ("IGNORING COMMENTED LINE", "RECORD INSERTED SUCCESSFULLY", "RECORD UPDATED SUCCESSFULLY"):
            assert line in said, said
    with walk.step("12.2 a terminal sees what it has committed"):
        terminal = at_list(walk)
        terminal.pf(8)
        terminal.sees("09      BATCH FEES")
    with walk.step("12.3 a data set is catalogued for the application's own job"):
        job = walk.folder / "changes.jcl"
        job.write_text(CATALOGUED)
        code, said = batch(walk, "--jcl", job)
        assert code == 0, f"return code {code}: {said}"
    with walk.step("12.4 that job deletes the type; one that is not there is return code 4"):
        code, said = batch(walk, "--jcl", walk.db2 / "jcl" / "MNTTRDB2.jcl")
        assert code == 4, f"return code {code}: {said}"
        for line in ("RECORD DELETED SUCCESSFULLY", "No records found."):
            assert line in said, said
    with walk.step("12.5 the list has forgotten it"):
        terminal = at_list(walk)
        terminal.pf(8)
        terminal.sees("No more pages")
        terminal.lacks("BATCH FEES")


TRANSACTION_TYPES = (listing, adding, deleting, maintaining)
