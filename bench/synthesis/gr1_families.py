#!/usr/bin/env python3
"""Writes families of GR(1) specifications in Slugs' format, for beside_slugs.py: arbiters (realizable, and with goals that exclude each other) and lifts.

usage: gr1_families.py FOLDER
"""
import os, sys


def section(name, lines):
    return [f"[{name}]", *lines]


def arbiter(n, contradicts=False):
    """Requests stay until they are granted, grants exclude each other."""
    each = range(n)
    goals = [f"! ^ r{i} g{i}" for i in each] + (["& g0 g1"] if contradicts else [])
    return (
        section("INPUT", [f"r{i}" for i in each])
        + section("OUTPUT", [f"g{i}" for i in each])
        + section("ENV_INIT", [f"! r{i}" for i in each])
        + section("SYS_INIT", [f"! g{i}" for i in each])
        + section("ENV_TRANS", [line for i in each for line in (f"| | ! r{i} g{i} r{i}'", f"| | r{i} ! g{i} ! r{i}'")])
        + section("SYS_TRANS", [f"| ! g{i}' ! g{j}'" for i in each for j in range(i)] + [f"| | r{i} g{i} ! g{i}'" for i in each])
        + section("ENV_LIVENESS", [f"| ! r{i} ! g{i}" for i in each])
        + section("SYS_LIVENESS", goals)
    )


def lift(n):
    """A lift goes from floor to floor and comes to every floor whose button is pressed."""
    each = range(n)
    somewhere = "".join(f"| f{i}' " for i in each) + "0"
    near = lambda i: "".join(f"| f{j}' " for j in (i - 1, i + 1) if 0 <= j < n) + f"f{i}'"
    return (
        section("INPUT", [f"b{i}" for i in each])
        + section("OUTPUT", [f"f{i}" for i in each])
        + section("ENV_INIT", [f"! b{i}" for i in each])
        + section("SYS_INIT", ["f0"] + [f"! f{i}" for i in range(1, n)])
        + section("ENV_TRANS", [line for i in each for line in (f"| ! & b{i} ! f{i} b{i}'", f"| ! & b{i} f{i} ! b{i}'")])
        + section("SYS_TRANS", [f"| ! f{i}' ! f{j}'" for i in each for j in range(i)] + [somewhere] + [f"| ! f{i} {near(i)}" for i in each])
        + section("SYS_LIVENESS", [f"| ! b{i} f{i}" for i in each])
    )


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
made = {f"arbiter{n}": arbiter(n) for n in (6, 10, 14, 18)} | {f"torn{n}": arbiter(n, True) for n in (6, 10)} | {f"lift{n}": lift(n) for n in (8, 12, 16, 24)}
for name, lines in made.items():
    with open(os.path.join(folder, name + ".slugsin"), "w") as out:
        out.write("\n".join(lines) + "\n")
