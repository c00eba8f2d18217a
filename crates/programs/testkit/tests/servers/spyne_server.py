"""A SOAP server by spyne: an order's total, or a fault. Says its address, and serves until its input ends.

Usage: spyne_server.py 11|12
"""

import logging
import os
import sys
import threading
from decimal import Decimal as Number
from wsgiref.simple_server import WSGIRequestHandler, make_server

from spyne import Application, ComplexModel, Decimal, Fault, Integer32, ServiceBase, Unicode, rpc
from spyne.protocol.soap import Soap11, Soap12
from spyne.server.wsgi import WsgiApplication

logging.disable(logging.CRITICAL)


class Order(ComplexModel):
    __namespace__ = "urn:shop"
    item = Unicode(max_len=12, min_occurs=1, nillable=False)
    pieces = Integer32(min_occurs=1, nillable=False)
    price = Decimal(total_digits=7, fraction_digits=2, min_occurs=1, nillable=False)


class Receipt(ComplexModel):
    __namespace__ = "urn:shop"
    item = Unicode(max_len=12, min_occurs=1, nillable=False)
    total = Decimal(total_digits=9, fraction_digits=2, min_occurs=1, nillable=False)


class Shop(ServiceBase):
    @rpc(Order.customize(min_occurs=1, nillable=False), _returns=Receipt.customize(min_occurs=1, nillable=False))
    def total(ctx, order):
        if order.item == "NONE":
            raise Fault("Client.NoSuchItem", "there is no such item: <NONE>")
        return Receipt(item=order.item, total=Number(order.pieces) * order.price)


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


protocol = Soap12 if sys.argv[1] == "12" else Soap11
application = Application([Shop], "urn:shop", in_protocol=protocol(validator="lxml"), out_protocol=protocol())
server = make_server("127.0.0.1", 0, WsgiApplication(application), handler_class=Quiet)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
