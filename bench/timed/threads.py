#!/usr/bin/env python3
"""Reachability by one and by two threads: seconds of search and check together, stored symbolic states, and the ratio.

usage: threads.py ENTAIL FOLDER [--timeout 60] [--least 1] [--runs 1]
Every .tck file under FOLDER is asked for its first two labels; those that take one thread less than --least seconds are left out. Nothing else should run on the machine. Of several runs the best counts.
"""
import argparse, os, re
from measured import first_answer, measured

a = argparse.ArgumentParser()
a.add_argument("entail")
a.add_argument("folder")
a.add_argument("--timeout", type=int, default=60)
a.add_argument("--least", type=float, default=1.0)
a.add_argument("--runs", type=int, default=1)
a = a.parse_args()


def asked(path, labels, threads):
    command = [a.entail, "check", path, "--reach", labels, "--threads", str(threads), "--json", "--timeout", f"{a.timeout}s"]
    runs = [measured(command, a.timeout) for _ in range(a.runs)]
    best = min(runs, key=lambda used: used.wall)
    return best, first_answer(best.text)


print("model\tverdict\tone s\ttwo s\tratio\tstored by one\tby two\tMB of one\tof two")
total = [0.0, 0.0]
for folder, _, files in sorted(os.walk(a.folder)):
    for file in sorted(f for f in files if f.endswith(".tck")):
        path = os.path.join(folder, file)
        labels = re.findall(r"labels:\s*([\w, ]+)", open(path).read())
        labels = list(dict.fromkeys(l.strip() for one in labels for l in one.split(",") if l.strip()))[:2]
        if not labels:
            continue
        one, first = asked(path, ",".join(labels), 1)
        if one.wall < a.least or first["verdict"] in ("unknown", "error"):
            continue
        two, second = asked(path, ",".join(labels), 2)
        stored = [(answer.get("statistics") or {}).get("zones") for answer in (first, second)]
        total = [total[0] + one.wall, total[1] + two.wall]
        print(f"{file}\t{first['verdict']}/{second['verdict']}\t{one.wall:.2f}\t{two.wall:.2f}\t{one.wall / two.wall:.2f}\t{stored[0]}\t{stored[1]}\t{one.megabytes:.0f}\t{two.megabytes:.0f}", flush=True)
if total[1]:
    print(f"total\t\t{total[0]:.2f}\t{total[1]:.2f}\t{total[0] / total[1]:.2f}")
