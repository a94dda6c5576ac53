#!/usr/bin/env python3
"""The bars of explicit search in one run, for a machine on which nothing else runs.

usage: search_bars.py [--entail target/release/entail] [--examples target/release/examples] [--runs 5] [--parts speed,threads,memory,evidence,smv] [--large STATES]

Build first: cargo build --release -p entail-cli, cargo build --release -p entail-programs --example evidence_cost, cargo build --release -p entail-explicit --example states_per_second.
Models are those of $ENTAIL_BENCH (by default ../shared/bench from the project's root); SPIN, gcc and NuSMV are looked for on PATH and their columns left out if they are not there.

speed     states a second of one core without reduction, beside SPIN (gcc -O2 -DNOREDUCE -DSAFETY -DNOCLAIM), and of the explicit engine on a transition system
threads   seconds of wall clock on one thread and on two, safety and LTL, without reduction
memory    bytes a state, exact and tree storage; with --large a generated model of so many states with tree storage
evidence  seconds of checking a saved set beside those of the search, unreduced and reduced
smv       seconds on small SMV models beside NuSMV, all properties, with re-checks

Each figure is the best of the runs. CPU seconds are user and system. The bar is printed beside each figure; nothing is asserted.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = os.environ.get("ENTAIL_BENCH", os.path.join(ROOT, "../shared/bench"))
PROMELA = os.path.join(BENCH, "promela/spin/Examples")
LEADER = os.path.join(PROMELA, "LTL/leader.pml")
COSTLY = [os.path.join(PROMELA, name) for name in ("LTL/pftp.pml", "dtp.pml", "leader0.pml", "LTL/leader.pml")]
SMALL = ["periodic.smv", "syncarb5.smv", "gigamax.smv", "ring.smv"]


def run(command, folder=None):
    """Wall clock and CPU seconds of a command, and what it prints."""
    begun = time.time()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = process.stdout.read().decode(errors="replace")
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.time() - begun, used.ru_utime + used.ru_stime, text


def best(command, runs, folder=None, by=0):
    return min((run(command, folder) for _ in range(runs)), key=lambda one: one[by])


def searched(given, *options, by=0):
    """A search of leader.pml without reduction and without evidence: wall clock, CPU seconds, the answer."""
    command = [given.entail, "check", LEADER, "--json", "--no-reduction", "--no-certify", *options]
    wall, cpu, text = best(command, given.runs, by=by)
    return wall, cpu, json.loads(text)["properties"][0]


def speed(given):
    _, cpu, answer = searched(given, "--property", "1", "--threads", "1", by=1)
    states = answer["statistics"]["states"]
    print(f"leader.pml, one core: {states} states, {states / cpu / 1e6:.2f} million a second")
    if shutil.which("spin") and shutil.which("gcc"):
        with tempfile.TemporaryDirectory() as folder:
            run(["spin", "-a", os.path.abspath(LEADER)], folder)
            run(["gcc", "-O2", "-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"], folder)
            _, theirs, text = best(["./pan", "-m3000000"], given.runs, folder, by=1)
        stored = int(re.search(r"(\d+) states, stored", text).group(1))
        ratio = (states / cpu) / (stored / theirs)
        print(f"  SPIN: {stored} states, {stored / theirs / 1e6:.2f} million a second; ratio {ratio:.2f} (bar 1.9)")
    example = os.path.join(given.examples, "states_per_second")
    if os.path.exists(example):
        print("transition system:", best([example], given.runs)[2].strip().replace("\n", "; "))


def threads(given):
    for what, number, bar in (("safety", "1", 1.7), ("LTL p0", "2", 1.5), ("LTL p2", "4", 1.5)):
        one = searched(given, "--property", number, "--threads", "1")
        two = searched(given, "--property", number, "--threads", "2")
        same = "" if one[2]["verdict"] == two[2]["verdict"] else f" VERDICTS DIFFER: {one[2]['verdict']}, {two[2]['verdict']}"
        print(f"{what}: {one[0]:.2f} s on one thread, {two[0]:.2f} s on two, ratio {one[0] / two[0]:.2f} (bar {bar}){same}")


def memory(given):
    for storage in ("exact", "tree"):
        statistics = searched(given, "--property", "1", "--threads", "1", "--storage", storage)[2]["statistics"]
        print(f"leader.pml, {storage}: {statistics['state_bytes'] / statistics['states']:.1f} bytes a state")
    if given.large:
        script = os.path.join(ROOT, "bench/promela/storage.py")
        print(run([sys.executable, script, given.entail, "--large", str(given.large), "--storage", "tree", "--threads", "2"])[2].strip())


def evidence(given):
    example = os.path.join(given.examples, "evidence_cost")
    if not os.path.exists(example):
        print("evidence: build the example evidence_cost first")
        return
    print("checking saved sets (bar: at most the search):")
    print(best([example, *COSTLY], 1)[2].strip())


def smv(given):
    peer = shutil.which("NuSMV")
    for folder, _, files in sorted(os.walk(os.path.join(BENCH, "smv"))):
        for name in sorted(set(files) & set(SMALL)):
            model = os.path.join(folder, name)
            ours = best([given.entail, "check", model], given.runs)[0]
            line = f"{os.path.relpath(model, BENCH)}: {1000 * ours:.0f} ms"
            if peer:
                theirs = best([peer, model], given.runs)[0]
                line += f", NuSMV {1000 * theirs:.0f} ms, ratio {ours / theirs:.1f} (bar 2)"
            print(line)


PARTS = {"speed": speed, "threads": threads, "memory": memory, "evidence": evidence, "smv": smv}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entail", default=os.path.join(ROOT, "target/release/entail"))
    parser.add_argument("--examples", default=os.path.join(ROOT, "target/release/examples"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--large", type=int)
    given = parser.parse_args()
    given.entail = os.path.abspath(given.entail)
    for part in given.parts.split(","):
        print(f"## {part}", flush=True)
        PARTS[part](given)


if __name__ == "__main__":
    main()
