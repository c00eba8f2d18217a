"""Surveys what the compiler takes of strangers' COBOL programs, and what refuses the others.

    python3 acceptance/strangers/survey.py PATH... [--results FOLDER] [--syncpoint BINARY]

Each PATH is a checkout of a repository with COBOL programs, with EXEC CICS or without. It prints a row for each checkout:
its programs, those accepted, those that are refused because a construct is not built, those that lack a member,
and those with a mistake; then how many programs each construct and each message refuses, and in how many of them nothing
else does. FOLDER keeps what `syncpoint check` says of each checkout. The run fails if the compiler fails (SPTC005) or says
nothing of a checkout.
"""

import argparse
from collections import Counter
from pathlib import Path
import json
import re
import shutil
import subprocess
import sys

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

from finding import find, write_links

NOT_YET = re.compile(r"the compiler does not know (.*) yet")
NOT_BUILT = {"SPSY090", "SPCK090", "SPCK091", "SPTR061"}
"""Other messages of what is not built."""
COMPILER_FAILED = "SPTC005"
NO_COPYBOOK = "SPTR010"
MESSAGE_LENGTH = 110
KINDS = ["all", "accepted", "refused", "lacking", "mistaken"]
ANY_NAME = re.compile(r"\b(?=[A-Z0-9-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]+)+\b|'[^']*'|\b\d+\b")
"""Names of a program, literals and numbers: messages that differ only in them are one."""


class Survey:
    """What is known of all checkouts."""

    def __init__(self):
        self.by_construct, self.alone, self.by_message, self.examples = Counter(), Counter(), Counter(), {}
        self.totals = Counter()
        self.broken = []

    def of(self, path, results, binary):
        """The row of a checkout."""
        shutil.rmtree(results, ignore_errors=True)
        results.mkdir(parents=True)
        write_links(find(path), results)
        (results / "region.toml").write_text(
            'programs = ["programs"]\ncopybooks = ["copybooks"]\nmaps = ["maps"]\n'
            '[compile]\nnot-yet = "warn"\n'
        )
        command = [binary, "check", "--format", "json", results]
        answer = subprocess.run(command, capture_output=True, text=True, errors="replace")
        (results / "check.json").write_text(answer.stdout)
        (results / "check.log").write_text(answer.stderr)
        try:
            said = json.loads(answer.stdout)
        except ValueError:
            self.broken.append(f"{path.name}: {answer.stderr[-300:]}")
            return [path.name] + ["?"] * 5
        return [path.name] + self.counted(said)

    def counted(self, said):
        """Counts a checkout's programs: all, accepted, refused, lacking a member, mistaken."""
        row = Counter()
        for member in said["members"]:
            if member["kind"] != "program":
                continue
            row["all"] += 1
            errors = [said["messages"][at] for at in member["errors"]]
            row[self.kind(member, errors)] += 1
        self.totals += row
        return [row[kind] for kind in KINDS]

    def kind(self, member, errors):
        """Where a program belongs; its reasons are counted."""
        if member["state"] == "compiled":
            return "accepted"
        if any(error["code"] == COMPILER_FAILED for error in errors):
            self.broken.append(f"{member['name']}: {errors[0]['message']}")
        constructs, others = set(), set()
        for error in errors:
            if construct := construct_of(error):
                constructs.add(construct)
            else:
                others.add(shortened(error))
                self.examples.setdefault(shortened(error), error)
        self.by_construct.update(constructs)
        self.by_message.update(others)
        if constructs and not others:
            if len(constructs) == 1:
                self.alone.update(constructs)
            return "refused"
        return "lacking" if any(error["code"] == NO_COPYBOOK for error in errors) else "mistaken"


def construct_of(error):
    """What is not built, if that is what the message says."""
    if refused := NOT_YET.match(error["message"]):
        return refused[1]
    return error["message"] if error["code"] in NOT_BUILT else None


def shortened(error):
    """A message without the names in it, so that equal ones are counted together."""
    if error["code"] == NO_COPYBOOK:
        return f"{NO_COPYBOOK} a copybook is missing"
    return f"{error['code']} {ANY_NAME.sub('…', error['message'])}"[:MESSAGE_LENGTH]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--results", type=Path, default=ROOT / "target" / "survey")
    parser.add_argument("--syncpoint", type=Path, default=ROOT / "target" / "debug" / "syncpoint")
    arguments = parser.parse_args()
    survey = Survey()
    print("| checkout | programs | accepted | refused | lack a member | mistaken |\n|---|---|---|---|---|---|", flush=True)
    for path in arguments.paths:
        row = survey.of(path.resolve(), arguments.results.resolve() / path.name, arguments.syncpoint)
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)
    print("| all | " + " | ".join(str(survey.totals[kind]) for kind in KINDS) + " |")
    print("\n| construct | programs | alone |\n|---|---|---|")
    for construct, count in survey.by_construct.most_common():
        print(f"| {construct} | {count} | {survey.alone[construct]} |")
    print("\n| message | programs | for example |\n|---|---|---|")
    for message, count in survey.by_message.most_common():
        place = survey.examples[message]["place"]
        print(f"| {message} | {count} | {place and place['path']}:{place and place['line']} |")
    for broken in survey.broken:
        print(f"failed: {broken}")
    return not survey.broken


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
