"""Runs GenApp, unmodified, in a region of its own and does with it what a person must be able to do.

    python3 acceptance/genapp/run.py --genapp PATH [--client s3270|tnz|galasa] [--syncpoint BINARY]

PATH is a checkout of cicsdev/cics-genapp; without it the run is skipped. The scratch folder is removed if every step passed.
Ends with a line 'N passed, N failed'.
"""

from dataclasses import dataclass
from pathlib import Path
import subprocess
import sys

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from filled import Web
from installed import Application
from region import HOST, free_port
from scenes import SCENES

LACKING = "soaipm1.cpy"
"""The copybook of motor policies gives a group a PICTURE: the steps that bind it are refused."""

PIPELINE = (
    "<provider_pipeline><service><terminal_handler><cics_soap_1.1_handler/></terminal_handler></service>"
    "<apphandler>DFHPITP</apphandler></provider_pipeline>\n"
)
DEFINITIONS = """
DEFINE TCPIPSERVICE(GENATCP1) GROUP(GENAWS) PORTNUMBER(@PORT@) PROTOCOL(HTTP) URM(NONE) IPADDRESS(127.0.0.1)
DEFINE PIPELINE(GENAPIP1) GROUP(GENAWS) CONFIGFILE(soap.xml) WSDIR(services)
ADD GROUP(GENAWS) LIST(SERVICES)
"""


@dataclass
class GenApp(Application):
    """GenApp with its web services, bound by its own jobs."""

    def install(self, binary, scratch, checkout, port):
        """Has the jobs' bindings made, and names them in region.toml."""
        self.web, base, services = free_port(), checkout / "base", scratch / "services"
        services.mkdir()
        for job in sorted((base / "cntl").glob("wsa*.jcl")):
            command = [binary, "service", "from-jcl", job, "--library", base / "src", "--files", services]
            made = subprocess.run(command, capture_output=True, text=True)
            if made.returncode != 0 and LACKING not in made.stderr:
                raise SystemExit(made.stderr)
        super().install(binary, scratch, checkout, port)

    def configuration(self, text):
        """Adds a port and a pipeline of SOAP, in whose folder the bindings are."""
        (self.scratch / "soap.xml").write_text(PIPELINE)
        (self.scratch / "services.csd").write_text(DEFINITIONS.replace("@PORT@", str(self.web)))
        return text.replace('csd = ["genapp.csd"]', 'csd = ["genapp.csd", "services.csd"]').replace(
            'grplist = "GENALIST"', 'grplist = ["GENALIST", "SERVICES"]'
        )

    def prepare(self, walk):
        walk.web = Web(HOST, self.web)


GENAPP = GenApp(
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
