"""The web console of the sample bank over TLS, in a headless Chromium: signing on, and its 3270.

    python3 tests/console/secure.py https://127.0.0.1:9480

Ends with a line 'N passed, N failed'.
"""

import sys

from steps import DESKTOP, SCREEN, Browser, available, calm, failed, passed, sign_on, step, watch


def walk(page):
    with Browser(any_certificate=True) as browser:
        watch(browser)
        browser.size(*DESKTOP)
        with step("signing on over TLS", browser):
            sign_on(browser, page)
            browser.sees("main", "Units of work")
            assert browser.value("document.cookie") == "", "a script reads the cookie"
            assert browser.value("isSecureContext")
        with step("the 3270 goes the same way", browser):
            browser.open(f"{page}/#/terminal")
            browser.sees(SCREEN, "HARBOUR SAVINGS BANK")
            calm(browser)


if __name__ == "__main__":
    if not available():
        sys.exit("chromium is not installed (apt-get install chromium)")
    walk(sys.argv[1])
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)
