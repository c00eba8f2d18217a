"""Zowe CLI with its CICS plug-in."""

import os
from pathlib import Path
import shutil
import subprocess

from region import ROOT

FOLDER = ROOT / "target/clients/zowe"
CLI = "@zowe/cli@8.37.1"
PLUG_IN = "@zowe/cics-for-zowe-cli@6.23.1"
INSTALL_SECONDS = 900


def environment():
    return {**os.environ, "ZOWE_CLI_HOME": str(FOLDER / "home"), "FORCE_COLOR": "0"}


def installed():
    """The command, installed if it is not there; none if it cannot be had here."""
    command = FOLDER / "node_modules/.bin/zowe"
    if shutil.which("npm") is None:
        print("Zowe CLI: skipped, since there is no npm")
        return None
    try:
        if not command.exists():
            FOLDER.mkdir(parents=True, exist_ok=True)
            said("Installing Zowe CLI below target/clients", ["npm", "install", "--prefix", FOLDER, "--no-audit", "--no-fund", CLI])
        if PLUG_IN.rsplit("@", 1)[0] not in listed(command):
            said("Installing its CICS plug-in", [command, "plugins", "install", PLUG_IN])
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as why:
        print(f"Zowe CLI: skipped, since it cannot be installed here: {why}")
        return None
    return command


def said(what, command):
    print(what, flush=True)
    subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=INSTALL_SECONDS, env=environment())


def listed(command):
    ran = subprocess.run([str(command), "plugins", "list"], capture_output=True, text=True, timeout=INSTALL_SECONDS, env=environment())
    return ran.stdout


def manage(steps, command, host, port):
    """Every command of the plug-in, in an order in which each has something to do."""
    where = ["--region-name", "BANK", "--host", host, "--port", port, "--protocol", "http", "--user", "ANNA"]

    def zowe(rule, *words, sees=("success",), password="secret", **more):
        asked = [*where, "--password", password]
        steps.take(f"zowe cics {rule}", [command, "cics", *words, *asked], sees=sees, env=environment(), **more)

    zowe("get resource: the region", "get", "resource", "CICSRegion", sees=("cicsname", "BANK"))
    zowe(
        "get resource: criteria", "get", "resource", "CICSProgram", "--criteria", "NOT (PROGRAM=DFH*) AND STATUS=ENABLED",
        sees=("BKMENU",), lacks=("DFHWUIPG",),
    )
    zowe("get resource: nothing there", "get", "resource", "CICSProgram", "--criteria", "PROGRAM=NOSUCH", sees=("NODATA",), fails=True)
    zowe("define program", "define", "program", "ZPROG", "ZOWE")
    zowe("define program: it is there already", "define", "program", "ZPROG", "ZOWE", sees=("TABLEERROR",), fails=True)
    zowe("define transaction", "define", "transaction", "ZTRN", "BKMENU", "ZOWE")
    web = ["--urimap-host", "localhost", "--urimap-scheme", "http"]
    zowe("define urimap-server", "define", "urimap-server", "ZSERVER", "ZOWE", "--urimap-path", "/z", "--program-name", "BKMENU", *web)
    zowe("define urimap-client", "define", "urimap-client", "ZCLIENT", "ZOWE", "--urimap-path", "/c", *web)
    zowe("define urimap-pipeline", "define", "urimap-pipeline", "ZPIPE", "ZOWE", "--urimap-path", "/p", "--pipeline-name", "PIPE", *web)
    zowe("define webservice", "define", "webservice", "ZWEB", "ZOWE", "--pipeline-name", "PIPE", "--wsbind", "zweb.wsbind")
    zowe("define bundle", "define", "bundle", "ZBUND", "/bundles/z/", "ZOWE")
    zowe("get resource: a definition", "get", "resource", "CICSDefinitionURIMap", "--parameter", "CSDGROUP(ZOWE)", sees=("ZSERVER", "ZPIPE"))
    zowe("install program", "install", "program", "ZPROG", "ZOWE")
    zowe("install transaction", "install", "transaction", "ZTRN", "ZOWE")
    zowe("install urimap", "install", "urimap", "ZSERVER", "ZOWE")
    zowe("refresh program", "refresh", "program", "BKMENU")
    zowe("disable urimap", "disable", "urimap", "ZSERVER")
    zowe("get resource: it is disabled", "get", "resource", "CICSURIMap", "--criteria", "NAME=ZSERVER", sees=("DISABLED",))
    zowe("enable urimap", "enable", "urimap", "ZSERVER")
    zowe("open CICSLocalFile", "open", "CICSLocalFile", "ACCTS")
    zowe("get resource: it is open", "get", "resource", "CICSLocalFile", "--criteria", "FILE=ACCTS", sees=("openstatus", "OPEN"))
    zowe("close CICSLocalFile", "close", "CICSLocalFile", "ACCTS", "--busy", "WAIT")
    zowe("add-to-list csdGroup", "add-to-list", "csdGroup", "ZOWE", "ZLIST")
    zowe("remove-from-list csdGroup", "remove-from-list", "csdGroup", "ZOWE", "ZLIST")
    zowe("disable urimap before it is discarded", "disable", "urimap", "ZSERVER")
    zowe("discard urimap", "discard", "urimap", "ZSERVER")
    zowe("discard transaction", "discard", "transaction", "ZTRN")
    zowe("discard program", "discard", "program", "ZPROG")
    for kind, name in (("program", "ZPROG"), ("transaction", "ZTRN"), ("urimap", "ZSERVER"), ("webservice", "ZWEB")):
        zowe(f"delete {kind}", "delete", kind, name, "ZOWE")
    zowe("get resource: a wrong password", "get", "resource", "CICSRegion", password="WRONG", sees=("401",), fails=True)
