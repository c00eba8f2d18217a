"""A page of `syncpoint report --html`, opened in a headless Chromium.

    python3 tests/report/html_page.py PAGE NAME

NAME is the name of a transaction in it. Ends with a line 'N passed, N failed'.
"""

from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clients.chromium import Browser

STEPS = {
    "the name is shown as it is": lambda browser, name: name in browser.text(),
    "nothing in it runs": lambda browser, name: browser.value("document.scripts.length") == 0
    and browser.value("window.ran === undefined && document.title.startsWith('Report of')"),
    "no element but those of a report": lambda browser, name: browser.value(
        "document.querySelectorAll('img,iframe,object,embed,link,form,a,video,base').length") == 0,
    "nothing is fetched": lambda browser, name: browser.value(
        "performance.getEntriesByType('resource').length") == 0,
    "tables and plots": lambda browser, name: browser.value("document.querySelectorAll('table').length") >= 4
    and browser.value("[...document.querySelectorAll('svg')].filter(e => e.getBoundingClientRect().height > 100).length") == 4,
    "a plot has its line": lambda browser, name: browser.value(
        "document.querySelector('svg polyline').getBBox().width > 100"),
}


def main():
    page, name = sys.argv[1:]
    passed = failed = 0
    with Browser() as browser:
        browser.open(Path(page).resolve().as_uri())
        for rule, holds in STEPS.items():
            if holds(browser, name):
                passed += 1
            else:
                failed += 1
                print(f"  FAILED  {rule}\n{browser.text()[:2000]}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
