"""The web page of the sample bank, in a headless Chromium.

    python3 tests/bank/web_page.py http://127.0.0.1:8080/bank [ALLOWED OTHER]

The walk compares balances with the bank's data, so it wants a region with fresh data. ALLOWED and OTHER are pages of other origins that ask
the enquiry at the address behind `?ask=`, with what they know of the user; `[web.origins]` allows the first one. Ends with a line
'N passed, N failed'.
"""

from contextlib import contextmanager
from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clients.chromium import Browser, available

USER, PASSWORD = "operator", "HARBOUR9"
passed, failed = [], []


@contextmanager
def step(rule):
    try:
        yield
    except Exception as error:
        failed.append(rule)
        print(f"  FAILED  {rule}\n          {error}", flush=True)
    else:
        passed.append(rule)
        print(f"  passed  {rule}", flush=True)


def stranger(page):
    with Browser() as browser, step("nobody sees the page who does not say who it is"):
        browser.open(page)
        assert "Harbour" not in browser.text(), browser.text()
    with Browser(USER, "WRONG") as browser, step("nor with a wrong password"):
        browser.open(page)
        assert "Harbour" not in browser.text(), browser.text()


def transfer(browser, source, target, amount):
    for element, text in (("#from", source), ("#to", target), ("#amount", amount)):
        browser.type(element, text)
    browser.press_enter()


def clerk(page):
    with Browser(USER, PASSWORD) as browser:
        with step("who says who it is sees the page"):
            browser.open(page)
            browser.sees("h1", "Harbour Savings Bank")
        with step("a customer, and the accounts"):
            browser.type("#number", "1")
            browser.press_enter()
            browser.sees("#answer", "Ada Whitlock", "4 Beacon Street, Port Ellery SM2 2BD")
            browser.sees("#accounts", "10000001", "Current", "2996.45", "20000001", "Savings", "4272.41")
        with step("a transfer: both balances"):
            transfer(browser, "10000001", "20000001", "96.45")
            browser.sees("#said", "The money was moved.")
            browser.sees("#accounts", "2900.00", "4368.86")
        with step("more than there is: nothing moves"):
            transfer(browser, "10000001", "20000001", "100000")
            browser.sees("#said", "Insufficient funds. Nothing moved.")
            browser.sees("#accounts", "2900.00", "4368.86")
        with step("an account that is not there"):
            transfer(browser, "10000001", "77", "1")
            browser.sees("#said", "There is no such account to pay into.")
        with step("what fits no field is refused before any program sees it"):
            transfer(browser, "10000001", "20000001", "1.005")
            browser.sees("#said", "Not accepted: DFHPI1009")
            browser.sees("#accounts", "2900.00", "4368.86")
        with step("a customer that is not there"):
            browser.type("#number", "999999")
            browser.press_enter()
            browser.sees("#answer", "There is no such customer.")
            assert "2900.00" not in browser.text(), browser.text()


def others(page, allowed, other):
    ask = "?ask=" + page.rsplit("/", 1)[0] + "/services/bkenqc"
    with Browser() as browser:
        with step("a page of an origin that may ask reads the answer"):
            browser.open(allowed + ask)
            browser.sees("#answer", "Ada Whitlock")
        with step("one of another origin does not"):
            browser.open(other + ask)
            browser.sees("#answer", "blocked")


if __name__ == "__main__":
    if not available():
        sys.exit("chromium is not installed (apt-get install chromium)")
    stranger(sys.argv[1])
    clerk(sys.argv[1])
    if len(sys.argv) > 2:
        others(*sys.argv[1:4])
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)
