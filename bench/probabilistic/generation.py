#!/usr/bin/env python3
"""States found a second, Entail beside Storm (PyPI stormpy 2.0): the whole state space of some QVBS models, by one thread and by several.

usage: generation.py ENTAIL FOLDER [--threads 2] [--only TEXT]
FOLDER as ../shared/bench/prob. Beside Storm seconds are those of the processor, by one thread; Entail is a process that reads, explores and counts (`filter(count, true)`), of Storm
only building the model is measured. One thread beside several is wall time, the best of three runs each, so nothing else may run. Without stormpy only Entail runs.
"""
import argparse, json, os, resource, subprocess, sys, time
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("folder"); a.add_argument("--threads", type=int, default=2); a.add_argument("--only", default=""); a = a.parse_args()
MODELS = [("mdp/csma/csma.3-4.prism", ""), ("mdp/wlan/wlan.5.prism", "COL=0"), ("ctmc/kanban/kanban.prism", "t=5"), ("dtmc/crowds/crowds.prism", "TotalRuns=6,CrowdSize=10"), ("mdp/firewire/firewire.true.prism", "delay=36,deadline=200")]
STORM = """
import stormpy, sys, time
program = stormpy.parse_prism_program(sys.argv[1], prism_compatibility=True)
program, _ = stormpy.instantiate_constants(program, sys.argv[2], [])
begun = time.process_time(); model = stormpy.build_model(program)
print("BUILT", model.nr_states, time.process_time() - begun)
"""

def used():
    r = resource.getrusage(resource.RUSAGE_CHILDREN); return r.ru_utime + r.ru_stime

def entail(path, constants, threads):
    """The number of states, seconds of the processor, and of the clock."""
    before, begun = used(), time.monotonic()
    p = subprocess.run([a.entail, "check", path, "--spec", "filter(count, true)", "--no-certify", "--json", "--threads", str(threads)] + (["--const", constants] if constants else []), capture_output=True, text=True)
    if p.returncode: sys.exit(p.stderr or p.stdout)
    return int(json.loads(p.stdout)["properties"][0]["value"]["exact"]), used() - before, time.monotonic() - begun

print(f"model\tstates\tEntail s\tStorm s\tEntail states/s\tStorm states/s\tratio\t1 thread s\t{a.threads} threads s\tspeedup")
total = [0.0, 0.0]
for model, constants in MODELS:
    path = os.path.join(a.folder, "qvbs/benchmarks", model)
    if a.only not in model: continue
    alone = [entail(path, constants, 1) for _ in range(3)]; together = [entail(path, constants, a.threads) for _ in range(3)]
    states = alone[0][0]; ours = min(run[1] for run in alone)
    if any(run[0] != states for run in alone + together): print("DIFFERENT COUNTS", model, alone, together)
    one, several = (min(run[2] for run in runs) for runs in (alone, together)); total[0] += one; total[1] += several
    p = subprocess.run([sys.executable, "-c", STORM, path, constants], capture_output=True, text=True); theirs = None
    if "BUILT" in p.stdout:
        built = p.stdout.split("BUILT", 1)[1].split(); theirs = float(built[1])
        if int(built[0]) != states: print("DIFFERENT COUNTS", model, states, built[0])
    beside = f"{theirs:.2f}\t{states / ours:.0f}\t{states / theirs:.0f}\t{theirs / ours:.1f}" if theirs else f"-\t{states / ours:.0f}\t-\t-"
    print(f"{model}\t{states}\t{ours:.2f}\t{beside}\t{one:.2f}\t{several:.2f}\t{one / several:.2f}", flush=True)
print(f"in total: 1 thread {total[0]:.2f} s, {a.threads} threads {total[1]:.2f} s, speedup {total[0] / max(total[1], 1e-9):.2f}")
