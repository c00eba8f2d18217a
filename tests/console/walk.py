"""The web console of the sample bank, in a headless Chromium: desktop and phone.

    python3 tests/console/walk.py http://127.0.0.1:9480 [FOLDER]

The region is that of samples/bank, with `[console]`. FOLDER gets pictures. Ends with a line 'N passed, N failed'.
"""

from contextlib import contextmanager
from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clients.chromium import Browser, BrowserError, available

USER, PASSWORD = "operator", "HARBOUR9"
CLERK = ("TELLER1", "HARBOUR1")
DESKTOP, PHONE = (1280, 860), (390, 844)
SCREEN = ".screen"
passed, failed = [], []
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


def screen_has(browser, *texts):
    browser.sees(SCREEN, *texts)
    browser.until(lambda: browser.text("#lock") == "", f"the keyboard is not free: {browser.text('#lock')}")


def terminal(browser, page, name):
    browser.open(f"{page}/#/terminal")
    screen_has(browser, "HARBOUR SAVINGS BANK")
    browser.press("Pause", number=19)
    browser.until(lambda: "HARBOUR" not in browser.text(SCREEN) and browser.text("#lock") == "", "CLEAR clears nothing")
    browser.write("bk00")
    browser.sees(SCREEN, "bk00")
    browser.press_enter()
    screen_has(browser, "Type your user id and password")
    browser.write(CLERK[0])
    browser.press("Tab", number=9)
    browser.write(CLERK[1])
    assert CLERK[1] not in browser.text(SCREEN), "a password is seen"
    browser.press_enter()
    screen_has(browser, "Good day, Tom Bright")
    keep(browser, name)


def letters(browser):
    with step("letters go into no field for digits and into no label; RESET helps", browser):
        browser.press("Home", number=36)
        browser.press("ArrowUp", number=38)
        browser.write("x")
        browser.until(lambda: browser.text("#lock").startswith("X "), "the keyboard stays free")
        browser.press("Escape", number=27)
        browser.until(lambda: browser.text("#lock") == "", "RESET does not help")
    with step("a paste fills the field; PF3 goes back", browser):
        browser.press("Home", number=36)
        browser.value("""(() => { const data = new DataTransfer(); data.setData('text/plain', '1');
            document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); })()""")
        browser.press_enter()
        screen_has(browser, "Whitlock")
        browser.press("F3", number=114)
        screen_has(browser, "Option:")
    with step("a screen reader gets the screen", browser):
        assert "Option:" in browser.value("document.querySelector('[aria-live][aria-atomic]').textContent")


def models(browser):
    with step("27 × 132", browser):
        browser.value("(e => { e.value = '5'; e.dispatchEvent(new Event('change')); })(document.querySelector('#model'))")
        browser.until(lambda: browser.text("#lock") == "" and "HARBOUR" in browser.text(SCREEN), "no new session")
        browser.press("Pause", number=19)
        browser.until(lambda: browser.text(SCREEN).strip() == "", "CLEAR clears nothing")
        browser.write("CEMT I TASK")
        browser.press_enter()
        browser.until(lambda: browser.value("document.querySelectorAll('.screen .line').length") == 27, "the screen stays small")
        screen_has(browser, "NORMAL")
        keep(browser, "terminal-wide")
        calm(browser)


