"""Ansible with the collection ibm.ibm_zos_cics."""

import os
from pathlib import Path
import shutil
import subprocess
import sys

from region import ROOT

FOLDER = ROOT / "target/clients/ansible"
CORE = "ansible-core==2.19.4"
COLLECTION = "ibm.ibm_zos_cics:2.2.1"
NEEDS = ("requests", "xmltodict", "typing_extensions")
INSTALL_SECONDS = 900


def environment():
    return {
        **os.environ, "ANSIBLE_COLLECTIONS_PATH": str(FOLDER / "collections"), "ANSIBLE_HOME": str(FOLDER / "home"),
        "ANSIBLE_NOCOLOR": "1", "ANSIBLE_DEPRECATION_WARNINGS": "0",
    }


def installed():
    """The command of playbooks, installed if it is not there; none if it cannot be had here.

    ZOS_CICS names a checkout of the collection; without it, ansible-galaxy brings it.
    """
    command, checkout = FOLDER / "bin/ansible-playbook", os.environ.get("ZOS_CICS", "")
    collection = FOLDER / "collections/ansible_collections/ibm/ibm_zos_cics"
    try:
        if not command.exists():
            said("Installing Ansible below target/clients", [sys.executable, "-m", "venv", FOLDER])
            said("  its packages", [FOLDER / "bin/python", "-m", "pip", "install", "--quiet", CORE, *NEEDS])
        if checkout:
            shutil.copytree(checkout, collection, dirs_exist_ok=True)
        if not collection.exists():
            galaxy = [FOLDER / "bin/ansible-galaxy", "collection", "install", "--no-deps", COLLECTION, "-p", FOLDER / "collections"]
            said("Installing its collection ibm_zos_cics", galaxy)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as why:
        print(f"Ansible: skipped, since it or its collection cannot be installed here: {why}")
        shutil.rmtree(FOLDER / "collections", ignore_errors=True)
        return None
    return command


def said(what, command):
    print(what, flush=True)
    subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=INSTALL_SECONDS, env=environment())


def manage(steps, command, host, port):
    """A playbook of the modules cmci_get, cmci_create, cmci_update, cmci_action and cmci_delete."""
    playbook = Path(__file__).resolve().parent / "playbook.yml"
    python = FOLDER / "bin/python"
    values = f"cmci_host={host} cmci_port={port} ansible_python_interpreter={python}"
    steps.take(
        "ansible: a playbook of the five modules", [command, "-i", "localhost,", "-e", values, playbook],
        sees=("failed=0",), lacks=("unreachable=1",), env=environment(),
    )
