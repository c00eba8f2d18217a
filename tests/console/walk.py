"""The web console of the sample bank, in a headless Chromium: desktop and phone.

    python3 tests/console/walk.py http://127.0.0.1:9480 [FOLDER]

The region is that of samples/bank, with `[console]`. FOLDER gets pictures. Ends with a line 'N passed, N failed'.
"""

import sys

import definitions
from steps import CLERK, DESKTOP, PHONE, SCREEN, Browser, available, calm, failed, keep, passed, readable, sign_on, step, watch


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
    browser.until(lambda: "assword" in browser.value("document.querySelector('#where').textContent"), "nobody hears which field it is")
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


def copies(browser):
    with step("what is marked is copied without the blanks at the ends of lines", browser):
        copied = browser.value("""(() => { getSelection().selectAllChildren(document.querySelector('.screen [role=group]'));
            const data = new DataTransfer();
            document.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }));
            getSelection().removeAllRanges(); return data.getData('text/plain'); })()""")
        assert "Option:" in copied and all(line == line.rstrip() for line in copied.split("\n")), copied


def service(browser):
    with step("SYSREQ opens the network's service, and again closes it; ATTN is sent", browser):
        browser.press("s", code="KeyS", number=83, modifiers=1)
        browser.until(lambda: browser.value("!document.querySelector('.service').hidden"), "no service")
        browser.value("document.querySelector('.keys-in').focus()")
        browser.press("Escape", code="Escape", number=27, modifiers=8)
        browser.until(lambda: browser.value("document.querySelector('.service').hidden"), "the service stays")
        browser.press("a", code="KeyA", number=65, modifiers=1)
        browser.until(lambda: browser.text("#lock") == "", f"the keyboard is not free: {browser.text('#lock')}")


def paper(browser):
    with step("a screen on paper: itself, black on white, and where it comes from", browser):
        browser.call("Emulation.setEmulatedMedia", media="print", features=[])
        browser.value("window.dispatchEvent(new Event('beforeprint'))")
        seen = browser.value("document.querySelector('main').innerText")
        assert "Good day, Tom Bright" in seen and "OPERATOR" in seen, seen
        assert not any(word in seen for word in ("SysReq", "Connect again", "Olive Keeper")), seen
        colours = browser.value("[...new Set([...document.querySelectorAll('.screen span')].map(e => getComputedStyle(e).color))].join(' ')")
        assert not colours.replace("rgb(0, 0, 0)", "").replace("rgb(255, 255, 255)", "").strip(), colours
        keep(browser, "paper")
        pdf = browser.call("Page.printToPDF", preferCSSPageSize=True)["data"]
        assert len(pdf) > 1000, "nothing is printed"
        browser.call("Emulation.setEmulatedMedia", media="")
        browser.dark(False)


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
        browser.until(lambda: browser.value("document.querySelectorAll('[aria-label=Definitions] tbody tr').length") > 3, "the group is empty")
        keep(browser, "group")
        calm(browser)
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


def transaction(browser, typed, seen):
    browser.press("Pause", number=19)
    browser.until(lambda: browser.text(SCREEN).strip() == "" and browser.text("#lock") == "", "CLEAR clears nothing")
    browser.write(typed)
    browser.press_enter()
    screen_has(browser, seen)


def printer(browser, page):
    with step("a printer in a browser: a copy of another screen is its paper, and goes on paper", browser), Browser() as other:
        watch(other)
        sign_on(other, page)
        other.open(f"{page}/#/printer")
        other.type("#lu", "BANKPRT1")
        other.click("#connect")
        other.sees("#printer", "BANKPRT1 is connected")
        browser.open(f"{page}/#/terminal")
        screen_has(browser, "HARBOUR SAVINGS BANK")
        transaction(browser, "CEMT S TERM(T*) PRINTER(PRT1)", "NORMAL")
        browser.press("F3", number=114)
        screen_has(browser, "SESSION ENDED")
        transaction(browser, "CECI ISSUE PRINT", "ABOUT TO EXECUTE")
        browser.press_enter()
        screen_has(browser, "EXECUTION COMPLETE")
        other.sees(".paper", "EXEC CICS ISSUE PRINT")
        keep(other, "printer")
        calm(other)
        readable(other)
        other.call("Emulation.setEmulatedMedia", media="print", features=[])
        other.value("window.dispatchEvent(new Event('beforeprint'))")
        seen = other.value("document.querySelector('main').innerText")
        assert "ISSUE PRINT" in seen and "BANKPRT1" in seen and "Tear off" not in seen, seen
        other.call("Emulation.setEmulatedMedia", media="")
        other.click("#tear")
        other.until(lambda: other.text(".paper").strip() == "", "the paper stays")
        each_job(browser, other)


def each_job(browser, other):
    # No dialog can be seen here: the page's own call is, and what would be on paper at that moment.
    other.value("""(() => { window.jobs = []; window.print = () => {
        dispatchEvent(new Event('beforeprint'));
        jobs.push([...document.querySelectorAll('.sheet:not(.printed)')].map(e => e.textContent).join('')); }; })()""")
    other.click("#each")
    for count, typed in ((1, "CECI ISSUE PRINT"), (2, "CECI ISSUE PRINT")):
        browser.press("F3", number=114)
        screen_has(browser, "SESSION ENDED")
        transaction(browser, typed, "ABOUT TO EXECUTE")
        browser.press_enter()
        screen_has(browser, "EXECUTION COMPLETE")
        other.until(lambda: other.value("jobs.length") == count, f"job {count} is not printed")
    first, second = other.value("JSON.stringify(jobs)"), other.value("jobs[1]")
    assert second.count("EXEC CICS ISSUE PRINT") == 1, f"what was printed before is printed again: {first}"


def barriers(browser, page):
    for place, text in (("now", "Units of work"), ("resources/FILE", "FILE"), ("definitions", "BANKLIST"), ("definitions/BKTRAN", "BK00"),
                        ("definitions/BKTRAN/TRANSACTION/BK00", "PROGRAM"), ("log", "console"), ("dumps", "Dumps"), ("trace", "trace")):
        with step(f"axe-core finds no barrier: {place}", browser):
            browser.open(f"{page}/#/{place}")
            browser.sees("main", text)
            readable(browser)


def phone(browser, page):
    with step("at a phone's width nothing is wider than the screen", browser):
        for path, text in (("now", "Units of work"), ("resources/FILE", "FILE"), ("log", "console"), ("definitions", "BANKLIST"),
                           ("definitions/BKTRAN", "BK00"), ("definitions/BKTRAN/TRANSACTION/BK00", "PROGRAM")):
            browser.open(f"{page}/#/{path}")
            browser.sees("main", text)
            calm(browser)
            keep(browser, f"phone-{path.replace('/', '-')}")
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
        shown = browser.value("[...document.querySelectorAll('#pages a')].map(e => e.textContent).join(' ')")
        assert shown == "Terminal Printer", shown


def walk(page):
    with Browser() as browser:
        watch(browser)
        browser.size(*DESKTOP)
        browser.dark(False)
        with step("signing on: not by a wrong password", browser):
            sign_on(browser, page)
        pages(browser, page)
        definitions.walk(browser, page)
        barriers(browser, page)
        with step("a 3270: the sample's transaction, typed and seen", browser):
            terminal(browser, page, "terminal")
            calm(browser)
        with step("axe-core finds no barrier: terminal", browser):
            readable(browser)
        paper(browser)
        copies(browser)
        letters(browser)
        service(browser)
        models(browser)
        purge(browser, page)
        printer(browser, page)
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
