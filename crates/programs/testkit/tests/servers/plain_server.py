"""A server by Python's own http.server, whose answers are written by hand. Says its address, and serves until its input ends.

Usage: plain_server.py [CERTIFICATE KEY AUTHORITIES]: with them by TLS, and clients must show a certificate.
"""

import itertools
import json
import os
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULT = """<?xml version="1.0"?>
<!-- a "comment" before it -->
<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:d="urn:detail"><s:Header/><s:Body><s:Fault>
<s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>d:Sold</s:Value></s:Subcode></s:Code>
<s:Reason><s:Text xml:lang="de">verkauft</s:Text></s:Reason><s:Detail><d:why>sold</d:why></s:Detail>
</s:Fault></s:Body></s:Envelope>"""
HEADER = """<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Header><h:h xmlns:h="urn:h"
 s:mustUnderstand="true">yours</h:h></s:Header><s:Body><p:totalResponse xmlns:p="urn:shop"><p:totalResult><p:item>HEAD</p:item>
<p:total>1.00</p:total></p:totalResult></p:totalResponse></s:Body></s:Envelope>"""
SOAP = "application/soap+xml; charset=utf-8"
# Each connection has a number.
numbers = itertools.count(1)
# The numbers of those that are open.
opened = set()


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def setup(self):
        super().setup()
        self.number = next(numbers)
        self.has_answered = False
        opened.add(self.number)

    def finish(self):
        opened.discard(self.number)
        super().finish()

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(200, "text/plain", str(len(opened - {self.number})))

    def do_PUT(self):
        self.do_POST()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        getattr(self, self.path.strip("/"))(body)

    def answer(self, status, media, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def json(self, body):
        order = json.loads(body)
        receipt = {"item": order["item"].lower(), "total": order["pieces"] * order["price"]}
        self.answer(200, "application/json", json.dumps(receipt))

    def number_of(self, _):
        self.answer(200, "application/json", json.dumps({"item": "number", "total": self.number}))

    def once(self, body):
        # A second request of a connection is read, and gets no answer.
        if self.has_answered:
            self.close_connection = True
        else:
            self.has_answered = True
            self.number_of(body)

    def who(self, _):
        subject = dict(pair for part in self.certificate()["subject"] for pair in part)
        self.answer(200, "application/json", json.dumps({"item": subject["commonName"], "total": 1}))

    def certificate(self):
        return self.request.getpeercert()

    def refuses(self, _):
        self.answer(422, "application/problem+json", '{"title":"sold"}')

    def long(self, _):
        self.answer(200, "application/json", '{"item":"A","total":123456789012}')

    def page(self, _):
        self.answer(503, "text/html", "<p>come back later")

    def fault(self, _):
        self.answer(400, SOAP, FAULT)

    def header(self, body):
        # What the region has sent as a header comes back in the reason phrase of nobody: it must be there.
        if b"<mine>" not in body:
            self.answer(500, "text/plain", "no header")
        else:
            self.answer(200, SOAP, HEADER)

    def breaks(self, _):
        self.close_connection = True

    def bomb(self, _):
        self.answer(200, SOAP, '<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>')

    def slow(self, _):
        # Nothing comes until the client goes.
        self.rfile.read(1)
        self.close_connection = True


server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
server.daemon_threads = True
scheme = "http"
if len(sys.argv) > 1:
    certificate, key, authorities = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(authorities)
    context.verify_mode = ssl.CERT_REQUIRED
    server.socket = context.wrap_socket(server.socket, server_side=True)
    scheme = "https"
print(f"{scheme}://127.0.0.1:{server.server_port}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
