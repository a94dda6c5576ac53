#!/usr/bin/env python3
"""States found a second, Entail beside Storm (PyPI stormpy 2.0): the whole state space of some QVBS models, by one thread.

usage: generation.py ENTAIL FOLDER
FOLDER as ../shared/bench/prob. Seconds are those of the processor. Entail is a process that reads, explores and counts (`filter(count, true)`); of Storm
only building the model is measured.
"""
import json, os, resource, subprocess, sys
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

print("model\tstates\tEntail s\tStorm s\tEntail states/s\tStorm states/s\tratio")
for model, constants in MODELS:
    path = os.path.join(sys.argv[2], "qvbs/benchmarks", model); begun = used()
    p = subprocess.run([sys.argv[1], "check", path, "--spec", "filter(count, true)", "--no-certify", "--json"] + (["--const", constants] if constants else []), capture_output=True, text=True)
    ours = used() - begun; states = int(json.loads(p.stdout)["properties"][0]["value"]["exact"])
    p = subprocess.run([sys.executable, "-c", STORM, path, constants], capture_output=True, text=True)
    built = p.stdout.split("BUILT", 1)[1].split(); theirs = float(built[1])
    if int(built[0]) != states: print("DIFFERENT COUNTS", model, states, built[0])
    print(f"{model}\t{states}\t{ours:.2f}\t{theirs:.2f}\t{states / ours:.0f}\t{states / theirs:.0f}\t{theirs / ours:.1f}", flush=True)
