"""Runs zECS, unmodified, in a region of its own and uses it as clients of a cache do, over HTTP.

    python3 acceptance/zecs/run.py --zecs PATH [--client s3270|tnz|galasa] [--syncpoint BINARY]

PATH is a checkout of walmartlabs/zECS; without it the run is skipped. Its jobs fill tokens in; so does this. Two small programs in
COBOL stand in for its assembler programs. The scratch folder is removed if every step passed. Ends with a line
'N passed, N failed'.
"""

from pathlib import Path
import sys

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from filled import Filled
from scenes import SCENES

ZECS = Filled(
    name="zECS",
    here=HERE,
    scenes=SCENES,
    values={
        "@id@": "00", "@environment@": "DEV", "@org@": "devops", "@appname@": "sessionData", "@scheme@": "http",
        "@grp_list@": "DEFAULT", "@pri_cyl@": "1", "@sec_cyl@": "1",
    },
    renamed={"##": "00"},
)

if __name__ == "__main__":
    ZECS.main()
