"""Runs an acceptance again and again beside other work, and tells how many runs failed.

    python3 acceptance/again.py TIMES LOAD COMMAND…

COMMAND is an acceptance's command line, such as `python3 acceptance/cbsa/run.py --cbsa PATH`. LOAD processes without an end use
the processors meanwhile. Fails if a run fails; its output is shown.
"""

import os
import subprocess
import sys


def busy():
    """Uses a processor until it is ended."""
    while True:
        pass


def main(times, load, command):
    workers = []
    try:
        for _ in range(load):
            worker = os.fork()
            if worker == 0:
                busy()
            workers.append(worker)
        failed = 0
        for number in range(1, times + 1):
            run = subprocess.run(command, capture_output=True, text=True)
            last = (run.stdout.strip().splitlines() or ["no output"])[-1]
            print(f"run {number}: {last}", flush=True)
            if run.returncode != 0 or " skipped" in run.stdout:
                failed += 1
                print(run.stdout + run.stderr, flush=True)
        print(f"{times - failed} passed, {failed} failed")
        return failed == 0
    finally:
        for worker in workers:
            os.kill(worker, 9)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(0 if main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]) else 1)
