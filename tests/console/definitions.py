"""Definitions changed in the console of the sample bank: made, refused, changed by two at once, kept, copied, deleted, installed."""

from steps import Browser, calm, choose, go, keep, press_button, sign_on, step, watch

GROUP = "WEBG"
SCRIPT = "<img src=x onerror=complaints.push('ran')>"
NAME = "<B>WEB1"
FORM = ".definition"


def fill(browser, attribute, value):
    """Types over an attribute."""
    browser.until(lambda: browser.value(f"!!document.querySelector('#attribute-{attribute}')"), f"there is no field {attribute}")
    browser.type(f"#attribute-{attribute}", value)


def value(browser, attribute):
    browser.until(lambda: browser.value(f"!!document.querySelector('#attribute-{attribute}')"), f"there is no field {attribute}")
    return browser.value(f"document.querySelector('#attribute-{attribute}').value")


def save(browser):
    """Saves, once the save before is done."""
    browser.until(lambda: browser.value("(e => !!e && !e.disabled)(document.querySelector('#save'))"), "nothing can be saved")
    browser.click("#save")


def to(browser, page, *parts):
    """Opens a definition."""
    place = "/".join(part.replace("<", "%3C").replace(">", "%3E") for part in parts)
    go(browser, page, f"definitions/{place}")
    if len(parts) == 3:
        browser.sees("h2", f"{parts[1]} {parts[2]}")


def made(browser, page):
    with step("a definition is made: a mistake stands at its field, and the field has the focus", browser):
        go(browser, page, "definitions//new/TRANSACTION")
        browser.sees("h2", "New definition")
        browser.type("#part-NAME", "TOOLONG")
        browser.type("#part-GROUP", GROUP)
        fill(browser, "PROGRAM", "BKMENU")
        fill(browser, "PRIORITY", "999")
        browser.press_enter()
        browser.sees("#attribute-PRIORITY-problem", "PRIORITY cannot be 999")
        browser.sees("#part-NAME-problem", "longer than 4 characters")
        assert browser.value("document.activeElement.id") == "attribute-PRIORITY" or browser.value("document.activeElement.id") == "part-NAME"
        assert browser.value("document.querySelector('#attribute-PRIORITY').getAttribute('aria-invalid')") == "true"
        keep(browser, "definition-refused")
        browser.type("#part-NAME", "WEB1")
        fill(browser, "PRIORITY", "9")
        save(browser)
        browser.sees("h2", "TRANSACTION WEB1")
        browser.sees("#said", "DEFINE SUCCESSFUL")
        assert value(browser, "PRIORITY") == "9" and value(browser, "PROGRAM") == "BKMENU", browser.text("main")
        keep(browser, "definition")
        calm(browser)
    with step("the same again is refused: nothing is overwritten", browser):
        go(browser, page, "definitions//new/TRANSACTION")
        browser.sees("h2", "New definition")
        browser.type("#part-NAME", "WEB1")
        browser.type("#part-GROUP", GROUP)
        fill(browser, "PROGRAM", "OTHER")
        save(browser)
        browser.sees("[role=alert]", "is defined in group WEBG already")
        browser.click("#undo")
        to(browser, page, GROUP, "TRANSACTION", "WEB1")
        assert value(browser, "PROGRAM") == "BKMENU"


def hostile(browser, page):
    with step("script in names and values is text", browser):
        go(browser, page, f"definitions/{GROUP}/new/PROGRAM")
        browser.sees("h2", "New definition")
        browser.type("#part-NAME", NAME)
        fill(browser, "DESCRIPTION", SCRIPT)
        save(browser)
        browser.sees("h2", f"PROGRAM {NAME}")
        to(browser, page, GROUP)
        browser.sees("[aria-label=Definitions] table", NAME, SCRIPT)
        assert not browser.value("!!document.querySelector('main img, main b')")
        calm(browser)
    with step("a value does not become another part of the command", browser):
        to(browser, page, GROUP, "PROGRAM", NAME)
        fill(browser, "DESCRIPTION", "x) GROUP(BKTRAN) STATUS(DISABLED")
        save(browser)
        browser.sees("#said", "ALTER SUCCESSFUL")
        # The words may be those of the change before.
        browser.until(lambda: browser.value("document.querySelector('#undo').disabled"), "it is not saved")
        assert value(browser, "DESCRIPTION") == "x) GROUP(BKTRAN) STATUS(DISABLED" and value(browser, "STATUS") != "DISABLED"


def unsaved(browser, page):
    with step("what was typed is not lost by a wrong click", browser):
        to(browser, page, GROUP, "TRANSACTION", "WEB1")
        fill(browser, "DESCRIPTION", "half typed")
        browser.click("#pages a[data-path=now]")
        browser.sees("#question", "not saved")
        browser.click("#question button[value=no]")
        browser.until(lambda: not browser.value("document.querySelector('#question').open"), "the question stays")
        assert value(browser, "DESCRIPTION") == "half typed" and "WEB1" in browser.value("location.hash"), browser.value("location.hash")
    with step("nor by the end of the session", browser):
        browser.value("fetch('/api/sign-off', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }).then(() => { window.over = true; })")
        browser.until(lambda: browser.value("window.over"), "no end")
        save(browser)
        browser.until(lambda: browser.value("!!document.querySelector('input[name=user]')"), "nobody asks who is there")
        browser.type("input[name=user]", "operator")
        browser.type("input[name=password]", "HARBOUR9")
        browser.press_enter()
        browser.sees("h2", "TRANSACTION WEB1")
        browser.until(lambda: value(browser, "DESCRIPTION") == "half typed", "what was typed is gone")
        browser.click("#undo")
        assert value(browser, "DESCRIPTION") == ""


