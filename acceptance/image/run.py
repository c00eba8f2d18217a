"""Builds the image of packaging/Containerfile by podman, and runs it as docs/operator.md says: rootless where this user has no rights.

    python3 acceptance/image/run.py [--syncpoint BINARY]

The image's base is fetched, or made by mmdebstrap where no registry of images is in reach. Where there is no podman, no base, or
containers cannot be started, the run says so in a line and is skipped. Images, volumes and containers are removed behind the run. Ends
with a line 'N passed, N failed'.
"""

import argparse
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "acceptance"), str(ROOT / "tests")]

from clients import s3270
from region import HOST, built_binary, free_port, wait_until_it_listens
from steps import Steps

BASE = "docker.io/library/debian:bookworm-slim"
"""The base that the recipe names."""
NAME = "syncpoint-acceptance"
"""Of the image, the container and the volume."""
FETCH_SECONDS, BUILD_SECONDS = 120, 900
PORT = 3270


def podman(*words, seconds=FETCH_SECONDS):
    return subprocess.run(["podman", *(str(word) for word in words)], capture_output=True, text=True, timeout=seconds)


def has_base(scratch):
    """Returns true if the base is there, was fetched, or was made."""
    if podman("image", "exists", BASE).returncode == 0:
        return True
    try:
        if podman("pull", "--quiet", BASE).returncode == 0:
            return True
    except subprocess.TimeoutExpired:
        pass
    if shutil.which("mmdebstrap") is None:
        return False
    print("No registry of images is in reach: mmdebstrap makes the base", flush=True)
    archive = scratch / "base.tar"
    made = subprocess.run(["mmdebstrap", "--variant=minbase", "bookworm", archive], capture_output=True, timeout=BUILD_SECONDS)
    return made.returncode == 0 and podman("import", archive, BASE, seconds=BUILD_SECONDS).returncode == 0


def cannot(scratch):
    """The reason why nothing can be shown here; none if all is there."""
    if shutil.which("podman") is None:
        return "there is no podman (apt-get install podman uidmap slirp4netns)"
    if not s3270.available():
        return "there is no s3270"
    if not has_base(scratch):
        return f"{BASE} can neither be fetched nor made (mmdebstrap)"
    tried = podman("run", "--rm", BASE, "true")
    return f"podman starts no container here: {tried.stderr.strip()[-300:]}" if tried.returncode else None


def build(binary, scratch):
    """The package, and the image of it; true if it is there."""
    packed = scratch / "packed"
    words = [sys.executable, ROOT / "scripts/package", "--binary", binary, "--out", packed, "--only", "deb", "--plain"]
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    recipe = ROOT / "packaging"
    # An image of OCI's own form has no health check.
    words = ["build", "--format", "docker", "--network", "host", "--pull=never", "--file", recipe / "Containerfile", "--build-context", f"recipe={recipe}"]
    built = podman(*words, "--tag", NAME, packed, seconds=BUILD_SECONDS)
    if built.returncode:
        print(f"FAIL the image is built\n{built.stdout}{built.stderr}")
    return built.returncode == 0


def walk(steps, port, scratch):
    """The bank in a container, from its first screen to the end that is asked for."""
    process = subprocess.Popen(
        ["podman", "start", "--attach", NAME], stdin=subprocess.DEVNULL, stdout=open(scratch / "region.log", "ab"), stderr=subprocess.STDOUT,
    )
    # A port is open before the region listens behind it.
    wait_until_it_listens(process, port, scratch)
    inside = ["podman", "exec", NAME, "/usr/bin/syncpoint"]
    place = ["/srv/application", "--data", "/var/lib/syncpoint"]
    until_serves(process, [*inside, "status", *place])
    steps.take("the health check of the image", ["podman", "healthcheck", "run", NAME])
    steps.take("an operator asks within the container", [*inside, "cemt", *place, "INQUIRE SYSTEM"], sees=("Jobname(HARBOUR)",))
    with s3270.connect(HOST, port) as terminal:
        terminal.wait_text("HARBOUR SAVINGS BANK")
        terminal.clear()
        terminal.type("BK00")
        terminal.enter()
        terminal.wait_text("Password")
    print("ok   the bank's first screen", flush=True)
    steps.passed += 1
    steps.take("it ends in order when it is stopped", ["podman", "stop", "--time", "60", NAME], lacks=("SIGKILL",))
    process.wait(60)
    steps.take("with status 0", ["podman", "inspect", "--format", "{{.State.ExitCode}}", NAME], sees=("0\n",))


def until_serves(process, status):
    while subprocess.run(status, capture_output=True).returncode:
        if process.poll() is not None:
            sys.exit("FAIL the region did not start")


def accept(steps, scratch):
    shutil.copytree(ROOT / "samples/bank", scratch / "bank", ignore=shutil.ignore_patterns(".syncpoint"))
    subprocess.run(["chmod", "--recursive", "a+rX", scratch], check=True)
    port = free_port()
    volumes = ["--volume", f"{scratch / 'bank'}:/srv/application:ro", "--volume", f"{NAME}:/var/lib/syncpoint"]
    create = ["podman", "create", "--read-only", "--name", NAME, "--publish", f"{HOST}:{port}:{PORT}", *volumes, NAME]
    steps.take("a container is made of it, whose root cannot be written", create)
    for _ in ("cold", "warm"):
        walk(steps, port, scratch)
    log = scratch / "region.log"
    steps.take("the second start found the state of the first", ["cat", log], sees=("the start is warm",), lacks=("SPCF002",))


def clean():
    podman("rm", "--force", NAME)
    podman("volume", "rm", "--force", NAME)
    podman("image", "rm", "--force", NAME)


def main():
    parser = argparse.ArgumentParser(description="Builds and runs the image")
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    arguments = parser.parse_args()
    if arguments.syncpoint is None:
        sys.exit("There is no syncpoint in target: build it, or name one with --syncpoint")
    scratch, steps = Path(tempfile.mkdtemp(prefix="image-")), Steps()
    why = cannot(scratch)
    if why:
        print(f"image: skipped, since {why}")
        shutil.rmtree(scratch)
        return
    clean()
    try:
        if build(arguments.syncpoint.resolve(), scratch):
            steps.passed += 1
            print("ok   the image is built", flush=True)
            accept(steps, scratch)
        else:
            steps.failed += 1
    finally:
        clean()
    print(f"{steps.passed} passed, {steps.failed} failed")
    if steps.failed:
        sys.exit(f"The region's log is in {scratch}")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
