"""What all walks through the console share: steps with the rule that each shows, a browser that watches its page, signing on."""

from contextlib import contextmanager
from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clients import axe
from clients.chromium import Browser, BrowserError, available

USER, PASSWORD = "operator", "HARBOUR9"
CLERK = ("TELLER1", "HARBOUR1")
DESKTOP, PHONE = (1280, 860), (390, 844)
SCREEN = ".screen"
passed, failed, skipped = [], [], []
pictures = Path(sys.argv[2]) if len(sys.argv) > 2 else None


@contextmanager
def step(rule, browser=None):
    try:
        yield
    except Exception as error:
        failed.append(rule)
        print(f"  FAILED  {rule}\n          {error}", flush=True)
        if browser:
            print(f"          {browser.value('JSON.stringify(window.complaints)')}\n          {browser.text()[:800]!r}", flush=True)
    else:
        passed.append(rule)
        print(f"  passed  {rule}", flush=True)


def keep(browser, name):
    if pictures:
        browser.picture(pictures / f"{name}.png")


def watch(browser):
    """What the page complains of: scripts that fail, and what its policy has stopped."""
    browser.call("Page.addScriptToEvaluateOnNewDocument", source="""
        window.complaints = [];
        addEventListener('error', (event) => complaints.push(event.message ?? 'not loaded'), true);
        addEventListener('unhandledrejection', (event) => complaints.push(String(event.reason)));
        document.addEventListener('securitypolicyviolation', (event) => complaints.push(event.violatedDirective + ' ' + event.blockedURI));
    """)


def calm(browser):
    complaints = browser.value("JSON.stringify(complaints)")
    assert complaints == "[]", complaints
    wide = browser.value("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"the page is {wide} pixels wider than its window"


def readable(browser):
    """The page has nothing that axe-core finds a barrier; without axe-core the step is skipped, and says so."""
    try:
        found = axe.complaints(browser)
    except axe.NotHere as why:
        if not skipped:
            print(f"  skipped  axe-core cannot be installed: {why}", flush=True)
        skipped.append(str(why))
        return
    assert found == "[]", found


def choose(browser, element, value):
    """Chooses an option of a list."""
    script = f"(e => {{ e.value = {value!r}; for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {{ bubbles: true }})); return e.value; }})"
    assert browser.value(f"{script}(document.querySelector({element!r}))") == value, f"{element} has no {value}"


def go(browser, page, place):
    """Goes to a place of the console."""
    browser.open(f"{page}/#/{place}")


def press_button(browser, text, within="main"):
    """Presses the button of a text."""
    script = f"[...document.querySelectorAll('{within} button, {within} summary')].find(e => e.firstChild.textContent === {text!r})"
    browser.until(lambda: browser.value(f"(e => !!e && !e.disabled)({script})"), f"there is no button {text}, or it is not free")
    browser.value(f"{script}.click()")


def sign_on(browser, page):
    browser.open(page)
    browser.until(lambda: browser.value("!!document.querySelector('input[name=user]')"), "nobody asks who is there")
    keep(browser, "sign-on")
    browser.type("input[name=user]", USER)
    browser.type("input[name=password]", "WRONG")
    browser.click(".sign-on button.main")
    browser.sees(".problem", "do not fit")
    browser.type("input[name=password]", PASSWORD)
    browser.press_enter()
    browser.sees("#person", "Olive Keeper")
