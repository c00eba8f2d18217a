"""Builds a bundle and deploys it over HTTP, as its users do: by the plug-in of CICS for Maven, and by the client on which that for Gradle stands, too.

    python3 acceptance/bundles/run.py [--syncpoint BINARY] [--only maven|client]

Maven fetches both, or finds them in its own folder; what cannot be had is skipped with a line that says so. The region is a scratch
folder, which is removed if every step passed. Ends with a line 'N passed, N failed'.
"""

import argparse
import base64
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from region import HOST, built_binary, free_port, region
from steps import Steps

PLUGIN = "1.0.6"
CLIENT = "2.0.1"
MAIN = "com.ibm.cics.bundle.deploy.BundleDeployer"
INSTALL_SECONDS = 600
TYPES = "http://www.ibm.com/xmlns/prod/cics/bundle"
PARTS = "src/main/bundleParts"


def maven(folder, *words):
    return ["mvn", "--batch-mode", "--no-transfer-progress", "--file", folder / "pom.xml", *words]


def prepared(words, what):
    """Runs what fetches a client; none if it cannot be had here."""
    try:
        ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except (subprocess.TimeoutExpired, OSError) as why:
        print(f"{what}: skipped, since it cannot be fetched here: {why}")
        return None
    if ran.returncode != 0:
        lines = ran.stdout.splitlines()
        why = next((line for word in ("Could not", "ERROR") for line in lines if word in line), "Maven says nothing")
        print(f"{what}: skipped, since it cannot be had here: {why.strip()[:300]}")
        return None
    return ran


def plugin(scratch):
    """The folder of the bundle's project, which Maven can build."""
    folder = scratch / "shop"
    shutil.copytree(HERE / "shop", folder)
    pom = folder / "pom.xml"
    pom.write_text(pom.read_text().replace("@PLUGIN@", PLUGIN))
    print("The plug-in for Maven", flush=True)
    return folder if prepared(maven(folder, "package"), "The plug-in for Maven") else None


def client(scratch):
    """The class path of the client."""
    folder = scratch / "client"
    folder.mkdir()
    (folder / "pom.xml").write_text((HERE / "client.xml").read_text().replace("@CLIENT@", CLIENT))
    path = folder / "path"
    print("The deployment client", flush=True)
    words = maven(folder, "dependency:build-classpath", f"-Dmdep.outputFile={path}")
    return path.read_text() if prepared(words, "The deployment client") else None