def conflict(browser, page):
    with Browser() as other, step("two change the same at once: neither is lost unseen", browser):
        watch(other)
        sign_on(other, page)
        for one in (browser, other):
            to(one, page, GROUP, "TRANSACTION", "WEB1")
        fill(browser, "DESCRIPTION", "mine")
        fill(other, "DESCRIPTION", "theirs")
        fill(other, "PRIORITY", "77")
        save(other)
        other.sees("#said", "ALTER SUCCESSFUL")
        save(browser)
        browser.sees(".conflict", "Another has changed it", "theirs", "mine", "77")
        keep(browser, "conflict")
        calm(browser)
        press_button(browser, "Keep what I have typed")
        assert value(browser, "DESCRIPTION") == "mine" and value(browser, "PRIORITY") == "77"
        save(browser)
        browser.sees("#said", "ALTER SUCCESSFUL")
        to(other, page, GROUP)
        to(other, page, GROUP, "TRANSACTION", "WEB1")
        other.until(lambda: value(other, "DESCRIPTION") == "mine" and value(other, "PRIORITY") == "77", "something is lost")
        press_button(other, "Delete")
        other.click("#question-yes")
        other.sees("#said", "DELETE SUCCESSFUL")
        fill(browser, "DESCRIPTION", "late")
        save(browser)
        browser.sees(".conflict", "not there any more")
        press_button(browser, "To the group")
        browser.sees("[aria-label=Definitions] table", NAME)


def others(browser, page):
    with step("copied, renamed, moved, installed, deleted", browser):
        to(browser, page, "BKTRAN", "TRANSACTION", "BKMN")
        press_button(browser, "Copy…")
        form = ".small[open]"
        for text, at in ((GROUP, 1), ("WEBM", 2)):
            browser.type(f"{form} label:nth-of-type({at}) input", text)
        browser.press_enter()
        browser.sees("h2", "TRANSACTION WEBM")
        press_button(browser, "Rename…")
        browser.type(f"{form} input", "WEBN")
        browser.press_enter()
        browser.sees("h2", "TRANSACTION WEBN")
        press_button(browser, "Install")
        browser.sees("#said", "INSTALL SUCCESSFUL")
        press_button(browser, "Move…")
        browser.type(f"{form} input", "WEBH")
        browser.press_enter()
        browser.sees(".path", "WEBH")
        go(browser, page, "resources/TRANSACTION/WEBN")
        browser.type("#filter", "WEBN")
        browser.sees("table", "WEBN", "BKMENU")
    with step("a group is locked, put into a list, and deleted", browser):
        to(browser, page, "WEBH")
        press_button(browser, "Lock", "[aria-label=Definitions]")
        browser.sees("[aria-label=Definitions]", "locked by OPERATOR")
        press_button(browser, "Add to list…")
        browser.type(".small[open] input", "WEBLIST")
        browser.press_enter()
        browser.sees("[aria-label=Definitions]", "Remove from WEBLIST")
        press_button(browser, "Remove from WEBLIST")
        browser.until(lambda: "WEBLIST" not in browser.text("[aria-label=Definitions]"), "it stays in the list")
        press_button(browser, "Unlock", "[aria-label=Definitions]")
        browser.until(lambda: "locked" not in browser.text("[aria-label=Definitions]"), "it stays locked")
        for group in ("WEBH", GROUP):
            to(browser, page, group)
            press_button(browser, "Delete group")
            browser.click("#question-yes")
            browser.until(lambda: browser.value("location.hash") == "#/definitions", f"{group} is not deleted: {browser.text('.refused')}")
        browser.sees("main", "BANKLIST")
        assert GROUP not in browser.text("main"), browser.text("main")
        calm(browser)


def keyboard(browser, page):
    with step("each action of a definition is reached by the keyboard", browser):
        to(browser, page, "BKTRAN", "TRANSACTION", "BKMN")
        browser.value("document.querySelector('#attribute').focus()")
        seen = set()
        for _ in range(120):
            browser.press("Tab", number=9)
            seen.add(browser.value("(e => e.id || e.firstChild?.textContent || '')(document.activeElement)"))
            if "Delete" in seen:
                break
        assert {"attribute-PROGRAM", "Install", "Copy…", "Rename…", "Move…", "Delete"} <= seen, seen


def walk(browser, page):
    made(browser, page)
    hostile(browser, page)
    unsaved(browser, page)
    conflict(browser, page)
    others(browser, page)
    keyboard(browser, page)
