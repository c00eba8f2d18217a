"""What clients of zFAM's basic mode do: its own published examples, and values of many segments."""

import os

TEAMS = "/datastore/zFAM/us/east/devops/teams"
SEGMENT = 32_000
TEXT, BYTES = "text/plain", "application/octet-stream"
BASEBALL = ("Los Angeles Angels", "Houston Astros", "Oakland Athletics", "Toronto Blue Jays", "Atlanta Braves")
NAMES = ("mlb_angels", "mlb_astros", "mlb_athletics", "mlb_blue_jays", "mlb_braves")
VALUES = {name: f'{{ "name" : "{team}", "players" : 26 }}'.encode() for name, team in zip(NAMES, BASEBALL)}
COWBOYS = b'{ "name" : "Dallas Cowboys", "players" : 53 }'


def installation(walk):
    """An operator makes the instance"""
    terminal = walk.terminal()
    with walk.step("the named counter for its keys, and START of the expiration"):
        terminal.start("ZFNC,FA00")
        terminal.sees("Named counter created")


def single_values(walk):
    """Values by their keys"""
    ask = walk.web.ask
    with walk.step("POST, by XCTL with a channel"):
        for name, value in VALUES.items():
            ask("POST", f"{TEAMS}/{name}", value, Content_Type=TEXT).must(200)
        ask("POST", f"{TEAMS}/nfl_cowboys", COWBOYS, Content_Type=TEXT).must(200)
    with walk.step("GET"):
        ask("GET", f"{TEAMS}/mlb_astros").must(200, None, VALUES["mlb_astros"])
    with walk.step("POST of a key that is there: 409"):
        ask("POST", f"{TEAMS}/nfl_cowboys", COWBOYS, Content_Type=TEXT).must(409)
    with walk.step("PUT with a time to live"):
        value = COWBOYS.replace(b"53", b"55")
        ask("PUT", f"{TEAMS}/nfl_cowboys?ttl=3650", value, Content_Type=TEXT).must(200)
        ask("GET", f"{TEAMS}/nfl_cowboys").must(200, None, value)
    with walk.step("a key that is not there"):
        ask("GET", f"{TEAMS}/nba_none").must(204, "01-002 FA00KEY  - GET Primary key record not found")
        ask("DELETE", f"{TEAMS}/nba_none").must(204, "02-002 FA00KEY  - DELETE Primary key record not found")


def neighbours(walk):
    """Keys beside one that is not there"""
    ask = walk.web.ask
    for query, name in (("ge", "mlb_athletics"), ("gt", "mlb_athletics"), ("le", "mlb_astros"), ("lt", "mlb_astros")):
        with walk.step(f"?{query}: the reason phrase is the key that was found"):
            ask("GET", f"{TEAMS}/mlb_at?{query}").must(200, name, VALUES[name])
    with walk.step("?eq"):
        ask("GET", f"{TEAMS}/mlb_astros?eq").must(200, None, VALUES["mlb_astros"])


def large_values(walk):
    """Values of many segments"""
    ask = walk.web.ask
    for length in (SEGMENT, SEGMENT + 1, 40 * SEGMENT + 7):
        with walk.step(f"{length} bytes of any kind, there and back"):
            value = os.urandom(length)
            ask("POST", f"{TEAMS}/large{length}", value, Content_Type=BYTES).must(200)
            ask("GET", f"{TEAMS}/large{length}").must(200, None, value)
    with walk.step("DELETE of all its segments"):
        ask("DELETE", f"{TEAMS}/large{length}").must(200)
        ask("GET", f"{TEAMS}/large{length}").must(204)


SCENES = (installation, single_values, neighbours, large_values)
