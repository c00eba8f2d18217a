"""A generated client of the orders, in the package `made`: whole values there and back, a fault by its name. generated_client.py URL"""
import sys
from made import Client
from made.api.default import orders_operation
from made.models import OrdersOperationBody

client = Client(base_url=sys.argv[1])
order = {"order_no": 17, "customer": "A & <b> é", "total": -12.34, "lines": [{"item": "nut", "rate": 32767}]}
answer = orders_operation.sync(client=client, body=OrdersOperationBody.from_dict(order))
lines = [(line.item, line.rate) for line in answer.lines]
print(answer.order_no, answer.customer, answer.total, lines)
wrong = OrdersOperationBody.from_dict({**order, "customer": "x" * 21})
refused = orders_operation.sync_detailed(client=client, body=wrong)
print(refused.status_code.value, refused.parsed.fault.detail.cics_fault.split(":")[0])
