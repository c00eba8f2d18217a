"""zeep and xmlsec as a client that signs its requests and verifies the answers. signs.py URL FOLDER-OF-THE-KEYRING"""
import sys
from base64 import b64encode
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from urllib.request import Request, urlopen
from urllib.error import HTTPError
import xmlsec
from lxml import etree
from zeep import Client
from zeep.wsse.signature import BinarySignature, Signature, verify_envelope

url, keyring = sys.argv[1], Path(sys.argv[2])
SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
WSU = "{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd}"
DS = "{http://www.w3.org/2000/09/xmldsig#}"
SHA1 = (xmlsec.Transform.RSA_SHA1, xmlsec.Transform.SHA1)
SHA256 = (xmlsec.Transform.RSA_SHA256, xmlsec.Transform.SHA256)


def signer(name, kind=BinarySignature, methods=SHA256):
    made = kind(keyring / f"{name}.key", keyring / f"{name}.pem", None, *methods)
    made.verify = lambda envelope: verify_envelope(envelope, keyring / "door.pem") or print("verified", end=" ")
    return made


for kind, methods in ((BinarySignature, SHA256), (Signature, SHA256), (BinarySignature, SHA1)):
    print(Client(url + "?wsdl", wsse=signer("anna", kind, methods)).service.who(what="A & <b> é"))

client = Client(url + "?wsdl")


def signed(name="anna"):
    envelope = client.create_message(client.service, "who", what="A")
    signer(name).apply(envelope, {})
    return envelope


def answer(envelope):
    body = etree.tostring(envelope)
    try:
        return urlopen(Request(url, body, {"Content-Type": "text/xml"})).status
    except HTTPError as error:
        fault = etree.fromstring(error.read())
        return fault.findtext(".//faultcode")


def changed():
    envelope = signed()
    envelope.find(".//what").text = "B"
    return envelope


def moved(into):
    """The signed body stands elsewhere, and another has its place."""
    envelope = signed()
    body = envelope.find(SOAP + "Body")
    other = deepcopy(body)
    other.attrib.pop(WSU + "Id")
    other.find(".//what").text = "B"
    if into == "header":
        aside = etree.SubElement(envelope.find(SOAP + "Header"), "aside")
        envelope.replace(body, other)
        aside.append(body)
    elif into == "behind":
        body.addprevious(other)
    else:
        envelope.replace(body, other)
    return envelope


def twice():
    """The signature says what it covers, and before it the stranger what it has put in the body's place."""
    envelope = moved("header")
    body = envelope.find(SOAP + "Body")
    body.set(WSU + "Id", "forged")
    genuine = envelope.find(f".//{DS}SignedInfo")
    forged = deepcopy(genuine)
    form = etree.tostring(body, method="c14n", exclusive=True)
    forged.find(DS + "Reference").set("URI", "#forged")
    forged.find(f".//{DS}DigestValue").text = b64encode(sha256(form).digest()).decode()
    genuine.addprevious(forged)
    return envelope


def bare():
    envelope = signed()
    envelope.remove(envelope.find(SOAP + "Header"))
    return envelope


for name, envelope in (
    ("signed", signed()),
    ("changed", changed()),
    ("aside", moved("header")),
    ("behind", moved("behind")),
    ("gone", moved("nowhere")),
    ("twice", twice()),
    ("bare", bare()),
    ("stranger", signed("stranger")),
):
    print(name, answer(envelope))
