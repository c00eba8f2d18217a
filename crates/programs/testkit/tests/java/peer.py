"""Stands in the place of a JVM: a partner that misbehaves in a way of its own on each thread, or dies before a frame.

PEER names a file with a number: before the frame of that number it kills itself; -1: never, but each of its threads is a bad partner.
"""

import os
import signal
import socket
import struct
import threading

PATH = os.environ["SYNCPOINT_JVM_SOCKET"]
TOKEN = os.environ["SYNCPOINT_JVM_TOKEN"].encode()
with open(os.environ["PEER"], encoding="ascii") as file:
    DIES = int(file.read())
HELLO, REQUEST, REPLY, CLOSING = 1, 3, 4, 7
sent = 0
turn = threading.Lock()


def sized(value):
    return struct.pack(">I", len(value)) + value


def frame(kind, conversation, body, flags=0):
    return struct.pack("<IIBBBB", len(body), conversation, kind, flags, 100, 0) + body


def send(stream, bytes):
    """Sends a frame, or dies before."""
    global sent
    with turn:
        if sent == DIES:
            os.kill(os.getpid(), signal.SIGKILL)
        sent += 1
        stream.sendall(bytes)


def exact(stream, count):
    bytes = b""
    while len(bytes) < count:
        more = stream.recv(count - len(bytes))
        if not more:
            raise EOFError
        bytes += more
    return bytes


def receive(stream):
    length, conversation, kind, _ = struct.unpack("<IIBxBx", exact(stream, 12))
    return kind, conversation, exact(stream, length)


def connect(thread, token=TOKEN):
    stream = socket.socket(socket.AF_UNIX)
    stream.connect(PATH)
    send(stream, frame(HELLO, 0, b"\x01" + sized(token) + struct.pack(">I", thread) + sized(b"17")))
    return stream


def shape(number, command, options, values):
    told = b"D" + struct.pack(">H", number) + sized(command) + bytes([len(options)])
    return told + b"".join(sized(name) + bytes([mode]) for name, mode in options) + values


def write(number):
    values = sized(b"KEEPH") + sized(b"item") + struct.pack(">q", 4)
    return shape(number, b"WRITEQ TS", [(b"QUEUE", 1), (b"FROM", 1), (b"LENGTH", 2)], values)


def enqueue(number):
    return shape(number, b"ENQ", [(b"RESOURCE", 1), (b"LENGTH", 2)], sized(b"HELD") + struct.pack(">q", 4))


RETURNED = b"\0\0"

BAD = [
    lambda c: b"\xff" * 64,
    lambda c: frame(REQUEST, c, b""),
    lambda c: struct.pack("<IIBBBB", 1 << 20, c, REQUEST, 0, 100, 0),
    lambda c: frame(REQUEST, c, b"C" + struct.pack(">H", 7)),
    lambda c: frame(REQUEST, c, b"C" + struct.pack(">H", 9999)),
    lambda c: frame(REQUEST, c + 1, write(2)),
    lambda c: frame(REQUEST, c, shape(2, b"STEAL", [], b"")),
    lambda c: frame(REQUEST, c, shape(2, b"RETURN", [], b"")),
    lambda c: frame(REQUEST, c, write(0)),
    lambda c: frame(REQUEST, c, write(2)[:-1]),
    lambda c: frame(REQUEST, c, write(2) + b"more"),
    lambda c: frame(REQUEST, c, b"x" * 100, 1) + frame(REQUEST, c, b"", 1),
    lambda c: frame(REQUEST, c, b"x", 1) + frame(REPLY, c, RETURNED),
    lambda c: frame(REPLY, c, b"\x09"),
    lambda c: frame(REPLY, c, b""),
    lambda c: frame(REPLY, c, b"\x01" + sized(b"ABND") + b"more"),
    lambda c: frame(CLOSING, c, b""),
    lambda c: frame(HELLO, c, b"\x01"),
    lambda c: frame(REQUEST, c, write(2))[:20],
    lambda c: b"",
]


def strangers():
    """A thousand connections that nobody has asked for."""
    for _ in range(1000):
        for token in (b"wrong", TOKEN):
            connect(4711, token).close()


def serve(thread):
    stream = connect(thread)
    _, conversation, _ = receive(stream)
    for body in (write(0), enqueue(1)):
        send(stream, frame(REQUEST, conversation, body))
        receive(stream)
    if DIES >= 0:
        send(stream, frame(REPLY, conversation, RETURNED))
        receive(stream)
    if thread == 1:
        strangers()
    stream.sendall(BAD[(thread - 1) % len(BAD)](conversation))
    stream.shutdown(socket.SHUT_WR)
    try:
        receive(stream)
    except (EOFError, OSError):
        pass


control = connect(0)
while True:
    kind, _, body = receive(control)
    if kind == CLOSING:
        break
    if body[:1] == b"T":
        threading.Thread(target=serve, args=struct.unpack(">I", body[1:]), daemon=True).start()
