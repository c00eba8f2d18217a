"""Measures a SOAP request here and at an echo servlet on Open Liberty: the processor time of each server.

    python3 acceptance/liberty/run.py --liberty PATH [--syncpoint BINARY] [--requests N]

PATH is Open Liberty's folder `wlp` (io.openliberty:openliberty-runtime of Maven Central, unpacked); without it, without a Java
compiler or h2load (package nghttp2-client) the run is skipped. The servlet sends back bytes, and reads no XML; here a COBOL
program gets a record of ten fields and gives it back. Both are warmed up first; rounds alternate, and the best counts. Ends with
a line for each server and their ratio; it fails where ours costs more.
"""

import argparse
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
import time

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from region import HOST, ROOT, built_binary, free_port, region, wait_until_it_listens

BENCH = ROOT / "crates/programs/bench/programs"
CLIENTS = 16
ROUNDS = 5
MESSAGE = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><b:call xmlns:b="urn:b">'
    + "".join(f"<field_{number}>{'ABCDEFGH' * 8}</field_{number}>" for number in range(1, 11))
    + "</b:call></s:Body></s:Envelope>"
)


def processor_seconds(process):
    """What a process has used, with its threads that have ended: by the kernel's count in ticks of a hundredth of a second."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    user, system = (int(fields[place]) for place in (11, 12))
    return (user + system) / os.sysconf("SC_CLK_TCK")


def load(port, body, requests):
    """Has h2load send requests on kept connections; each must be answered by 2xx."""
    told = subprocess.run(
        ["h2load", "--h1", f"-c{CLIENTS}", "-t1", f"-n{requests}", f"-d{body}", "-H", "Content-Type: text/xml; charset=utf-8",
         f"http://{HOST}:{port}/echo"], capture_output=True, text=True, check=True,
    ).stdout
    assert f"{requests} succeeded" in told, told


def round_of(process, port, body, requests):
    """Microseconds of a server for each request."""
    before = processor_seconds(process)
    load(port, body, requests)
    return (processor_seconds(process) - before) * 1e6 / requests


def servlet(liberty, scratch, port):
    """Compiles the servlet, and lays a server out with it."""
    server = scratch / "usr/servers/echo"
    classes = scratch / "war/WEB-INF/classes"
    for folder in (server / "apps", classes):
        folder.mkdir(parents=True)
    api = next((liberty / "dev/api/spec").glob("io.openliberty.jakarta.servlet.6.0_*.jar"))
    subprocess.run(["javac", "-cp", api, "-d", classes, HERE / "EchoServlet.java"], check=True)
    shutil.make_archive(str(server / "apps/echo"), "zip", scratch / "war")
    (server / "apps/echo.zip").rename(server / "apps/echo.war")
    (server / "server.xml").write_text((HERE / "server.xml").read_text().replace("@PORT@", str(port)))
    environment = os.environ | {"WLP_USER_DIR": str(scratch / "usr")}
    with open(scratch / "region.log", "wb") as log:
        # `run` becomes the server's own process.
        return subprocess.Popen([liberty / "bin/server", "run", "echo"], env=environment, stdout=log, stderr=log,
                                start_new_session=True)


def java_of(process):
    """The process of Java that a script has become, or has started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return int(children[0]) if children else process


def application(binary, scratch, port, web):
    """Our region's folder, with a fresh binding."""
    places = {"@LISTEN@": f"{HOST}:{port}", "@WEB@": f"{HOST}:{web}"}
    text = (HERE / "region.toml").read_text()
    for token, value in places.items():
        text = text.replace(token, str(value))
    (scratch / "region.toml").write_text(text)
    shutil.copy(HERE / "echo.csd", scratch)
    shutil.copy(BENCH / "soap.xml", scratch)
    shutil.copy(BENCH / "null.cbl", scratch / "NULL1.cbl")
    for copybook in BENCH.glob("*.cpy"):
        shutil.copy(copybook, scratch / f"{copybook.stem.upper()}.cpy")
    subprocess.run(
        [binary, "service", "from-copybook", "PGMNAME=NULL1", "REQMEM=TEN", "RESPMEM=TEN", "URI=/echo", "WSBIND=ten.wsbind", "OPERATION-NAME=call",
         "REQUEST-NAMESPACE=urn:b", "RESPONSE-NAMESPACE=urn:b"], cwd=scratch, check=True,
        capture_output=True,
    )


def measure(binary, liberty, requests):
    """The best round of each: ours, Liberty's."""
    scratch = Path(tempfile.mkdtemp(prefix="liberty-"))
    ours, theirs, theirs_port, terminals, web = scratch / "ours", scratch / "theirs", free_port(), free_port(), free_port()
    ours.mkdir()
    theirs.mkdir()
    body = scratch / "message.xml"
    body.write_text(MESSAGE)
    application(binary, ours, terminals, web)
    server = servlet(liberty, theirs, theirs_port)
    try:
        wait_until_it_listens(server, theirs_port, theirs)
        wait_for_servlet(theirs_port, body)
        with region(binary, ours, terminals) as process:
            places = ((process.pid, web), (java_of(server.pid), theirs_port))
            for _, port in places:
                load(port, body, 4 * requests)
            rounds = [[round_of(which, port, body, requests) for which, port in places] for _ in range(ROUNDS)]
    finally:
        subprocess.run([liberty / "bin/server", "stop", "echo"], env=os.environ | {"WLP_USER_DIR": str(theirs / "usr")},
                       stdout=subprocess.DEVNULL, check=False)
        server.wait(60)
    shutil.rmtree(scratch)
    return (min(times) for times in zip(*rounds))


def wait_for_servlet(port, body):
    """Waits until the application answers, which it does some time after its port is open."""
    deadline = time.monotonic() + 120
    while True:
        try:
            return load(port, body, CLIENTS)
        except AssertionError:
            assert time.monotonic() < deadline, "the servlet does not answer"
            time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--liberty", default=os.environ.get("LIBERTY", ""))
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    parser.add_argument("--requests", type=int, default=50_000)
    arguments = parser.parse_args()
    lacking = [tool for tool in ("javac", "h2load") if not shutil.which(tool)]
    if not arguments.liberty or lacking:
        print("Liberty: skipped, since it needs Open Liberty (--liberty PATH), a Java compiler and h2load")
        return
    ours, theirs = measure(arguments.syncpoint.resolve(), Path(arguments.liberty).resolve(), arguments.requests)
    print(f"a SOAP service here        {ours:6.2f} µs of processor time a request")
    print(f"an echo servlet on Liberty {theirs:6.2f} µs; ours is {ours / theirs:.2f} × that")
    sys.exit(0 if ours < theirs else 1)


if __name__ == "__main__":
    main()
