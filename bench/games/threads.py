#!/usr/bin/env python3
"""Solvers on one and on two threads: wall-clock seconds of random games, without preprocessing and components, which one thread does.

usage: threads.py THREADS_EXAMPLE [--runs 3]
THREADS_EXAMPLE is `cargo build --release -p entail-parity --example threads`, which is target/release/examples/threads. Run it on a quiet machine with at least two cores.
"""
import argparse, subprocess

a = argparse.ArgumentParser()
a.add_argument("example")
a.add_argument("--runs", default="3")
a = a.parse_args()
GAMES = [(1_000_000, 3), (1_000_000, 5), (3_000_000, 3), (300_000, 20)]


def seconds(solver, threads, vertices, priorities):
    command = [a.example, solver, str(threads), str(vertices), str(priorities), a.runs]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[0])


print("solver\tvertices\tpriorities\tone\ttwo\tratio")
for solver in ["fixpoint-iteration", "strategy-improvement"]:
    total = [0.0, 0.0]
    for vertices, priorities in GAMES:
        one, two = (seconds(solver, threads, vertices, priorities) for threads in (1, 2))
        total = [total[0] + one, total[1] + two]
        print(f"{solver}\t{vertices}\t{priorities}\t{one:.3f}\t{two:.3f}\t{one / two:.2f}", flush=True)
    print(f"{solver}\tin total\t\t{total[0]:.3f}\t{total[1]:.3f}\t{total[0] / total[1]:.2f}")
