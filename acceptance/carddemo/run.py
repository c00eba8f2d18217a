"""Runs CardDemo, unmodified, in a region of its own and does with it what a person must be able to do.

    python3 acceptance/carddemo/run.py --carddemo PATH [--client s3270|tnz|galasa|all] [--syncpoint BINARY]

PATH is a checkout of the application; without it the run is skipped. Each client gets a region with fresh data in a
scratch folder, which is removed if every step passed. Ends with a line 'N passed, N failed' for each client.
"""

import argparse
import importlib
import os
from pathlib import Path
import shutil
import sys
import tempfile

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "acceptance"), str(ROOT / "tests")]

from region import HOST, built_binary, free_port, has_postgresql, region
from scenes import SCENES
from transaction_types import TRANSACTION_TYPES
from walk import Walk

CLIENTS = {"s3270": "clients.s3270", "tnz": "clients.tnz_driver", "galasa": "clients.galasa_driver"}
DB2 = "app/app-transaction-type-db2"
"""CardDemo's module with Db2."""


def has_db2(carddemo):
    """Whether the checkout has the module with Db2, and this machine a PostgreSQL."""
    return (carddemo / DB2).is_dir() and has_postgresql()


def application(scratch, carddemo, port):
    """Writes region.toml into the scratch folder."""
    text = (HERE / "region.toml").read_text()
    if not has_db2(carddemo):
        text = "".join(line for line in text.splitlines(keepends=True) if "@DB2@" not in line or line[0] == "#")
    values = (("@CARDDEMO@", carddemo), ("@DB2@", carddemo / DB2), ("@HERE@", HERE), ("@LISTEN@", f"{HOST}:{port}"))
    for token, value in values:
        text = text.replace(token, str(value))
    (scratch / "region.toml").write_text(text)


def accept(name, binary, carddemo):
    """Walks through the application with one client; true if every step passed."""
    client = importlib.import_module(CLIENTS[name])
    if not client.available():
        print(f"{name}: skipped, it is not installed")
        return True
    scratch = Path(tempfile.mkdtemp(prefix="carddemo-"))
    # The region's private PostgreSQL is another user where this one is root.
    scratch.chmod(0o755)
    port = free_port()
    application(scratch, carddemo, port)
    print(f"{name}: CardDemo at {HOST}:{port}", flush=True)
    with region(binary, scratch, port):
        walk = Walk(client, HOST, port)
        walk.carddemo, walk.jobs = carddemo, scratch / "jobs.txt"
        walk.binary, walk.folder, walk.db2 = binary, scratch, carddemo / DB2
        if has_db2(carddemo):
            passed = walk.run((*SCENES, *TRANSACTION_TYPES))
        else:
            print(f"  skipped: the scenes with Db2 need {DB2} and PostgreSQL (apt-get install postgresql)")
            passed = walk.run(SCENES)
    if passed:
        shutil.rmtree(scratch)
    else:
        print(f"The region's log and data are in {scratch}")
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--carddemo", default=os.environ.get("CARDDEMO", ""))
    parser.add_argument("--client", choices=(*CLIENTS, "all"), default="all")
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    arguments = parser.parse_args()
    if not arguments.carddemo:
        print("CardDemo: skipped, since no checkout of it is given (make accept CARDDEMO=path)")
        return
    carddemo = Path(arguments.carddemo).resolve()
    if not (carddemo / "app/csd/CARDDEMO.CSD").exists():
        sys.exit(f"{carddemo} is no checkout of CardDemo: it has no app/csd/CARDDEMO.CSD")
    if arguments.syncpoint is None:
        sys.exit("There is no syncpoint in target: build it, or name one with --syncpoint")
    names = CLIENTS if arguments.client == "all" else (arguments.client,)
    results = [accept(name, arguments.syncpoint, carddemo) for name in names]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
