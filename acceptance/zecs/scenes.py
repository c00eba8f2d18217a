"""What clients of zECS do. It keeps values by keys, in segments of 32,000 bytes, in two KSDS, until their time is over."""

import os

CACHE = "/resources/ecs/devops/sessionData"
SEGMENT = 32_000
LONGEST_KEY, LONGEST_VALUE = 255, 3_200_000
TEXT, JSON, BYTES = "text/plain", "application/json", "application/octet-stream"
DONE, NOT_FOUND = (200, "OK"), (204, "Record not found")


def installation(walk):
    """An operator makes the instance"""
    terminal = walk.terminal()
    with walk.step("ZNCD: a named counter for its keys, and START of the expiration"):
        terminal.start("ZNCD,ZC00")
        terminal.sees("Named counter created")
    with walk.step("a second time it is there"):
        terminal.start("ZNCD,ZC00")
        terminal.sees("Already defined")


def values(walk):
    """Values by their keys"""
    ask = walk.web.ask
    key = f"{CACHE}/mlb_dodgers"
    with walk.step("a key that is not there: 204, by an empty document, and its reason phrase"):
        ask("GET", key).must(*NOT_FOUND, b"")
        ask("DELETE", key).must(*NOT_FOUND, b"")
    with walk.step("POST of text: received as it is, and again with SRVCONVERT"):
        ask("POST", key, "Los Angeles", Content_Type=TEXT).must(*DONE)
        answer = ask("GET", key).must(*DONE, b"Los Angeles")
        assert answer.headers["Content-Type"].startswith(TEXT), answer.headers
        assert answer.headers["Access-Control-Allow-Origin"] == "*", answer.headers
    with walk.step("PUT replaces value and media type: REWRITE, and DELETE of the old segments"):
        ask("PUT", key, '{"players":26}', Content_Type=JSON).must(*DONE)
        answer = ask("GET", key).must(*DONE, b'{"players":26}')
        assert answer.headers["Content-Type"] == JSON, answer.headers
    with walk.step("DELETE"):
        ask("DELETE", key).must(*DONE)
        ask("GET", key).must(*NOT_FOUND)


def large_values(walk):
    """Values of one segment and of many: GETMAIN, and addresses that are calculated with"""
    ask = walk.web.ask
    for length in (1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 5 * SEGMENT, LONGEST_VALUE):
        with walk.step(f"{length} bytes of any kind, there and back"):
            value = os.urandom(length)
            ask("PUT", f"{CACHE}/large", value, Content_Type=BYTES).must(*DONE)
            ask("GET", f"{CACHE}/large").must(*DONE, value)
    with walk.step("one byte more is refused: MAXLENGTH, LENGERR"):
        refused = ask("PUT", f"{CACHE}/large", bytes(LONGEST_VALUE + 1), Content_Type=BYTES)
        refused.must(400, "WEB RECEIVE error")
        ask("GET", f"{CACHE}/large").must(*DONE, value)


def refusals(walk):
    """What is refused"""
    ask = walk.web.ask
    with walk.step("no value"):
        ask("POST", f"{CACHE}/none", b"", Content_Type=TEXT).must(400, "WEB RECEIVE error")
    with walk.step("no key, and no slash before it"):
        ask("GET", f"{CACHE}/").must(400, "Key must be greater than 0 bytes")
        ask("GET", CACHE).must(400, "Invalid URI format")
    with walk.step("the longest key, and a longer one"):
        ask("POST", f"{CACHE}/{'k' * LONGEST_KEY}", "v", Content_Type=TEXT).must(*DONE)
        ask("GET", f"{CACHE}/{'k' * LONGEST_KEY}").must(*DONE, b"v")
        ask("GET", f"{CACHE}/{'k' * (LONGEST_KEY + 1)}").must(400, "Key exceeds maximum 255 bytes")
    with walk.step("a path that no URIMAP has: the sample analyzer does not understand it"):
        ask("GET", "/resources/ecs/devops/other/key").must(400)


def expiry(walk):
    """Time to live, and all at once"""
    ask = walk.web.ask
    with walk.step("a partner asks whether a value may go: not yet, and the reason phrase is its time"):
        ask("POST", f"{CACHE}/young?ttl=600", "v", Content_Type=TEXT).must(*DONE)
        answer = ask("DELETE", f"{CACHE}/young".replace("resources", "deplicate")).must(201)
        assert answer.reason.isdigit() and len(answer.reason) == 15, answer.reason
        assert answer.body.startswith(b"Record has not expired."), answer.body
        ask("GET", f"{CACHE}/young").must(*DONE, b"v")
    with walk.step("?clear=* with .SDR: XCTL, a browse by READ GTEQ, generic DELETE; the answer behind it"):
        for number in range(20):
            ask("POST", f"{CACHE}/many{number}", "v" * 40_000, Content_Type=BYTES).must(*DONE)
        ask("DELETE", f"{CACHE}.SDR/?clear=*").must(*DONE)
        for number in range(20):
            ask("GET", f"{CACHE}/many{number}").must(*NOT_FOUND)
    terminal = walk.terminal()
    with walk.step("ZPLT: a browse of URIMAPs, and START of the expiration for each"):
        terminal.start("ZPLT")
        walk.message("zECS start ZX00 for ZC00 /resources/ecs/devops/sessionData*")


def sample_client(walk):
    """ECS001, a client at a terminal: WEB OPEN by a URIMAP, INQUIRE URIMAP, WEB CONVERSE"""
    terminal = walk.terminal()
    with walk.step("a value that was put over HTTP"):
        walk.web.ask("POST", f"{CACHE}/TEAMS", "26 players", Content_Type=TEXT).must(*DONE)
        terminal.start("ECSC GET TEAMS")
        terminal.sees("Command successfully processed.", "26 players")
    with walk.step("DEL, and then it is gone: the status and its text come back"):
        terminal.start("ECSC DEL TEAMS")
        terminal.sees("Command successfully processed.")
        # ZECS001 answers by WEB SEND ACTION(IMMEDIATE), before its syncpoint: others read the record until then.
        walk.web.until(lambda answer: answer.status == 204, "GET", f"{CACHE}/TEAMS")
        terminal.start("ECSC GET TEAMS")
        terminal.sees("A4000: HTTP ERROR", "204", "Record not found")
    with walk.step("another command"):
        terminal.start("ECSC FIX TEAMS")
        terminal.sees("Invalid command option, expecting GET,PUT or DEL")


SCENES = (installation, values, large_values, refusals, sample_client, expiry)
