"""Manages a region by Zowe CLI's CICS plug-in (all 25 commands) and by Ansible's ibm_zos_cics, as their users do, over CMCI.

    python3 acceptance/cmci/run.py [--syncpoint BINARY] [--only zowe|ansible]

Both clients are installed below target/clients, by npm, pip and ansible-galaxy (or ZOS_CICS names a checkout of the collection); what
cannot be installed is skipped with a line that says so. The region is a scratch folder, which is removed if every step passed. Ends with a line 'N passed, N failed'.
"""

import argparse
from pathlib import Path
import shutil
import sys
import tempfile

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import ansible
from region import HOST, built_binary, free_port, region
from steps import Steps
import zowe

CLIENTS = {"zowe": zowe, "ansible": ansible}


def install(scratch, port):
    """Writes the application into a scratch folder."""
    shutil.copytree(HERE / "application", scratch, dirs_exist_ok=True)
    configuration = scratch / "region.toml"
    configuration.write_text(configuration.read_text().replace("@CMCI@", f"{HOST}:{port}"))


def main():
    parser = argparse.ArgumentParser(description="Manages a region by the clients of CMCI")
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    parser.add_argument("--only", choices=CLIENTS)
    arguments = parser.parse_args()
    if arguments.syncpoint is None:
        sys.exit("There is no syncpoint in target: build it, or name one with --syncpoint")
    chosen = {name: client for name, client in CLIENTS.items() if arguments.only in (None, name)}
    installed = {name: client.installed() for name, client in chosen.items()}
    if not any(installed.values()):
        print("CMCI: skipped, since none of its clients can be installed here")
        return
    scratch, port = Path(tempfile.mkdtemp(prefix="cmci-")), free_port()
    install(scratch, port)
    steps = Steps()
    print(f"CMCI at {HOST}:{port}", flush=True)
    with region(arguments.syncpoint.resolve(), scratch, port):
        for name, client in chosen.items():
            if installed[name]:
                client.manage(steps, installed[name], HOST, port)
    print(f"{steps.passed} passed, {steps.failed} failed")
    if steps.failed:
        sys.exit(f"The region's log and data are in {scratch}")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
