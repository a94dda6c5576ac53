#!/usr/bin/env python3
"""States of automata of PSL formulas beside Spot's ltl2tgba.

usage: psl_beside_spot.py ENTAIL [--count N] [--limit SECONDS] [--worst N]

The formulas are those of Spot's `randltl -P` (seed 0, three propositions, trees of 12 to 20 nodes). Spot's randltl and ltl2tgba are taken from $SPOT (a folder) or PATH. Both translate to generalized Büchi automata
with transition-based acceptance; what Entail gives up within the limit is counted apart. Nothing is asserted.
"""
import argparse, os, re, subprocess, time

parser = argparse.ArgumentParser()
parser.add_argument("entail")
parser.add_argument("--count", type=int, default=1000)
parser.add_argument("--limit", type=float, default=5)
parser.add_argument("--worst", type=int, default=10)
options = parser.parse_args()
FOLDER = os.environ.get("SPOT", "")


def spot(name):
    return os.path.join(FOLDER, name) if FOLDER else name


def main():
    formulas = subprocess.run([spot("randltl"), "-P", "-n", str(options.count), "--seed=0", "--tree-size=12..20", "3"], capture_output=True, text=True, check=True).stdout.splitlines()
    begun = time.monotonic()
    sizes = subprocess.run([spot("ltl2tgba"), "-F", "-", "--stats=%s"], input="\n".join(formulas), capture_output=True, text=True, check=True).stdout.split()
    peer_seconds = time.monotonic() - begun
    begun = time.monotonic()
    pairs, refused = [], []
    for formula, size in zip(formulas, sizes):
        try:
            run = subprocess.run([options.entail, "ltl", "translate", formula, "--timeout", f"{options.limit}s"], capture_output=True, text=True, timeout=options.limit * 3)
            states = re.search(r"^States: (\d+)", run.stdout, re.M)
        except subprocess.TimeoutExpired:
            states = None
        if states:
            pairs.append((int(states[1]), int(size), formula))
        else:
            refused.append(formula)
    seconds = time.monotonic() - begun
    mine, peer = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    print(f"| formulas | {len(formulas)} |\n| not translated | {len(refused)} |\n| states | {mine} |\n| Spot's | {peer} |\n| ratio | {mine / max(peer, 1):.2f} |")
    print(f"| smaller, larger | {sum(a < b for a, b, _ in pairs)}, {sum(a > b for a, b, _ in pairs)} |\n| seconds (a process each), Spot's (one process) | {seconds:.1f}, {peer_seconds:.1f} |")
    for a, b, formula in sorted(pairs, key=lambda pair: pair[1] - pair[0])[: options.worst]:
        print(f"  {a} beside {b}: {formula}")
    for formula in refused[: options.worst]:
        print(f"  not translated: {formula}")


if __name__ == "__main__":
    main()
