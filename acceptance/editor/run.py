"""Edits a program by Neovim's own language client, headless, with `syncpoint lsp` behind it.

    python3 acceptance/editor/run.py [--syncpoint BINARY] [--nvim NVIM]

Where there is no Neovim it is skipped, with a line that says so. Ends with a line 'N passed, N failed'.
"""

import argparse
import os
from pathlib import Path
import shutil
import sys
import tempfile

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from region import built_binary
from steps import Steps

STEPS = [
    ("a message while typing, which goes once it is mended", "messages", ["WS-NOKEY", "gone once it is mended"]),
    ("a definition, in the program and in a copybook", "definition", ["paragraph SHOWS.cbl:11", "copybook item ACCOUNT.cpy:1"]),
    ("an item and a command under the cursor", "hover", ["X(06)", "READ", "NOTFND"]),
    ("commands that begin so", "completion", ["READ", "RETURN", "RECEIVE"]),
    ("a rename, and one that is not safe", "rename", ["renamed 3, left 0", "refused: "]),
    ("formatting", "formatting", ["no blanks at the end of a line"]),
    ("the outline of a map", "map", ["ASKS", "KEY"]),
]
"""What a step shows, the step of drive.lua, and what it prints."""


def main():
    parser = argparse.ArgumentParser(description="Edits a program by Neovim with syncpoint lsp")
    parser.add_argument("--syncpoint", type=Path, default=built_binary())
    parser.add_argument("--nvim", default=shutil.which("nvim"))
    arguments = parser.parse_args()
    if arguments.syncpoint is None:
        sys.exit("There is no syncpoint in target: build it, or name one with --syncpoint")
    if arguments.nvim is None:
        print("skipped: there is no Neovim (apt-get install neovim)")
        return
    steps = Steps()
    for rule, step, sees in STEPS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "application"
            shutil.copytree(HERE / "application", folder)
            surroundings = dict(
                os.environ, FOLDER=str(folder), STEP=step, SYNCPOINT=str(arguments.syncpoint.resolve()), HOME=scratch,
                XDG_STATE_HOME=scratch,
            )
            command = [arguments.nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {HERE / 'drive.lua'}"]
            steps.take(rule, command, sees=sees, lacks=["FAILED", "Error"], env=surroundings)
    print(f"{steps.passed} passed, {steps.failed} failed")
    sys.exit(steps.failed > 0)


if __name__ == "__main__":
    main()
