"""Runs GenApp, unmodified, in a region of its own and does with it what a person must be able to do.

    python3 acceptance/genapp/run.py --genapp PATH [--client s3270|tnz|galasa] [--syncpoint BINARY]

PATH is a checkout of cicsdev/cics-genapp; without it the run is skipped. Tables, definitions and data sets are made by the
in-stream data of the application's own jobs. The scratch folder is removed if every step passed. Ends with a line
'N passed, N failed'.
"""

import argparse
import importlib
import os
from pathlib import Path
import re
import shutil
import sys
import tempfile

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "acceptance"), str(ROOT / "tests")]

from region import HOST, built_binary, free_port, has_postgresql, region
from scenes import SCENES
from walk import Walk

CLIENTS = {"s3270": "clients.s3270", "tnz": "clients.tnz_driver", "galasa": "clients.galasa_driver"}
JOBS = {"db2cre.jcl": "tables.sql", "cdef121.jcl": "genapp.csd", "adef121.jcl": "datasets.idcams"}
"""The file that each job's in-stream data become."""
TOKENS = {"SQLID": "GENASA1", "DB2DBID": "GENASA1", "DB2SSID": "DB2A", "DB2RUN": "DB2A", "USRHLQ": "GENA"}
"""What an installation fills in."""
SYSIN = re.compile(r"^//SYSIN\s+DD\s+\*[^\n]*\n(.*?)^/\*", re.M | re.S)


def in_stream(job):
    """The data of a job's SYSIN statements, with an installation's names."""
    text = "".join(data[1] for data in SYSIN.finditer(job.read_text()))
    for token, value in TOKENS.items():
        text = text.replace(f"<{token}>", value)
    return text


def application(scratch, genapp, port):
    """Writes region.toml and what it names into the scratch folder."""
    text = (HERE / "region.toml").read_text()
    for token, value in (("@GENAPP@", genapp), ("@LISTEN@", f"{HOST}:{port}")):
        text = text.replace(token, str(value))
    (scratch / "region.toml").write_text(text)
    for job, name in JOBS.items():
        (scratch / name).write_text(in_stream(genapp / "base/cntl" / job))


def accept(client, binary, genapp):
    """Walks through the application; true if every step passed."""
    scratch = Path(tempfile.mkdtemp(prefix="genapp-"))
    # The region's private PostgreSQL is another user where this one is root.
    scratch.chmod(0o755)
    port = free_port()
    application(scratch, genapp, port)
    print(f"GenApp at {HOST}:{port}", flush=True)
    with region(binary, scratch, port):
        passed = Walk(client, HOST, port).run(SCENES)
    if passed:
        shutil.rmtree(scratch)
    else:
        print(f"The region's log and data are in {scratch}")
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--genapp", default=os.environ.get("GENAPP", ""))
    parser.add_argument("--client", choices=CLIENTS, default="s3270")
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    arguments = parser.parse_args()
    client = importlib.import_module(CLIENTS[arguments.client])
    if not arguments.genapp or not client.available() or not has_postgresql():
        print("GenApp: skipped, since it needs a checkout (--genapp PATH), PostgreSQL and the client")
        return
    genapp = Path(arguments.genapp).resolve()
    if not (genapp / "base/cntl/db2cre.jcl").exists():
        sys.exit(f"{genapp} is no checkout of GenApp: it has no base/cntl/db2cre.jcl")
    if arguments.syncpoint is None:
        sys.exit("There is no syncpoint in target: build it, or name one with --syncpoint")
    sys.exit(0 if accept(client, arguments.syncpoint, genapp) else 1)


if __name__ == "__main__":
    main()
