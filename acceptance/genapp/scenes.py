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


ENVELOPE = (
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>'
    '<{program}Operation xmlns="http://www.{program}.{member}.Request.com">{fields}</{program}Operation>'
    "</soapenv:Body></soapenv:Envelope>"
)
CUSTOMER_FIELDS = {
    "ca_request_id": "", "ca_return_code": 0, "ca_customer_num": 0, "ca_first_name": "", "ca_last_name": "", "ca_dob": "",
    "ca_house_name": "", "ca_house_num": "", "ca_postcode": "", "ca_num_policies": 0, "ca_phone_mobile": "", "ca_phone_home": "",
    "ca_email_address": "", "ca_policy_data": "",
}
HOUSE_FIELDS = {
    "ca_request_id": "", "ca_return_code": 0, "ca_customer_num": 0, "ca_policy_num": 0, "ca_issue_date": "", "ca_expiry_date": "",
    "ca_lastchanged": "", "ca_brokerid": 0, "ca_brokersref": "", "ca_payment": 0, "ca_h_property_type": "", "ca_h_bedrooms": 0,
    "ca_h_value": 0, "ca_h_house_name": "", "ca_h_house_number": "", "ca_h_postcode": "", "ca_h_filler": "",
}


def call(walk, service, program, member, fields, values):
    """Asks a web service, and returns the fields of its answer."""
    record = "".join(f"<{name}>{values.get(name, value)}</{name}>" for name, value in fields.items())
    body = ENVELOPE.format(program=program, member=member, fields=record)
    headers = {"Content_Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
    answer = walk.web.ask("POST", f"/GENAPP/{service}", body, **headers)
    answer.must(200)
    return {name: text.strip() for name, text in re.findall(r"<(?:\w+:)?(ca_\w+)>([^<]*)<", answer.body.decode())}


def customer_call(walk, service, request, values):
    return call(walk, service, service, "SOAIC01", CUSTOMER_FIELDS, values | {"ca_request_id": request})


def web_services(walk):
    """Web services, bound by GenApp's own jobs: customers and house policies of one's own values"""
    longest = {
        "ca_first_name": "Firstname1", "ca_last_name": "Lastname-of-twenty-c", "ca_dob": "1980-02-29", "ca_house_name": "H" * 19 + "Z",
        "ca_house_num": "1234", "ca_postcode": "SM11 1AA", "ca_phone_mobile": "0" * 19 + "7", "ca_phone_home": "1" * 20,
        "ca_email_address": "e" * 90 + "@a.example",
    }
    with walk.step("a new customer, each value as long as its field, born on 29 February"):
        made = customer_call(walk, "LGACUS01", "01ACUS", longest)
        assert int(made["ca_return_code"]) == 0 and int(made["ca_customer_num"]) > 0, made
        number = made["ca_customer_num"]
    with walk.step("is found with every value"):
        found = customer_call(walk, "LGICUS01", "01ICUS", {"ca_customer_num": number})
        assert int(found["ca_return_code"]) == 0, found
        lost = {name: found[name] for name, value in longest.items() if found[name] != value}
        assert not lost, lost
    with walk.step("changed: empty values stay empty"):
        changed = longest | {"ca_customer_num": number, "ca_house_name": "", "ca_phone_home": ""}
        assert int(customer_call(walk, "LGUCUS01", "01UCUS", changed)["ca_return_code"]) == 0
        found = customer_call(walk, "LGICUS01", "01ICUS", {"ca_customer_num": number})
        assert (found["ca_house_name"], found["ca_phone_home"], found["ca_first_name"]) == ("", "", "Firstname1"), found
    with walk.step("a customer who is not there: no values of another one"):
        found = customer_call(walk, "LGICUS01", "01ICUS", {"ca_customer_num": 9999999999})
        assert int(found["ca_return_code"]) != 0, found
        assert "Lastname" not in "".join(found.values()), found
    house = {
        "ca_customer_num": number, "ca_issue_date": "2028-02-29", "ca_expiry_date": "2029-02-28", "ca_brokerid": 999999999,
        "ca_brokersref": "BROKER-REF", "ca_payment": 999999, "ca_h_property_type": "DETACHED-HOUSE", "ca_h_bedrooms": 999,
        "ca_h_value": 99999999, "ca_h_house_name": "P" * 20, "ca_h_house_number": "9999", "ca_h_postcode": "SO21 2JN",
    }

    def policy_call(service, program, request, values):
        return call(walk, service, program, "SOAIPH1", HOUSE_FIELDS, values | {"ca_request_id": request})

    with walk.step("a house policy from 29 February on, with the greatest numbers"):
        made = policy_call("LGAPOLH1", "LGAPOL01", "01AHOU", house)
        assert int(made["ca_return_code"]) == 0 and int(made["ca_policy_num"]) > 0, made
        policy = made["ca_policy_num"]
    with walk.step("is found with every value"):
        asked = {"ca_customer_num": number, "ca_policy_num": policy}
        found = policy_call("LGIPOLH1", "LGIPOL01", "01IHOU", asked)
        assert int(found["ca_return_code"]) == 0, found
        lost = {
            name: found[name] for name, value in house.items()
            if (int(found[name]) != int(value) if isinstance(value, int) else found[name] != value)
        }
        lost.pop("ca_brokerid", None), lost.pop("ca_brokersref", None), lost.pop("ca_payment", None)
        assert not lost, lost
    with walk.step("a message that does not fit is refused, and its program is not called"):
        answer = walk.web.ask("POST", "/GENAPP/LGICUS01", "<nothing/>", Content_Type="text/xml; charset=utf-8")
        assert answer.status >= 400, answer


SCENES = (customers, motor_policies, other_policies, web_services)
