#!/usr/bin/env python3
"""Time Entail and SPIN on the same models, on one core, without partial-order reduction.

usage: beside_spin.py ENTAIL MODEL... [--runs 3] [--depth 1000000] [--timeout 120]
SPIN is run as `spin -a; gcc -O2 -DNOREDUCE -DSAFETY -DNOCLAIM; ./pan -mDEPTH`. CPU seconds (user + system) of the search, the best of several runs, because that is what
other work on the machine disturbs least; for SPIN without its compilation, which has a column of its own. Entail is run a second time without machine code.
"""
import argparse, json, os, re, subprocess, tempfile
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("models", nargs="+")
a.add_argument("--runs", type=int, default=3); a.add_argument("--depth", type=int, default=1000000); a.add_argument("--timeout", type=int, default=120); a = a.parse_args()

def timed(command, folder=None):
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = process.stdout.read().decode(errors="replace"); _, _, used = os.wait4(process.pid, 0); process.returncode = 0
    return used.ru_utime, used.ru_stime, text

def best(command, folder=None): return min((timed(command, folder) for _ in range(a.runs)), key=lambda run: run[0] + run[1])
def shown(run): return f"{run[0]:.2f} + {run[1]:.2f}"

print("| model | states | Entail | interpreted | SPIN | Entail states/s | SPIN states/s | `spin`, gcc | Entail MiB | SPIN MiB |\n|---|---|---|---|---|---|---|---|---|---|")
for model in a.models:
    command = [a.entail, "check", model, "--json", "--property", "1", "--no-reduction", "--threads", "1", "--timeout", f"{a.timeout}s"]
    ours, interpreted = best(command), best(command + ["--interpret"])
    report = json.loads(ours[2]); answer = report["properties"][0]; states = answer["statistics"]["states"]
    with tempfile.TemporaryDirectory() as folder:
        translated = timed(["spin", "-a", os.path.abspath(model)], folder)
        compiled = timed(["gcc", "-O2", "-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"], folder)
        pan = best(["./pan", f"-m{a.depth}"], folder)
    theirs = int(re.search(r"(\d+) states, stored", pan[2]).group(1)); cut = "max search depth too small" in pan[2]
    memory = re.search(r"([\d.]+)\s+total actual memory", pan[2])
    note = ("" if answer["verdict"] == "holds" else f" ({answer['verdict']})") + ("" if states == theirs else f" (SPIN {theirs}{', cut off' if cut else ''})")
    rate = lambda number, run: f"{number / max(run[0] + run[1], 0.01) / 1e6:.2f} M"
    print(f"| {os.path.basename(model)}{note} | {states} | {shown(ours)} | {shown(interpreted)} | {shown(pan)} | {rate(states, ours)} | {rate(theirs, pan)} | {sum(translated[:2] + compiled[:2]):.1f} | {report['peak_memory_bytes'] / 2**20:.0f} | {memory.group(1) if memory else '-'} |", flush=True)
