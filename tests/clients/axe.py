"""axe-core, an independent judge of whether people with screen readers, and without a mouse, can use a page.

It is an outside tool: it is taken from npm once, below target/clients, and belongs to no release. Where it cannot be had, `script`
says why.
"""

from pathlib import Path
import shutil
import subprocess

VERSION = "4.14.1"
"""The version that judges: a newer one may know more rules."""
PLACE = Path(__file__).resolve().parents[2] / "target" / "clients" / "axe"
SCRIPT = PLACE / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 120
"""Seconds for npm."""

RUN = """axe.run(document, { resultTypes: ['violations'] }).then((found) => JSON.stringify(found.violations.map(
    (one) => `${one.id} (${one.impact}): ${one.help}: ${one.nodes.map((node) => node.target.join(' ')).slice(0, 5).join(', ')}`)))"""


class NotHere(Exception):
    """axe-core is not installed, and cannot be."""


def script():
    """The text of axe-core."""
    if not SCRIPT.exists():
        if shutil.which("npm") is None:
            raise NotHere("there is no npm")
        PLACE.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--prefix", str(PLACE), f"axe-core@{VERSION}"]
        try:
            done = subprocess.run(npm, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise NotHere("npm does not come to an end") from None
        if not SCRIPT.exists():
            raise NotHere(f"npm: {(done.stderr or done.stdout).strip()[:200] or 'it installs nothing'}")
    return SCRIPT.read_text(encoding="utf-8")


def complaints(browser):
    """What axe-core complains of on the page that is shown, a line for each rule."""
    if not browser.value("typeof axe === 'object'"):
        browser.value(script() + "; true")
    answer = browser.call("Runtime.evaluate", expression=RUN, awaitPromise=True, returnByValue=True)
    return answer["result"].get("value", str(answer))
