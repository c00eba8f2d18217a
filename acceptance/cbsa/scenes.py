"""What a person does with CBSA. Customers lie in a KSDS, accounts and their movements in tables."""

import json
import re

MAPS = {
    "1": "BNK1DC ", "2": "BNK1DA ", "3": "BNK1CC ", "4": "BNK1CA ", "5": "BNK1UA ", "6": "BNK1CD ", "7": "BNK1TF ", "A": "BNK1ACC",
}
"""The maps by the options that lead to them."""
AMOUNT = re.compile(r"[+-]\d{10}\.\d{2}")


def option(terminal, key):
    """From wherever the terminal is: the menu, and one of its options. The name of its map tells that it has come: the menu has the
    words of the heading, too."""
    if not terminal.has("Select an option"):
        terminal.pf(3)
        terminal.sees("Select an option")
    terminal.type(key)
    terminal.enter()
    terminal.sees(MAPS[key])


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
    option(terminal, "2")
    terminal.type(number)
    terminal.enter()
    terminal.sees("If you wish to delete the Account")


def enquiries(walk):
    """What the batch program has made"""
    terminal = begin(walk)
    with walk.step("a customer: READ of the KSDS"):
        option(terminal, "1")
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
        option(terminal, "A")
        terminal.type("0000000001")
        terminal.enter()
        terminal.sees("accounts found", "00000001")


def money(walk):
    """Money moves"""
    terminal = begin(walk)
    show_account(terminal, "00000001")
    before = balance(terminal, "Actual Balance")
    with walk.step("credit: UPDATE of the account, INSERT of a movement"):
        option(terminal, "6")
        terminal.type("00000001")
        terminal.fill(8, 36, "+")
        terminal.fill(8, 38, "100.25")
        terminal.enter()
        terminal.sees("Amount successfully applied")
        assert balance(terminal, "Actual Balance") == before + 10025
    with walk.step("a transfer: two UPDATEs in one unit of work"):
        option(terminal, "7")
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
        option(terminal, "4")
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
        option(terminal, "3")
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
        option(terminal, "1")
        terminal.type(number)
        terminal.enter()
        terminal.sees("Customer lookup successful.", "Pemberley")
        terminal.pf(5)
        terminal.sees("successfully deleted")


TITLE, FIRST_NAME, INITIALS, FAMILY_NAME = ((7, 19), (7, 47), (8, 19), (8, 36))
ADDRESS = ((10, 19), (11, 19), (12, 19))
BIRTH = ((13, 19), (13, 24), (13, 29))
"""Where the fields of a new customer begin."""
JANE = {
    TITLE: "Ms", FIRST_NAME: "Jane", FAMILY_NAME: "Harbour", ADDRESS[0]: "2 Dock Road", BIRTH[0]: "16", BIRTH[1]: "12",
    BIRTH[2]: "1975",
}


def create(terminal, values):
    """A customer of these values, on a fresh map."""
    option(terminal, "3")
    for place, text in values.items():
        terminal.fill(*place, text)
    terminal.enter()


def born(day, month, year):
    return dict(zip(BIRTH, (day, month, year)))


def created(terminal):
    """The number of the customer that has been made."""
    terminal.sees("successfully created")
    return re.search(r"\d{10}", next(line for line in terminal.screen() if "Customer Number" in line))[0]


def show_customer(terminal, number, *texts):
    option(terminal, "1")
    terminal.type(number)
    terminal.enter()
    terminal.sees("Customer lookup successful.", *texts)


