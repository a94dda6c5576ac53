#!/usr/bin/env python3
"""Parys's quasi-polynomial algorithm beside Oink's solvers of that kind: processor seconds, one run each.

usage: parys_beside_oink.py ENTAIL OINK FOLDER [--timeout 10] [--every 1]
Games are .pg, .gm and .vpg files under FOLDER. Solvers of Oink: zlkq (van Dijk's), zlkpp-liv (Lehtinen, Schewe, Wojtczak), zlkpp-waw (Parys), the last two in Parys's own implementation. A row is printed where somebody needs more than a second, or does not finish; totals are over games that all solve.
"""
import argparse, os, resource, subprocess

a = argparse.ArgumentParser()
a.add_argument("entail"); a.add_argument("oink"); a.add_argument("folder")
a.add_argument("--timeout", type=int, default=10); a.add_argument("--every", type=int, default=1)
a = a.parse_args()
OINK = ["zlkq", "zlkpp-liv", "zlkpp-waw"]


def seconds(command):
    """Processor seconds; nothing if it does not finish."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=a.timeout)
        finished = done.returncode in (0, 1)
    except subprocess.TimeoutExpired:
        finished = False
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime if finished else None


games = sorted(os.path.join(folder, file) for folder, _, files in os.walk(a.folder) for file in files if file.endswith((".pg", ".gm", ".vpg")))[:: a.every]
total, count = [0.0] * (1 + len(OINK)), 0
solved = [0] * (1 + len(OINK))
shown = lambda one: "-" if one is None else f"{one:.2f}"
print("game", "ours", *OINK, sep="\t")
for game in games:
    row = [seconds([a.entail, "solve", game, "--solver", "parys", "-o", os.devnull, "--timeout", f"{a.timeout}s"])]
    row += [seconds([a.oink, game, f"--{solver}"]) for solver in OINK]
    solved = [had + (one is not None) for had, one in zip(solved, row)]
    if None not in row:
        total = [had + one for had, one in zip(total, row)]
        count += 1
    if None in row or max(row) > 1:
        print(os.path.basename(game), *map(shown, row), sep="\t", flush=True)
print(f"solved by each of {len(games)}:", *solved)
print(f"{count} by all, seconds:", *(f"{one:.2f}" for one in total))
