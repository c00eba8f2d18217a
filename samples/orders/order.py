"""Writes an order of fifty lines as a client sends it: for `syncpoint service try` and curl.

    python3 samples/orders/order.py [xml]
"""

import json
import sys

LINES = [
    {
        "item": f"NUT-{number:04}",
        "description": "A NUT & ITS <BOLT>",
        "pieces": number,
        "price": 1.25,
        "discount": 10.0 if number % 2 == 0 else 0.0,
        "delivery": 20260801 if number % 3 == 0 else 0,
        "warehouse": 7,
    }
    for number in range(1, 51)
]
ORDER = {"order_no": 1001, "customer": "HARBOUR CHANDLERS", "ordered": 20260704, "total": 0.0, "remark": "", "order_line": LINES}


def escaped(value):
    return str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def element(name, value):
    if isinstance(value, list):
        return "".join(element(name, one) for one in value)
    if isinstance(value, dict):
        value = "".join(element(*part) for part in value.items())
    else:
        value = escaped(value)
    return f"<{name}>{value}</{name}>"


def xml():
    body = "".join(element(*part) for part in ORDER.items())
    return (
        '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>'
        f'<o:order xmlns:o="urn:orders">{body}</o:order></e:Body></e:Envelope>'
    )


if __name__ == "__main__":
    print(xml() if sys.argv[1:] == ["xml"] else json.dumps(ORDER))