class Site:
    """A region as its clients see it."""

    def __init__(self, port):
        self.url = f"http://{HOST}:{port}"

    def body(self, path):
        """The answer at a path; its status if that is an error."""
        word = base64.b64encode(b"ANNA:secret").decode()
        request = urllib.request.Request(f"{self.url}{path}", headers={"Authorization": f"Basic {word}"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            return str(error.code)

    def sees(self, steps, rule, path, text):
        body = self.body(path)
        passed = text in body
        steps.passed += passed
        steps.failed += not passed
        print(f"{'ok  ' if passed else 'FAIL'} {rule}", flush=True)
        if not passed:
            print(f"     {path} answers {body!r}", flush=True)


def change(folder, name, old, new):
    path = folder / PARTS / name
    text = path.read_text()
    assert old in text, f"{name} has no {old}"
    path.write_text(text.replace(old, new))


def by_maven(steps, site, folder):
    """The whole life of a bundle, by the plug-in."""

    def verify(rule, bunddef="SHOP", password="secret", **more):
        given = [f"-Durl={site.url}", f"-Dbunddef={bunddef}", f"-Dpassword={password}"]
        steps.take(f"mvn verify: {rule}", maven(folder, "clean", "verify", *given), **more)

    verify("a first version", sees=("BUILD SUCCESS",))
    site.sees(steps, "its program answers at its path", "/shop", "SHOP IS HERE")
    site.sees(steps, "the bundle is enabled", "/CICSSystemManagement/CICSBundle/BANK?CRITERIA=NAME%3DSHOP", 'enablestatus="ENABLED"')
    site.sees(steps, "its transaction is there", "/CICSSystemManagement/CICSLocalTransaction/BANK?CRITERIA=TRANID%3DSHPT", 'program="SHOP"')
    change(folder, "SHOPMAP.urimap", 'path="/shop"', 'path="/store"')
    verify("a second version takes its place", sees=("BUILD SUCCESS",))
    site.sees(steps, "its program answers at the new path", "/store", "SHOP IS HERE")
    site.sees(steps, "nothing answers at the old path", "/shop", "404")
    verify("another password is refused", password="other", fails=True, sees=("BUILD FAILURE",))
    verify("a BUNDLE that is not defined is refused", bunddef="NONE", fails=True, sees=("BUILD FAILURE", "group DEV has no BUNDLE NONE"))
    change(folder, "SHOP.program", "THREADSAFE", "PERHAPS")
    verify("a part that is wrong is named", fails=True, sees=("BUILD FAILURE", "CONCURRENCY cannot be PERHAPS"))
    change(folder, "SHOP.program", "PERHAPS", "THREADSAFE")
    verify("it comes back when it is mended", sees=("BUILD SUCCESS",))
    site.sees(steps, "its program answers again", "/store", "SHOP IS HERE")


def zipped(scratch, path, version="1.0.0"):
    """A bundle as the plug-ins make it, whose program answers at a path."""
    parts = sorted((HERE / "shop" / PARTS).iterdir())
    defines = "".join(
        f'<define name="{part.stem}" type="{TYPES}/{part.suffix[1:].upper()}" path="{part.name}"/>' for part in parts
    )
    major, minor, micro = version.split(".")
    numbers = f'bundleMajorVer="{major}" bundleMinorVer="{minor}" bundleMicroVer="{micro}"'
    file = scratch / "shop.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("META-INF/cics.xml", f'<manifest xmlns="{TYPES}" id="shop" {numbers}>{defines}</manifest>')
        for part in parts:
            bundle.writestr(part.name, part.read_text().replace('path="/shop"', f'path="{path}"'))
    return file


def by_client(steps, site, class_path, scratch):
    """A deployment and its refusals, by the client alone."""

    def deploy(rule, file, password="secret", **more):
        words = [site.url, file, "SHOP", "DEV", "", "", "ANNA", password, "true"]
        steps.take(f"deployment client: {rule}", ["java", "-cp", class_path, MAIN, *words], **more)

    deploy("a bundle is deployed", zipped(scratch, "/client"), sees=("Bundle deployed",))
    site.sees(steps, "its program answers", "/client", "SHOP IS HERE")
    deploy("another password is refused", zipped(scratch, "/client"), password="other", lacks=("Bundle deployed",), sees=("exception",))
    wrong = zipped(scratch, "/client", version="2.0.0")
    deploy("a version that is not the definition's is refused", wrong, lacks=("Bundle deployed",), sees=("BUNDLEDIR(bundles/shop_2.0.0)",))
    site.sees(steps, "its program answers still", "/client", "SHOP IS HERE")


def main():
    parser = argparse.ArgumentParser(description="Deploys bundles by clients of the deployment API")
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    parser.add_argument("--only", choices=("maven", "client"))
    arguments = parser.parse_args()
    if arguments.syncpoint is None:
        sys.exit("There is no syncpoint in target: build it, or name one with --syncpoint")
    if shutil.which("mvn") is None or shutil.which("java") is None:
        print("Bundles: skipped, since there is no Maven or no Java here (scripts/install accept)")
        return
    scratch, port = Path(tempfile.mkdtemp(prefix="bundles-")), free_port()
    project = plugin(scratch) if arguments.only in (None, "maven") else None
    class_path = client(scratch) if arguments.only in (None, "client") else None
    if project is None and class_path is None:
        print("Bundles: skipped, since none of the clients can be had here")
        shutil.rmtree(scratch)
        return
    application = scratch / "application"
    shutil.copytree(HERE / "application", application)
    configuration = application / "region.toml"
    configuration.write_text(configuration.read_text().replace("@CMCI@", f"{HOST}:{port}"))
    steps, site = Steps(), Site(port)
    print(f"The deployment API at {site.url}", flush=True)
    with region(arguments.syncpoint.resolve(), application, port):
        if project:
            by_maven(steps, site, project)
        if class_path:
            by_client(steps, site, class_path, scratch)
    print(f"{steps.passed} passed, {steps.failed} failed")
    if steps.failed:
        sys.exit(f"The region's log and data are in {scratch}")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
