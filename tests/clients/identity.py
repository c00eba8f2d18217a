"""A certificate of a browser's own, which it shows without asking.

    Browser(identity=Identity("anna.pem", "anna.key", "authority.pem"))

Chromium takes certificates from a database of NSS in its user's home, and a policy says to which servers one is shown. The policy is
the machine's: it is laid over /etc/chromium for this browser alone, in name spaces of its own.
"""

import json
import os
from pathlib import Path
import shutil
import subprocess

TOOLS = ("certutil", "pk12util", "openssl", "unshare")
POLICY = {"AutoSelectCertificateForUrls": [json.dumps({"pattern": "https://127.0.0.1", "filter": {}})]}
LAID_OVER = """
mkdir -p /etc/chromium && mount --bind "$0" /etc/chromium && exec "$@"
"""


class Identity:
    """PEM files: the certificate, its key, and the authority of the servers that are believed."""

    def __init__(self, certificate, key, authority):
        self.certificate, self.key, self.authority = certificate, key, authority

    def prepared(self, folder):
        """The words before the browser's command, and its surroundings; what they need lies in the folder."""
        home, policies = Path(folder) / "home", Path(folder) / "chromium/policies/managed"
        database = home / ".pki/nssdb"
        for made in (database, policies):
            made.mkdir(parents=True)
        (policies / "certificate.json").write_text(json.dumps(POLICY))
        at, both = ["-d", f"sql:{database}"], home / "own.p12"
        run("certutil", *at, "-N", "--empty-password")
        run("openssl", "pkcs12", "-export", "-in", self.certificate, "-inkey", self.key, "-passout", "pass:", "-out", both)
        run("pk12util", *at, "-i", both, "-W", "")
        run("certutil", *at, "-A", "-t", "C,,", "-n", "authority", "-i", self.authority)
        apart = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
        return [*apart, "sh", "-c", LAID_OVER, str(policies.parents[1])], {**os.environ, "HOME": str(home)}


def missing():
    """The tools that are not there."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def run(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)
