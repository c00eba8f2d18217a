"""Runs CBSA, unmodified, in a region of its own and does with it what a person must be able to do.

    python3 acceptance/cbsa/run.py --cbsa PATH [--client s3270|tnz|galasa] [--syncpoint BINARY]

PATH is a checkout of cicsdev/cics-banking-sample-application-cbsa; without it the run is skipped. The application's own batch
program makes twenty customers and their accounts; with CBSA_WHOLE=1 its own job makes its ten thousand. The scratch folder is removed if every step passed. Ends with a line
'N passed, N failed'.
"""

from dataclasses import dataclass
import os
from pathlib import Path
import sys

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from filled import Web
from installed import Application
from region import HOST, free_port
from scenes import SCENES

LOADING_JOB = "etc/install/base/installjcl/BANKDATA.jcl"
SOME = ("BANKDATA", "--parm", "1,20,1,1000000000000000", "--dd", "VSAM=CBSA.CICSBSA.CUSTOMER")
WHOLE = ("--jcl", f"@CHECKOUT@/{LOADING_JOB}")

SERVICES = {
    "INQCUST": "INQCUSTZ", "INQACC": "INQACCZ", "INQACCCU": "INQACCCZ", "CREACC": "CREACC", "CRECUST": "CRECUST", "UPDACC": "UPDACC",
    "UPDCUST": "UPDCUST", "DELACC": "DELACCZ", "DELCUS": "DELCUS", "DBCRFUN": "PAYDBCR", "XFRFUN": "XFRFUN",
}
"""The programs that CBSA gives to z/OS Connect, with the copybooks that it has for that. Its archives of services and of its web pages
(Java) are not read: the copybooks are what is in them."""


@dataclass
class Cbsa(Application):
    """CBSA with services of JSON."""

    def configuration(self, text):
        """Adds the services."""
        self.web = free_port()
        copybooks = f"{self.checkout}/src/base/cobol_copy"
        lines = [f'{program} = "{copybooks}/{copybook}.cpy"' for program, copybook in SERVICES.items()]
        return text + "\n[services]\n" + "\n".join(lines) + f'\n\n[web.services]\nCBSAWS = "{HOST}:{self.web}"\n'

    def prepare(self, walk):
        walk.web = Web(HOST, self.web)


CBSA = Cbsa(
    name="CBSA",
    here=HERE,
    scenes=SCENES,
    jobs={
        "etc/install/base/db2jcl/INSTDB2.jcl": "tables.sql",
        LOADING_JOB: "datasets.idcams",
    },
    values={"&DB2OWNER": "IBMUSER", "@BANK_PREFIX@": "CBSA.CICSBSA"},
    batch=WHOLE if os.environ.get("CBSA_WHOLE") else SOME,
)

if __name__ == "__main__":
    CBSA.main()
