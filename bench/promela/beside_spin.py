#!/usr/bin/env python3
"""Time Entail and SPIN on the same models, one after the other, without partial-order reduction.

usage: beside_spin.py ENTAIL MODEL... [--timeout 60]
SPIN is run as `spin -a; gcc -O2 -DNOREDUCE -DSAFETY -DNOCLAIM; ./pan -m1000000`. Prints states, seconds of the search, states a second and memory of both.
"""
import argparse, json, os, re, subprocess, tempfile
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("models", nargs="+"); a.add_argument("--timeout", type=int, default=60); a = a.parse_args()
print("| model | states | Entail s | SPIN s (search) | SPIN s (with gcc) | Entail states/s | SPIN states/s | Entail MiB | SPIN MiB |\n|---|---|---|---|---|---|---|---|---|")
for model in a.models:
    out = subprocess.run([a.entail, "check", model, "--json", "--property", "1", "--timeout", f"{a.timeout}s"], capture_output=True, text=True)
    report = json.loads(out.stdout); answer = report["properties"][0]; ours = answer["statistics"]["states"]
    with tempfile.TemporaryDirectory() as folder:
        import time; begun = time.time()
        subprocess.run(["spin", "-a", os.path.abspath(model)], cwd=folder, capture_output=True)
        subprocess.run(["gcc", "-O2", "-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"], cwd=folder)
        compiled = time.time() - begun
        pan = subprocess.run(["./pan", "-m1000000"], cwd=folder, capture_output=True, text=True).stdout
    theirs = int(re.search(r"(\d+) states, stored", pan).group(1))
    elapsed = re.search(r"elapsed time ([\d.]+)", pan); spent = float(elapsed.group(1)) if elapsed else 0.0
    memory = re.search(r"([\d.]+)\s+total actual memory", pan)
    rate = lambda states, seconds: f"{states / seconds / 1e6:.2f} M" if seconds >= 0.02 else "-"
    name = os.path.basename(model) + ("" if ours == theirs else f" (SPIN {theirs})")
    print(f"| {name} | {ours} | {answer['seconds']:.2f} | {spent:.2f} | {spent + compiled:.2f} | {rate(ours, answer['seconds'])} | {rate(theirs, spent)} | {report['peak_memory_bytes'] / 2**20:.0f} | {memory.group(1) if memory else '-'} |", flush=True)