def values_of_customers(walk):
    """Values of one's own: what is missing, what is as long as its field, days that there are and are not"""
    terminal = begin(walk)
    missing = (
        (TITLE, "Valid titles are"), (FIRST_NAME, "valid First Name"), (FAMILY_NAME, "valid Surname"),
        (ADDRESS[0], "valid Address Line 1"), (BIRTH[0], "valid Date of Birth DD"), (BIRTH[2], "valid Date of Birth YYYY"),
    )
    with walk.step("nothing at all"):
        create(terminal, {})
        terminal.sees("Valid titles are")
    for field, message in missing:
        with walk.step(f"without a value that is needed: {message}"):
            create(terminal, {place: text for place, text in JANE.items() if place != field})
            terminal.sees(message)
    with walk.step("a field that was filled and erased to its end is missing, too"):
        create(terminal, JANE | {FAMILY_NAME: ""})
        terminal.sees("valid Surname")
    with walk.step("29 February of a year that has none"):
        create(terminal, JANE | born("29", "02", "1975"))
        terminal.sees("customer D.O.B. is invalid")
    with walk.step("29 February of a leap year, and no initials"):
        create(terminal, JANE | born("29", "02", "2000"))
        number = created(terminal)
        show_customer(terminal, number, "Ms Jane", "Harbour", "29 / 02 / 2000")
    longest = {
        TITLE: "Professor", FIRST_NAME: "Firstnameoftwentychr", INITIALS: "XY", FAMILY_NAME: "Familyname-of-twenty",
        ADDRESS[0]: "A" * 59 + "Z", ADDRESS[1]: "B" * 59 + "Y", ADDRESS[2]: "C" * 39 + "X",
    }
    with walk.step("values as long as their fields"):
        create(terminal, JANE | longest)
        number = created(terminal)
        show_customer(terminal, number, "Professor Firstnameoftwentychr XY Familyname-of-twenty", "A" * 59 + "Z")


def empty(schema):
    """A value that a schema allows, with nothing in it."""
    if schema["type"] == "object":
        return {name: empty(inner) for name, inner in schema.get("properties", {}).items()}
    if schema["type"] == "array":
        return [empty(schema["items"])] * schema.get("minItems", 0)
    return "" if schema["type"] == "string" else 0


def serve(walk, program, **fields):
    """Asks a service, and returns the fields of its answer. Fields that are not given are empty."""
    described = walk.web.ask("GET", f"/services/{program}?openapi").must(200)
    document = json.loads(described.body)
    operation = next(iter(document["paths"].values()))["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    record = empty(schema) | fields
    answer = walk.web.ask("POST", f"/services/{program}", json.dumps(record), Content_Type="application/json")
    answer.must(200)
    return json.loads(answer.body)


def services(walk):
    """Programs as services of JSON"""
    with walk.step("a customer by number"):
        found = serve(walk, "inqcust", inqcust_custno=1)
        assert found["inqcust_inq_success"] == "Y" and found["inqcust_custno"] == 1, found
    with walk.step("one that is not there"):
        found = serve(walk, "inqcust", inqcust_custno=77777)
        assert found["inqcust_inq_success"] == "N", found
    with walk.step("a new one, without initials, born on 29 February"):
        made = serve(walk, "crecust", comm_name="Ms Jane Harbour", comm_address="2 Dock Road", comm_date_of_birth=29022000)
        assert made["comm_success"] == "Y", made
        number = made["comm_key"]["comm_number"]
        found = serve(walk, "inqcust", inqcust_custno=number)
        assert found["inqcust_name"].strip() == "Ms Jane Harbour", found
        assert found["inqcust_dob"] == {"inqcust_dob_dd": 29, "inqcust_dob_mm": 2, "inqcust_dob_yyyy": 2000}, found
    with walk.step("one without a title"):
        made = serve(walk, "crecust", comm_name="Jane Harbour", comm_address="2 Dock Road", comm_date_of_birth=29022000)
        assert made["comm_success"] == "N" and made["comm_fail_code"] == "T", made
    with walk.step("one born on a day that there is not"):
        made = serve(walk, "crecust", comm_name="Ms Jane Harbour", comm_address="2 Dock Road", comm_date_of_birth=29021975)
        assert made["comm_success"] == "N", made
    with walk.step("the accounts of a customer: a table"):
        assert serve(walk, "inqacccu", customer_number=1)["account_details"][0]["comm_accno"] > 0
    with walk.step("gone"):
        assert serve(walk, "delcus", comm_custno=str(number).zfill(10))["comm_del_success"] == "Y"
        assert serve(walk, "inqcust", inqcust_custno=number)["inqcust_inq_success"] == "N"


SCENES = (enquiries, money, new_account, new_customer, values_of_customers, services)
