"""Applications of others that their own jobs install: tables, definitions and data sets come from in-stream data."""

import argparse
from dataclasses import dataclass, field
import importlib
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile

from region import HOST, ROOT, built_binary, free_port, has_postgresql, region

sys.path.insert(0, str(ROOT / "tests"))

from walk import Walk

CLIENTS = {"s3270": "clients.s3270", "tnz": "clients.tnz_driver", "galasa": "clients.galasa_driver"}
SYSIN = re.compile(r"^//SYSIN\s+DD\s+\*[^\n]*\n(.*?)^/\*", re.M | re.S)


@dataclass
class Application:
    """What is run, and how it is installed."""

    name: str
    here: Path
    """The folder of its region.toml, in which @CHECKOUT@ and @LISTEN@ are filled in."""
    scenes: tuple
    jobs: dict = field(default_factory=dict)
    """The file that each job's in-stream data become; without the first job a folder is no checkout."""
    values: dict = field(default_factory=dict)
    """What an installation fills in."""
    batch: tuple = ()
    """The words behind `syncpoint batch` of a program that loads data."""
    needs_postgresql: bool = True

    def marker(self):
        """The file without which a folder is no checkout."""
        return next(iter(self.jobs))

    def prepare(self, walk):
        """Gives a walk what the scenes need besides terminals."""

    def configuration(self, text):
        """Gives region.toml what an application adds to it; `self.scratch` is its folder, `self.checkout` the application."""
        return text

    def in_stream(self, job):
        """The data of a job's SYSIN statements."""
        text = "".join(data[1] for data in SYSIN.finditer(job.read_text()))
        for token, value in self.values.items():
            text = text.replace(token, value)
        return text

    def install(self, binary, scratch, checkout, port):
        """Writes region.toml and what it names into the scratch folder, has all compiled, and loads the data."""
        text = (self.here / "region.toml").read_text()
        for token, value in (("@CHECKOUT@", checkout), ("@LISTEN@", f"{HOST}:{port}")):
            text = text.replace(token, str(value))
        self.scratch, self.checkout = scratch, checkout
        (scratch / "region.toml").write_text(self.configuration(text))
        for job, name in self.jobs.items():
            (scratch / name).write_text(self.in_stream(checkout / job))
        state = ["--data", scratch / "state"]
        # All is compiled before anybody waits at a terminal.
        subprocess.run([binary, "check", scratch, *state], check=True, capture_output=True)
        if self.batch:
            words = [word.replace("@CHECKOUT@", str(checkout)) for word in self.batch]
            subprocess.run([binary, "batch", *words, "--application", scratch, *state], check=True)

    def accept(self, client, binary, checkout):
        """Walks through it; true if every step passed."""
        scratch = Path(tempfile.mkdtemp(prefix=f"{self.name.lower()}-"))
        # The region's private PostgreSQL is another user where this one is root.
        scratch.chmod(0o755)
        port = free_port()
        self.install(binary, scratch, checkout, port)
        print(f"{self.name} at {HOST}:{port}", flush=True)
        with region(binary, scratch, port):
            walk = Walk(client, HOST, port)
            self.prepare(walk)
            passed = walk.run(self.scenes)
        if passed:
            shutil.rmtree(scratch)
        else:
            print(f"The region's log and data are in {scratch}")
        return passed

    def main(self):
        """The command line."""
        option = self.name.lower()
        parser = argparse.ArgumentParser(description=f"Runs {self.name}, unmodified, in a region of its own")
        parser.add_argument(f"--{option}", dest="checkout", default=os.environ.get(self.name.upper(), ""))
        parser.add_argument("--client", choices=CLIENTS, default="s3270")
        parser.add_argument("--syncpoint", type=Path, default=built_binary())
        arguments = parser.parse_args()
        client = importlib.import_module(CLIENTS[arguments.client])
        lacks_postgresql = self.needs_postgresql and not has_postgresql()
        if not arguments.checkout or not client.available() or lacks_postgresql:
            needs = "PostgreSQL, and the client" if self.needs_postgresql else "the client"
            print(f"{self.name}: skipped, since it needs a checkout (--{option} PATH), and {needs}")
            return
        checkout = Path(arguments.checkout).resolve()
        if not (checkout / self.marker()).exists():
            sys.exit(f"{checkout} is no checkout of {self.name}: it has no {self.marker()}")
        if arguments.syncpoint is None:
            sys.exit("There is no syncpoint in target: build it, or name one with --syncpoint")
        sys.exit(0 if self.accept(client, arguments.syncpoint.resolve(), checkout) else 1)
