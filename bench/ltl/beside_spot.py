#!/usr/bin/env python3
"""Sizes and times of LTL translations beside Spot's ltl2tgba.

    cargo build --release -p entail-automata --example stats
    python3 bench/ltl/beside_spot.py [FILE.ltl ...]

Formula files default to $ENTAIL_BENCH/ltl (../shared/bench/ltl): the .ltl files, and the formulas of patterns.tsv. Spot's ltl2tgba is
taken from $LTL2TGBA or PATH; without it, our numbers are printed alone. Three targets: generalized Büchi (`ltl2tgba`), Büchi on states
(`ltl2tgba -B`), complete deterministic parity on edges (`ltl2tgba -P -D -C`). Spot's time is that of one process for a whole file, ours
the sum over the formulas, both on one core.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STATS = os.environ.get("ENTAIL_STATS", os.path.join(ROOT, "target/release/examples/stats"))
BENCH = os.environ.get("ENTAIL_BENCH", os.path.join(ROOT, "../shared/bench"))
SPOT = os.environ.get("LTL2TGBA") or shutil.which("ltl2tgba")
TARGETS = [("generalized", []), ("buchi", ["-B"]), ("parity", ["-P", "-D", "-C"])]


def formula_files(arguments, scratch):
    if arguments:
        return arguments
    folder = os.path.join(BENCH, "ltl")
    files = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".ltl"))
    table = os.path.join(folder, "patterns.tsv")
    if os.path.exists(table):
        path = os.path.join(scratch, "patterns.ltl")
        with open(table) as rows, open(path, "w") as out:
            out.writelines(row.split("\t")[3] + "\n" for row in list(rows)[1:])
        files.append(path)
    return files


def ours(path, target):
    run = subprocess.run([STATS, path, target], capture_output=True, text=True, check=True)
    rows = [line.split() for line in run.stdout.splitlines()]
    sizes = [int(row[0]) if row[0] != "-" else None for row in rows]
    return sizes, sum(float(row[3]) for row in rows if row[0] != "-")


def spots(path, options):
    start = time.monotonic()
    run = subprocess.run([SPOT, "-F", path, "--stats=%s"] + options, capture_output=True, text=True)
    return [int(line) for line in run.stdout.split()], time.monotonic() - start


def main():
    with tempfile.TemporaryDirectory() as scratch:
        print("| formulas | target | states | Spot | ratio | smaller | larger | more than twice | seconds | Spot |")
        print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        for path in formula_files(sys.argv[1:], scratch):
            name = os.path.splitext(os.path.basename(path))[0]
            with open(path) as file:
                formulas = [line for line in file if line.strip()]
            for target, options in TARGETS:
                mine, seconds = ours(path, target)
                given_up = sum(size is None for size in mine)
                total = sum(size for size in mine if size is not None)
                if SPOT is None:
                    print(f"| {name} ({len(formulas)}) | {target} | {total} | missing | | | | | {seconds:.2f} | |")
                    continue
                theirs, their_seconds = spots(path, options)
                pairs = [(m, t) for m, t in zip(mine, theirs) if m is not None]
                total, peer = sum(m for m, _ in pairs), sum(t for _, t in pairs)
                smaller, larger = sum(m < t for m, t in pairs), sum(m > t for m, t in pairs)
                twice = sum(m > 2 * t for m, t in pairs)
                note = f" ({given_up} given up)" if given_up else ""
                print(
                    f"| {name} ({len(formulas)}){note} | {target} | {total} | {peer} | {total / peer:.2f} "
                    f"| {smaller} | {larger} | {twice} | {seconds:.2f} | {their_seconds:.2f} |"
                )


if __name__ == "__main__":
    main()
