"""Runs GenApp, unmodified, in a region of its own and does with it what a person must be able to do.

    python3 acceptance/genapp/run.py --genapp PATH [--client s3270|tnz|galasa] [--syncpoint BINARY]

PATH is a checkout of cicsdev/cics-genapp; without it the run is skipped. The scratch folder is removed if every step passed.
Ends with a line 'N passed, N failed'.
"""

from pathlib import Path
import sys

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from installed import Application
from scenes import SCENES

GENAPP = Application(
    name="GenApp",
    here=HERE,
    scenes=SCENES,
    jobs={
        "base/cntl/db2cre.jcl": "tables.sql",
        "base/cntl/cdef121.jcl": "genapp.csd",
        "base/cntl/adef121.jcl": "datasets.idcams",
    },
    values={
        "<SQLID>": "GENASA1", "<DB2DBID>": "GENASA1", "<DB2SSID>": "DB2A", "<DB2RUN>": "DB2A", "<USRHLQ>": "GENA",
    },
)

if __name__ == "__main__":
    GENAPP.main()
