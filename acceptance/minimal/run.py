"""Runs the sample bank in a Debian that has nothing but its base, and walks through its file and terminal functions.

    python3 acceptance/minimal/run.py --root FOLDER [--client s3270|tnz|galasa] [--syncpoint BINARY]

FOLDER holds a minimal Debian, such as `debootstrap --variant=minbase bookworm FOLDER` makes; without it, or without root's rights
(chroot), the run is skipped. It fails if the folder has a C compiler, a linker, GnuCOBOL or PostgreSQL. The binary and the bank are
copied into a folder of it, which is removed behind the run. The region runs as an ordinary user with the folder as its root; the
terminals are outside. Ends with a line 'N passed, N failed'.
"""

import argparse
import importlib
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "acceptance"), str(ROOT / "tests"), str(ROOT / "tests/bank")]

from region import HOST, STOP_SECONDS, built_binary, free_port, wait_until_it_listens
from walk import Walk
from walk_through import CLIENTS, WITHOUT_DATABASE

ABSENT = ("gcc", "cc", "clang", "ld", "as", "cobc", "psql", "postgres", "rustc", "cargo", "python3")
FOLDERS = ("bin", "sbin", "usr/bin", "usr/sbin", "usr/local/bin")
USER = 65534
"""Nobody: a region needs no rights."""


def found(root):
    """The programs in a root that are to be absent."""
    named = [name for name in ABSENT if any((root / folder / name).exists() for folder in FOLDERS)]
    return named + ["PostgreSQL"] * (root / "usr/lib/postgresql").exists()


def install(binary, scratch, port):
    """Copies the binary and the bank, and has the bank listen at a port of its own."""
    shutil.copy(binary, scratch / "syncpoint")
    shutil.copytree(ROOT / "samples/bank", scratch / "bank", ignore=shutil.ignore_patterns(".syncpoint"))
    configuration = scratch / "bank/region.toml"
    configuration.write_text(f'listen = {{ tn3270 = "{HOST}:{port}" }}\n' + configuration.read_text())
    for path in (scratch, *scratch.rglob("*")):
        os.chown(path, USER, USER)


def command(root, *words):
    """The command line that runs words in a root, as an ordinary user, with /proc and without any variable."""
    inside = ["env", "-i", "PATH=/usr/bin:/bin", *(str(word) for word in words)]
    enter = 'mount -t proc proc "$0/proc" && exec chroot --userspec={0}:{0} "$0" "$@"'.format(USER)
    return ["unshare", "--mount", "sh", "-c", enter, str(root), *inside]


def accept(client, root, scratch, port):
    """Starts the region, walks, and ends the region; true if all went well."""
    inside = Path("/") / scratch.relative_to(root)
    with open(scratch / "region.log", "wb") as log:
        run = command(root, inside / "syncpoint", "run", inside / "bank")
        region = subprocess.Popen(run, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        wait_until_it_listens(region, port, scratch)
        walked = Walk(client, HOST, port).run(WITHOUT_DATABASE)
    finally:
        region.send_signal(signal.SIGINT)
        status = region.wait(STOP_SECONDS)
    print(f"The region ended with status {status}.")
    return walked and status == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path)
    parser.add_argument("--client", choices=CLIENTS, default="s3270")
    parser.add_argument("--syncpoint", type=Path, default=None)
    arguments = parser.parse_args()
    client, binary = importlib.import_module(CLIENTS[arguments.client]), arguments.syncpoint or built_binary()
    if not arguments.root or not (arguments.root / "etc/debian_version").exists() or os.geteuid() != 0:
        print("minimal: skipped, it wants root's rights and --root, a folder with a minimal Debian")
        return True
    if not client.available() or not binary:
        print(f"minimal: skipped, {client.NAME} or the binary is not there")
        return True
    root = arguments.root.resolve()
    if there := found(root):
        sys.exit(f"This root is not minimal, it has {', '.join(there)}.")
    scratch, port = Path(tempfile.mkdtemp(prefix="syncpoint-", dir=root / "tmp")), free_port()
    try:
        install(binary, scratch, port)
        print(f"Debian {(root / 'etc/debian_version').read_text().strip()}: the bank at {HOST}:{port}", flush=True)
        return accept(client, root, scratch, port)
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
