"""``python -m attacks``: all attacks in turn, as long as you like; stopped, it goes on later."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from . import ATTACKS, runner

# Each attack in turn runs for so many seconds, so that all get on.
TURN = 30.0


def main() -> int:
    """Run the attacks; return 1 if any promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m attacks", description=__doc__)
    parser.add_argument("--only", choices=ATTACKS, action="append", help="run this attack alone")
    parser.add_argument("--seed", type=int, default=0, help="which trials (default: 0)")
    parser.add_argument("--minutes", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--trial", type=int, help="run this one trial of the attack in --only")
    parser.add_argument(
        "--out", type=Path, default=Path("build/attacks"), help="where progress is kept"
    )
    asked = parser.parse_args()
    attacks = asked.only or list(ATTACKS)
    if asked.trial is not None:
        if len(attacks) != 1:
            parser.error("--trial needs --only with the name of its attack")
        print(runner.run_trial(attacks[0], asked.seed, asked.trial))
        return 0
    return _run_in_turns(attacks, asked.seed, asked.minutes, asked.out)


def _run_in_turns(attacks: list[str], seed: int, minutes: float, out: Path) -> int:
    path = out / f"seed-{seed}.json"
    progress = runner.load(path)
    end = time.monotonic() + 60.0 * minutes
    broken = False
    while time.monotonic() < end:
        for name in attacks:
            of_attack = progress.setdefault(name, runner.Progress())
            try:
                runner.run_for(name, seed, min(TURN, max(0.0, end - time.monotonic())), of_attack)
            except runner.BrokenPromiseError as error:
                broken = True
                print(error, file=sys.stderr, flush=True)
            finally:
                runner.save(path, progress)
            told = ", ".join(f"{count} {what}" for what, count in of_attack.outcomes.most_common())
            print(f"{name}: {of_attack.next_trial} trials, {len(of_attack.failed)} failed; {told}")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
