"""A region of its own for an application that is accepted: the real binary on a scratch folder."""

from contextlib import contextmanager
import os
from pathlib import Path
import signal
import socket
import subprocess
import time

ROOT = Path(__file__).resolve().parents[1]
HOST = "127.0.0.1"
START_SECONDS = 300.0
"""A first start compiles the whole application."""
STOP_SECONDS = 30.0
RECORD = "SYNCPOINT_RECORD"
"""Names the file that gets what the application's programs ask for, command by command."""


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def has_postgresql():
    """Whether this machine has a PostgreSQL that a region finds."""
    return any(Path("/usr/lib/postgresql").glob("*/bin/postgres"))


def built_binary():
    """The newer of the two builds."""
    builds = [ROOT / "target" / profile / "syncpoint" for profile in ("release", "debug")]
    found = [build for build in builds if build.exists()]
    return max(found, key=lambda build: build.stat().st_mtime, default=None)


def configure(scratch, section, line):
    """Adds a line to a section of region.toml."""
    configuration = scratch / "region.toml"
    text, heading = configuration.read_text(), f"\n[{section}]\n"
    text = text if heading in text else text + heading
    configuration.write_text(text.replace(heading, f"{heading}{line}\n"))


@contextmanager
def region(binary, scratch, port):
    """A running region; its log is region.log in the scratch folder."""
    record = os.environ.get(RECORD)
    if record:
        configure(scratch, "debug", f'record = "{Path(record).resolve()}"')
        # Tasks that run at the same time take turns at commands that wait, and always in the same order.
        configure(scratch, "sit", 'FORCEQR = "YES"')
    # A region takes variables with its name for settings.
    variables = {name: value for name, value in os.environ.items() if name != RECORD}
    with open(scratch / "region.log", "wb") as log:
        process = subprocess.Popen(
            [binary, "run", scratch, "--data", scratch / "state"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=variables,
        )
        try:
            wait_until_it_listens(process, port, scratch)
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    print("The region did not shut down in time.")
                    process.kill()
                    process.wait()


def wait_until_it_listens(process, port, scratch):
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
            return
        except OSError:
            pass
        if process.poll() is not None or time.monotonic() > deadline:
            print((scratch / "region.log").read_text(errors="replace"))
            raise SystemExit("The region did not start.")
        time.sleep(0.1)
