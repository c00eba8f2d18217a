"""Runs CBSA, unmodified, in a region of its own and does with it what a person must be able to do.

    python3 acceptance/cbsa/run.py --cbsa PATH [--client s3270|tnz|galasa] [--syncpoint BINARY]

PATH is a checkout of cicsdev/cics-banking-sample-application-cbsa; without it the run is skipped. The application's own batch
program makes the customers and accounts. The scratch folder is removed if every step passed. Ends with a line
'N passed, N failed'.
"""

from pathlib import Path
import sys

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from installed import Application
from scenes import SCENES

CBSA = Application(
    name="CBSA",
    here=HERE,
    scenes=SCENES,
    jobs={
        "etc/install/base/db2jcl/INSTDB2.jcl": "tables.sql",
        "etc/install/base/installjcl/BANKDATA.jcl": "datasets.idcams",
    },
    values={"&DB2OWNER": "IBMUSER", "@BANK_PREFIX@": "CBSA.CICSBSA"},
    batch=("BANKDATA", "--parm", "1,20,1,1000000000000000", "--dd", "VSAM=CBSA.CICSBSA.CUSTOMER"),
)

if __name__ == "__main__":
    CBSA.main()
