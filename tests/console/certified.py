"""The web console in a headless Chromium that has a certificate of a user's: signing on by it, and what the session is without it.

    python3 tests/console/certified.py https://127.0.0.1:9480 anna.pem anna.key authority.pem

Ends with a line 'N passed, N failed'.
"""

import sys

from steps import DESKTOP, SCREEN, Browser, available, calm, failed, passed, step, watch
from clients.identity import Identity, missing


def walk(page, identity):
    with Browser(identity=identity) as browser:
        watch(browser)
        browser.size(*DESKTOP)
        with step("the user of the browser's certificate signs on without a password", browser):
            browser.open(page)
            browser.sees("#certified", "Sign on as ANNA by certificate")
            browser.click("#certified")
            browser.sees("#person", "ANNA")
            assert browser.value("isSecureContext")
        with step("the 3270 is that user's", browser):
            browser.open(f"{page}/#/terminal")
            browser.until(lambda: browser.text(SCREEN).strip(), "the terminal shows nothing")
            calm(browser)
        with step("the session goes on when the page is loaded again", browser):
            browser.open(page)
            browser.sees("#person", "ANNA")
        cookies = browser.call("Network.getCookies", urls=[page])["cookies"]
    with Browser(any_certificate=True) as browser:
        with step("the cookie opens nothing in a browser without the certificate", browser):
            for cookie in cookies:
                browser.call("Network.setCookie", url=page, **{key: cookie[key] for key in ("name", "value", "secure", "httpOnly", "path")})
            browser.open(page)
            browser.until(lambda: browser.value("!!document.querySelector('input[name=user]')"), "nobody asks who is there")
            assert not browser.value("!!document.querySelector('#certified')"), "it is taken for the user"


if __name__ == "__main__":
    if not available():
        sys.exit("chromium is not installed (apt-get install chromium)")
    if missing():
        sys.exit(f"{' '.join(missing())} missing (apt-get install libnss3-tools openssl util-linux)")
    walk(sys.argv[1], Identity(*sys.argv[2:5]))
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed or not passed else 0)
