"""Steps of a client, and how many passed."""

import subprocess

PATIENCE = 120.0
"""Seconds for one command of a client."""


class Steps:
    """Runs commands of clients; a step that fails shows what came."""

    def __init__(self):
        self.passed = self.failed = 0

    def take(self, rule, command, sees=(), lacks=(), fails=False, **environment):
        """Runs a command, which must end well (or, with `fails`, badly) and print each of `sees` and none of `lacks`."""
        ran = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL,
            **environment,
        )
        text = ran.stdout + ran.stderr
        wrong = [f"lacks {word!r}" for word in sees if word not in text]
        wrong += [f"has {word!r}" for word in lacks if word in text]
        if (ran.returncode != 0) != fails:
            wrong.append(f"status {ran.returncode}")
        self.passed += not wrong
        self.failed += bool(wrong)
        print(f"{'FAIL' if wrong else 'ok  '} {rule}", flush=True)
        if wrong:
            print(f"     {'; '.join(wrong)}\n{text}", flush=True)
        return text
