"""Drives a region by Galasa's own CICS managers (CEMT, CEDA, CECI), compiled unchanged from a checkout of Galasa.

    python3 acceptance/galasa/run.py [--galasa CHECKOUT] [--syncpoint BINARY]

GALASA names the checkout, too; without one it is fetched below target/clients. Galasa's terminal lies there already (scripts/install
accept). Where something cannot be had, the run says so in a line and is skipped. Ends with a line 'N passed, N failed'.
"""

import argparse
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from region import HOST, ROOT, built_binary, free_port, region

LIBRARIES = ROOT / "target/clients/galasa"
FETCHED = ROOT / "target/clients/galasa-source"
ADDRESS = "https://github.com/galasa-dev/galasa.git"
COMMIT = "9f3cce9f822cdb1a6453c75defec54c1d535f26f"
"""The managers that were driven last; a checkout may be another."""
MANAGERS = "modules/managers/galasa-managers-parent/galasa-managers-cicsts-parent"
DRIVEN = ("ceda", "cemt", "ceci")
SECONDS = 600


def source(checkout):
    """The folder of the managers: of a checkout, or of the one that is fetched."""
    if checkout:
        return Path(checkout).resolve() / MANAGERS
    if not (FETCHED / MANAGERS).is_dir():
        print("Fetching Galasa's managers below target/clients", flush=True)
        shutil.rmtree(FETCHED, ignore_errors=True)
        FETCHED.mkdir(parents=True)
        for words in (
            ["init", "--quiet"], ["sparse-checkout", "set", MANAGERS],
            ["fetch", "--quiet", "--depth", "1", "--filter=blob:none", ADDRESS, COMMIT], ["checkout", "--quiet", "FETCH_HEAD"],
        ):
            subprocess.run(["git", *words], cwd=FETCHED, check=True, capture_output=True, text=True, timeout=SECONDS)
    return FETCHED / MANAGERS


def compiled(managers, out):
    """Compiles the managers and what drives them; the class path."""
    roots = [managers / f"dev.galasa.cicsts.{name}.manager/src/main/java" for name in DRIVEN]
    wanted = [root / f"dev/galasa/cicsts/{name}/internal/{name.capitalize()}Impl.java" for name, root in zip(DRIVEN, roots)]
    missing = [path for path in wanted if not path.exists()]
    if missing:
        sys.exit(f"{managers} has no managers of Galasa: there is no {missing[0]}")
    path = [HERE / "driver/stand-ins", managers / "dev.galasa.cicsts.manager/src/main/java", *roots]
    libraries = f"{LIBRARIES}/*"
    command = [
        "javac", "-nowarn", "-proc:none", "-cp", libraries, "-d", out, "-sourcepath", ":".join(map(str, path)),
        HERE / "driver/Drive.java", *wanted,
    ]
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS)
    if ran.returncode != 0:
        sys.exit(f"The managers do not compile:\n{ran.stdout}{ran.stderr}")
    return f"{out}:{libraries}"


def main():
    parser = argparse.ArgumentParser(description="Drives a region by Galasa's CICS managers")
    parser.add_argument("--galasa", default=os.environ.get("GALASA", ""))
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    arguments = parser.parse_args()
    if arguments.syncpoint is None:
        sys.exit("There is no syncpoint in target: build it, or name one with --syncpoint")
    if shutil.which("javac") is None or not any(LIBRARIES.glob("*.jar")):
        print("Galasa: skipped, since there is no Java compiler here, or not its terminal (scripts/install accept)")
        return
    try:
        managers = source(arguments.galasa)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as why:
        print(f"Galasa: skipped, since its managers cannot be fetched here; --galasa names a checkout ({why})")
        shutil.rmtree(FETCHED, ignore_errors=True)
        return
    scratch, port = Path(tempfile.mkdtemp(prefix="galasa-")), free_port()
    path = compiled(managers, scratch / "classes")
    application = scratch / "application"
    shutil.copytree(HERE / "application", application)
    configuration = application / "region.toml"
    configuration.write_text(configuration.read_text().replace("@LISTEN@", f"{HOST}:{port}"))
    print(f"Galasa's managers at {HOST}:{port}", flush=True)
    with region(arguments.syncpoint.resolve(), application, port):
        ran = subprocess.run(["java", "-cp", path, "Drive", str(port)], stderr=subprocess.DEVNULL, timeout=SECONDS)
    if ran.returncode != 0:
        sys.exit(f"The region's log and data are in {application}")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
