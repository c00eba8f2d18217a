"""Runs whole applications twice, by the hosted compiler and by our own, and compares what their programs ask for and hold.

    python3 acceptance/beside.py [bank] [authenticator] [carddemo] [--carddemo PATH] [--syncpoint BINARY] [--keep FOLDER [--record-only]]

Each command, each CALL of a service, their arguments, and all named storage at each of them must be the same, but for what
tests/beside.tsv names. CardDemo needs a checkout; without it that comparison is skipped. Ends with a line of tasks, commands
and differences for each application.
"""

import argparse
import functools
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "acceptance"))

from region import COMPILER, HOST, RECORD, built_binary, free_port, region

COMPILERS = {"hosted": "gnucobol", "native": "native"}
PATIENCE_SECONDS = 60.0
QUESTIONS = 20


def copy_of(sample, scratch, port):
    """A copy of a sample, without what it has left where it is."""
    shutil.copytree(ROOT / "samples" / sample, scratch, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".syncpoint"))
    # The region's private PostgreSQL is another user where this one is root.
    scratch.chmod(0o755)
    # Where the samples have their reports.
    (scratch / ".syncpoint").mkdir()
    with open(scratch / "region.toml", "a") as configuration:
        configuration.write(f'\n[listen]\ntn3270 = "{HOST}:{port}"\n')


def succeeds(*command, log=None):
    """Runs something that must succeed; else there is what it said, and what the region's log holds."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        log = log.read_text(errors="replace") if log else ""
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}{log}")


def eventually(holds, complaint):
    """Waits until something is so, and gives it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = holds()
        if found:
            return found
        time.sleep(0.1)
    raise SystemExit(complaint)


def logged(scratch, pattern):
    """Waits for a text in the region's log."""
    found = lambda: re.search(pattern, (scratch / "region.log").read_text(errors="replace"))
    return eventually(found, f"The region's log does not say {pattern}.")


def asked(arguments, scratch, command, *words):
    """What a command of the command line says of the region."""
    command = [arguments.syncpoint, command, scratch, "--data", scratch / "state", *words]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True).stdout


def bank(arguments, folder, name):
    """The walk through the sample bank."""
    scratch, port = folder / f"bank-{name}", free_port()
    copy_of("bank", scratch, port)
    with region(arguments.syncpoint, scratch, port):
        succeeds(sys.executable, ROOT / "tests/bank/walk_through.py", f"{HOST}:{port}", "--client", "s3270",
                 log=scratch / "region.log")


@functools.cache
def hsm_port():
    """The port of the test HSM, the same for both runs: programs hold it."""
    return free_port()


def authenticator(arguments, folder, name):
    """Cards at one terminal, so that one message comes after the other: good ones and bad ones."""
    scratch, port = folder / f"authenticator-{name}", free_port()
    copy_of("authenticator", scratch, port)
    configuration = scratch / "data/config.txt"
    text = configuration.read_text()
    # One channel to one HSM: the key-encrypting key is the sample's.
    hsm = f"{HOST:15}{hsm_port():05}"
    configuration.write_text(f"{text[:8]}N{text[9:42]}0102051{hsm}".ljust(240) + "\n")
    listener = scratch / "sockets/listener.txt"
    listener.write_text(listener.read_text().replace("PORT=7200", "PORT=0"))
    hsm = subprocess.Popen(
        [arguments.syncpoint, "hsm", "--listen", f"{HOST}:{hsm_port()}"], stdout=subprocess.PIPE, text=True
    )
    try:
        hsm.stdout.readline()
        with region(arguments.syncpoint, scratch, port):
            cards_are_imported(arguments, folder, scratch)
            at = logged(scratch, r"listener CSKL listens on port (\d+)").group(1)
            mix = "wrong=10,replayed=10,unknown-bin=10,malformed=10,short=5,oversized=5"
            load = ["load", f"{HOST}:{at}", "--tracks", folder / "tracks", "--messages", 100, "--mix", mix]
            succeeds(arguments.syncpoint, *load, "--ledger", scratch / "ledger", log=scratch / "region.log")
            # The last connection ends when its client has gone; channel and listener stay.
            stays = lambda: json.loads(asked(arguments, scratch, "status", "--json") or "{}").get("tasks") == 2
            eventually(stays, "A connection does not end.")
    finally:
        hsm.kill()
        hsm.wait()


def cards_are_imported(arguments, folder, scratch):
    """Imports the cards once the channel waits for work. The import that comes with the region's first start finds no batch:
    it would run while the channel meets its HSM, and wait for it sometimes longer and sometimes shorter."""
    logged(scratch, "there is no batch to import")
    logged(scratch, r"programs and \d+ mapsets in place")
    # Each question is a task. Both runs ask as often, so that their tasks have the same numbers.
    is_up = False
    for _ in range(QUESTIONS):
        is_up |= "HSMWORK" in asked(arguments, scratch, "cemt", "INQUIRE TASK")
        time.sleep(0 if is_up else 0.2)
    if not is_up:
        raise SystemExit("The channel does not meet its HSM.")
    tracks, batch = folder / "tracks", folder / "import.txt"
    if not tracks.exists():
        succeeds(arguments.syncpoint, "cards", tracks, "--cards", 20, "--terminals", 1, "--batch", batch)
    shutil.copy(batch, scratch / "import.txt")
    asked(arguments, scratch, "start", "AIMP")
    logged(scratch, "portfolio P001: 0")


def carddemo(arguments, _folder, _name):
    """The acceptance of CardDemo."""
    run = [ROOT / "acceptance/carddemo/run.py", "--carddemo", arguments.carddemo, "--client", "s3270"]
    succeeds(sys.executable, *run, "--syncpoint", arguments.syncpoint)


APPLICATIONS = {"bank": bank, "authenticator": authenticator, "carddemo": carddemo}


def compared(application, arguments, folder):
    """Whether both recordings of an application say the same; true, too, if somebody else compares them."""
    recordings = []
    for name, compiler in COMPILERS.items():
        recording = folder / f"{application}-{name}.rec"
        os.environ[COMPILER], os.environ[RECORD] = compiler, str(recording)
        APPLICATIONS[application](arguments, folder, name)
        recordings.append(recording)
    if arguments.record_only:
        return True
    compare = ["cargo", "run", "--quiet", "-p", "testkit", "--example", "recordings", "--", application, *recordings]
    return subprocess.run(compare, cwd=ROOT).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("applications", nargs="*", choices=[*APPLICATIONS, []], default=[])
    parser.add_argument("--carddemo", default=os.environ.get("CARDDEMO", ""))
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    parser.add_argument("--keep", type=Path, help="a folder for recordings and regions, which stay there")
    parser.add_argument("--record-only", action="store_true", help="compare nothing: the recordings are in the folder of --keep")
    arguments = parser.parse_args()
    if arguments.syncpoint is None:
        raise SystemExit("There is no build: cargo build -p syncpoint")
    arguments.syncpoint = arguments.syncpoint.resolve()
    wanted = arguments.applications or list(APPLICATIONS)
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="beside-"))
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    same = True
    for application in wanted:
        if application == "carddemo" and not Path(arguments.carddemo, "app").is_dir():
            print("carddemo: skipped, --carddemo or CARDDEMO names no checkout")
            continue
        same &= compared(application, arguments, folder)
    if same and not arguments.keep:
        shutil.rmtree(folder)
    sys.exit(0 if same else f"What was recorded is in {folder}")


if __name__ == "__main__":
    main()
