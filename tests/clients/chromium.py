"""Drives a headless Chromium as a person would: types, presses keys, clicks, reads what is shown.

    from chromium import available, Browser
    with Browser(user="OPERATOR", password="…") as browser:
        browser.open("http://127.0.0.1:8080/bank")
        browser.type("#number", "1")
        browser.press_enter()
        browser.sees("#answer", "Ada Whitlock")

It speaks the browser's own protocol over two pipes, so Python's standard library is enough. Nothing here sleeps for something to
happen: each wait looks at the page until it is so, with a limit.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 30.0
"""Seconds that anything may take. Long: slow machines are not what is tested."""
GLANCE = 0.02
"""Seconds between two looks at a page."""


class BrowserError(Exception):
    """What was waited for did not come, or the browser does not understand."""


def program():
    """Where Chromium is installed; none: it is not."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def available():
    return program() is not None


class Browser:
    """A browser with one page. `user` and `password` are what it answers when a server asks who is there.
    With `any_certificate` it believes every server; `identity` (`identity.Identity`) is the certificate that it shows."""

    def __init__(self, user=None, password=None, any_certificate=False, identity=None):
        self.user, self.password = user, password
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        (their_in, self.out), (self.into, their_out) = os.pipe(), os.pipe()
        # The browser reads commands at its descriptor 3 and writes answers at 4.
        command = f'exec "$0" "$@" 3<&{their_in} 4>&{their_out}'
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                   "--remote-debugging-pipe", f"--user-data-dir={self.profile}"]
        # An authority of a test is none that a browser knows.
        options += ["--ignore-certificate-errors"] if any_certificate else []
        before, surroundings = identity.prepared(self.profile) if identity else ([], None)
        self.process = subprocess.Popen(
            [*before, "bash", "-c", command, program(), *options, "about:blank"], pass_fds=(their_in, their_out), env=surroundings,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        self.number, self.buffer, self.session, self.asked = 0, b"", None, set()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Fetch.enable", handleAuthRequests=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self.out)
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.into)
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        return self.number

    def call(self, method, **parameters):
        """A command and its answer; what happens meanwhile is seen to."""
        number, deadline = self.send(method, parameters), time.monotonic() + PATIENCE
        while True:
            message = self.message(deadline)
            if message.get("id") == number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.happened(message)

    def message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.into], [], [], max(0, deadline - time.monotonic()))
            read = os.read(self.into, 1 << 16) if ready else b""
            if not read:
                raise BrowserError("Chromium says nothing")
            self.buffer += read
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def happened(self, message):
        """A request goes on; where a server asks who is there, it is told."""
        request = message.get("params", {}).get("requestId")
        if message.get("method") == "Fetch.requestPaused":
            self.send("Fetch.continueRequest", {"requestId": request})
        elif message.get("method") == "Fetch.authRequired":
            answer = {"response": "CancelAuth"}
            # Whoever is asked a second time has said it wrong.
            if self.user and request not in self.asked:
                self.asked.add(request)
                answer = {"response": "ProvideCredentials", "username": self.user, "password": self.password}
            self.send("Fetch.continueWithAuth", {"requestId": request, "authChallengeResponse": answer})

    def open(self, url):
        """Goes to a page, and waits until it is there."""
        self.call("Page.navigate", url=url)
        self.until(lambda: self.value("document.readyState") == "complete", f"{url} does not come")

    def value(self, expression):
        """What an expression comes to in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise BrowserError(result["exceptionDetails"]["text"])
        return result["result"].get("value")

    def until(self, holds, complaint):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                raise BrowserError(complaint)
            time.sleep(GLANCE)

    def type(self, element, text):
        """Types into an element, in place of what is in it."""
        found = self.value(f"(e => e && (e.focus(), e.select(), true))(document.querySelector({json.dumps(element)}))")
        if not found:
            raise BrowserError(f"there is no {element}")
        self.call("Input.insertText", text=text)

    def press_enter(self):
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        self.call("Input.dispatchKeyEvent", type="keyDown", **key)
        self.call("Input.dispatchKeyEvent", type="keyUp", **key)

    def press(self, key, code=None, number=0, modifiers=0):
        """A key without a character: `press("F3", number=114)`."""
        names = {"key": key, "code": code or key, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", **names)
        self.call("Input.dispatchKeyEvent", type="keyUp", **names)

    def write(self, text):
        """Types where the focus is, a key for each character."""
        for character in text:
            key = {"key": character, "text": character}
            self.call("Input.dispatchKeyEvent", type="keyDown", **key)
            self.call("Input.dispatchKeyEvent", type="keyUp", **{"key": character})

    def click(self, element):
        """Clicks an element that is there."""
        if not self.value(f"(e => e && (e.click(), true))(document.querySelector({json.dumps(element)}))"):
            raise BrowserError(f"there is no {element}")

    def size(self, width, height, phone=False):
        """The window, or the screen of a phone."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone)

    def dark(self, on):
        """What the system prefers."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, path):
        """Keeps what is seen as a PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def text(self, element="body"):
        """What a person sees of an element."""
        return self.value(f"(e => e ? e.innerText : '')(document.querySelector({json.dumps(element)}))")

    def sees(self, element, *texts):
        """Waits until an element shows some texts."""
        try:
            self.until(lambda: all(text in self.text(element) for text in texts), "")
        except BrowserError as error:
            raise BrowserError(f"{element} does not show {texts}, but {self.text(element)!r}") from error
