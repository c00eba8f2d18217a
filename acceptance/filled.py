"""Applications of others whose sources have tokens of a site: copied to a scratch folder, filled in, and driven over HTTP."""

from dataclasses import dataclass, field
import http.client
import subprocess
import time

from installed import Application
from region import HOST, free_port
from walk import PATIENCE

ANSWER_SECONDS = 60.0
"""How long an answer may take. Long: slow machines are not what is tested."""


@dataclass
class Filled(Application):
    """What is run, and how its sources are filled in. Its scenes find the place of its service in `walk.web`."""

    needs_postgresql: bool = False
    sources: str = "Source"
    """The folder of its sources."""
    configuration: str = "CONFIG.txt"
    """The file of the tokens and their values: a line each, comments begin with an asterisk."""
    renamed: dict = field(default_factory=dict)
    """What stands in names of files, and what it becomes."""

    def marker(self):
        return f"{self.sources}/{self.configuration}"

    def tokens(self, checkout, port):
        """Tokens and their values: those of the configuration, and then our own."""
        values = {}
        for line in (checkout / self.marker()).read_text().splitlines():
            words = line.split()
            if words and words[0].startswith("@"):
                values[words[0]] = " ".join(words[1:])
        return values | self.values | {"@http_port@": str(port)}

    def install(self, binary, scratch, checkout, port):
        """Fills the sources in, and has all compiled."""
        self.port, self.messages = free_port(), scratch / "state/messages/MSGUSR"
        values = self.tokens(checkout, self.port)
        application = scratch / "application"
        application.mkdir()
        for source in (checkout / self.sources).iterdir():
            name, text = source.name, source.read_text(encoding="latin-1")
            for token, value in values.items():
                text = text.replace(token, value)
            for token, value in self.renamed.items():
                name = name.replace(token, value)
            (application / name).write_text(text, encoding="latin-1")
        web = {"@WEB@": f"{HOST}:{self.port}", "@HOST@": HOST, "@PORT@": self.port}
        places = web | {"@HERE@": self.here, "@LISTEN@": f"{HOST}:{port}"}
        for page in (self.here / "region.toml", *self.here.glob("*.csd")):
            text = page.read_text()
            for token, value in places.items():
                text = text.replace(token, str(value))
            (scratch / page.name).write_text(text)
        checked = subprocess.run([binary, "check", scratch, "--data", scratch / "state"], capture_output=True, text=True)
        if checked.returncode != 0:
            raise SystemExit(checked.stderr)

    def prepare(self, walk):
        walk.web = Web(HOST, self.port)
        walk.message = self.message

    def message(self, text):
        """Waits for a message that a program writes to the region's queues for them."""
        deadline = time.monotonic() + PATIENCE
        while not (self.messages.exists() and text in self.messages.read_text(errors="replace")):
            assert time.monotonic() < deadline, f"the message “{text}” did not come"
            time.sleep(0.05)


class Web:
    """A client that keeps its connection, as a cache's clients do."""

    def __init__(self, host, port):
        self.connection = http.client.HTTPConnection(host, port, timeout=ANSWER_SECONDS)

    def ask(self, method, target, body=None, **headers):
        """Sends a request and reads its answer."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            self.connection.request(method, target, body, named)
            response = self.connection.getresponse()
        except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
            # The service closes connections that nobody uses: SOCKETCLOSE.
            self.connection.close()
            self.connection.request(method, target, body, named)
            response = self.connection.getresponse()
        return Answer(response.status, response.reason.strip(), dict(response.getheaders()), response.read())

    def until(self, is_there, method, target):
        """Sends a request again until its answer is the one that is waited for."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while not is_there(answer := self.ask(method, target)):
            assert time.monotonic() < deadline, f"{method} {target} still answers {answer.status} {answer.reason}"


@dataclass
class Answer:
    """A whole answer."""

    status: int
    reason: str
    headers: dict
    body: bytes

    def must(self, status, reason=None, body=None):
        """Compares it with what is expected of it."""
        assert self.status == status, f"{self.status} {self.reason}, not {status}: {self.body[:200]!r}"
        assert reason is None or self.reason == reason, f"the reason is “{self.reason}”, not “{reason}”"
        if body is not None and self.body != body:
            raise AssertionError(f"{len(self.body)} bytes came, not the {len(body)} expected: {self.body[:60]!r}")
        return self