def pages(browser, page):
    with step("who signs on sees what runs now", browser):
        browser.sees("main", "Units of work", "Processor")
        browser.until(lambda: browser.value("document.querySelectorAll('svg.plot polyline').length") >= 3, "no plot has a line")
        keep(browser, "now")
        calm(browser)
    with step("resources of every type, by name", browser):
        browser.open(f"{page}/#/resources/TRANSACTION")
        browser.type("#filter", "BK0")
        browser.sees("table", "BK00")
        assert browser.value("document.querySelectorAll('#type option').length") > 20
    with step("one in full; it is disabled, and enabled again", browser):
        browser.click("tbody .link")
        browser.sees("aside", "DISABLED")
        keep(browser, "resources")
        button = "[...document.querySelectorAll('aside button')].find(e => e.textContent === '%s').click()"
        browser.value(button % "DISABLED")
        browser.click("#question-yes")
        browser.sees("#said", "STATUS DISABLED")
        browser.until(lambda: browser.value("!![...document.querySelectorAll('aside button')].find(e => e.textContent === 'ENABLED' && !e.disabled)"),
                      "it stays enabled")
        browser.value(button % "ENABLED")
        browser.sees("#said", "STATUS ENABLED")
        calm(browser)
    with step("definitions, group by group", browser):
        browser.open(f"{page}/#/definitions")
        browser.sees("main", "BANKLIST")
        browser.click("tbody a")
        browser.sees("details summary", "")
        browser.until(lambda: browser.value("document.querySelectorAll('details').length") > 3, "the group is empty")
    with step("the log, with what was done here", browser):
        browser.open(f"{page}/#/log")
        browser.sees(".log", "OPERATOR SET TRANSACTION")
        keep(browser, "log")
        calm(browser)
    with step("dumps and the trace", browser):
        browser.open(f"{page}/#/dumps")
        browser.sees("main", "Dumps")
        browser.open(f"{page}/#/trace")
        browser.sees("main", "auxiliary trace")
        calm(browser)


def purge(browser, page):
    with step("a task that waits at a terminal is seen and purged", browser), Browser() as other:
        watch(other)
        sign_on(other, page)
        other.open(f"{page}/#/terminal")
        screen_has(other, "HARBOUR SAVINGS BANK")
        other.press("Pause", number=19)
        other.until(lambda: other.text(SCREEN).strip() == "", "CLEAR clears nothing")
        other.write("CECI")
        other.press_enter()
        screen_has(other, "STATUS")
        browser.open(f"{page}/#/now")
        browser.sees("#view", "CECI")
        keep(browser, "now-tasks")
        browser.value("[...document.querySelectorAll('#view tr')].find(e => e.textContent.includes('CECI')).querySelector('button').click()")
        browser.click("#question-yes")
        browser.sees("#said", "is purged")
        browser.until(lambda: "CECI" not in browser.text("#view"), "the task is still there")


def phone(browser, page):
    with step("at a phone's width nothing is wider than the screen", browser):
        for path, text in (("now", "Units of work"), ("resources/FILE", "FILE"), ("log", "console"), ("definitions", "BANKLIST")):
            browser.open(f"{page}/#/{path}")
            browser.sees("main", text)
            calm(browser)
            keep(browser, f"phone-{path.split('/')[0]}")
    with step("the terminal at a phone", browser):
        terminal(browser, page, "phone-terminal")
        calm(browser)


def strangers(page):
    with Browser() as browser, step("nobody who has not signed on sees the region, and has a terminal", browser):
        watch(browser)
        browser.open(page)
        browser.until(lambda: browser.value("!!document.querySelector('#nobody')"), "no way in without a name")
        browser.click("#nobody")
        screen_has(browser, "HARBOUR SAVINGS BANK")
        assert browser.text("#pages").strip() == "Terminal", browser.text("#pages")


def walk(page):
    with Browser() as browser:
        watch(browser)
        browser.size(*DESKTOP)
        browser.dark(False)
        with step("signing on: not by a wrong password", browser):
            sign_on(browser, page)
        pages(browser, page)
        with step("a 3270: the sample's transaction, typed and seen", browser):
            terminal(browser, page, "terminal")
            calm(browser)
        letters(browser)
        models(browser)
        purge(browser, page)
        browser.dark(True)
        browser.open(f"{page}/#/now")
        browser.sees("main", "Units of work")
        keep(browser, "now-dark")
        browser.size(*PHONE, phone=True)
        phone(browser, page)
        with step("signing off: nothing is seen any more", browser):
            browser.click("#sign-off")
            browser.until(lambda: browser.value("!!document.querySelector('input[name=user]')"), "the page stays")
            browser.open(f"{page}/#/now")
            assert "Units of work" not in browser.text()


if __name__ == "__main__":
    if not available():
        sys.exit("chromium is not installed (apt-get install chromium)")
    strangers(sys.argv[1])
    walk(sys.argv[1])
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)
