"""zeep as a client of the orders: whole values there and back, faults, both versions of SOAP. zeep_client.py URL-OF-THE-WSDL"""
import sys
from decimal import Decimal
from zeep import Client
from zeep.exceptions import Fault

client = Client(sys.argv[1])
order = {
    "order_no": 17,
    "customer": "A & <b> é",
    "total": Decimal("-12.34"),
    "lines": [{"item": "screw", "rate": -1}, {"item": "nut", "rate": 32767}],
}
for port in ("ORDERSServicePort", "ORDERSServiceSoap12Port"):
    service = client.bind("ORDERSService", port)
    answer = service.ORDERSOperation(**order)
    lines = [(line["item"], line["rate"]) for line in answer["lines"]]
    print(answer["order_no"], answer["customer"], answer["total"], lines)
    for wrong in ({"customer": "x" * 21}, {"total": Decimal("0.001")}):
        try:
            service.ORDERSOperation(**{**order, **wrong})
        except Fault as fault:
            detail = "".join(fault.detail.itertext()) if fault.detail is not None else ""
            print(str(fault.code).split(":")[-1], fault.message, detail.split(":")[0])
