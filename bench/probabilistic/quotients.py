#!/usr/bin/env python3
"""What bisimulation quotients cost and save: Entail without and with them, beside Storm's (PyPI stormpy 2.0) sparse bisimulation.

usage: quotients.py ENTAIL FOLDER [--timeout 60] [--only TEXT]
FOLDER as ../shared/bench/prob. Seconds are those of the processor, certificates left out; `auto` is the default, which gives up where classes are many. The ratio is auto / never:
below 1 quotients pay. States and classes are Entail's (classes of the equations, or of the model for bounded operators); Storm's are states after its own bisimulation, with the
seconds that this alone took. Without stormpy only Entail runs.
"""
import argparse, json, math, os, resource, subprocess, sys
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("folder"); a.add_argument("--timeout", type=int, default=60); a.add_argument("--only", default=""); a = a.parse_args()
QUESTIONS = [
    ("dtmc/crowds/crowds.prism", "TotalRuns=5,CrowdSize=10", 'P=? [ F observe0>1 ]'),
    ("dtmc/herman/herman.11.prism", "", 'filter(max, R=? [ F "stable" ], "init")'),
    ("dtmc/leader_sync/leader_sync.5-4.prism", "", 'R{"num_rounds"}=? [ F "elected" ]'),
    ("ctmc/cluster/cluster.prism", "N=32", 'P=? [ F<=100 !"minimum" ]'),
    ("ctmc/embedded/embedded.prism", "MAX_COUNT=8", 'P=? [ F<=10000 "down" ]'),
    ("ctmc/polling/polling.11.prism", "", 'P=? [ !(s=2 & a=1) U (s=1 & a=1) ]'),
    ("ctmc/polling/polling.11.prism", "", 'P=? [ F<=10 (s=1 & a=0) ]'),
    ("ctmc/kanban/kanban.prism", "t=3", 'P=? [ F<=10 x1=3 ]'),
    ("mdp/consensus/consensus.2.prism", "K=16", 'Pmin=? [ F "finished"&"all_coins_equal_1" ]'),
    ("mdp/csma/csma.3-2.prism", "", 'R{"time"}max=? [ F "all_delivered" ]'),
    ("mdp/firewire_abst/firewire_abst.prism", "delay=36", 'R{"time"}max=? [ F "done" ]'),
    ("mdp/rabin/rabin.3.prism", "", 'Pmax=? [ F (p1=2|p2=2|p3=2) ]'),
    ("mdp/wlan/wlan.4.prism", "COL=0", 'R{"time"}max=? [ F s1=12 & s2=12 ]'),
    ("mdp/zeroconf/zeroconf.prism", "N=20,K=2,reset=true", 'Pmax=? [ F (l=4 & ip=1) ]'),
]
STORM = """
import stormpy, sys, time
program = stormpy.parse_prism_program(sys.argv[1], prism_compatibility=True)
properties = stormpy.parse_properties(sys.argv[3], program)
program, properties = stormpy.instantiate_constants(program, sys.argv[2], properties)
model = stormpy.build_model(program, properties)
begun = time.process_time(); small = stormpy.perform_bisimulation(model, properties, stormpy.BisimulationType.STRONG)
print("SMALL", small.nr_states, f"{time.process_time() - begun:.2f}")
"""

def run(command):
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (a.timeout, a.timeout + 2))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return p.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

def entail(path, constants, spec, when):
    out, seconds = run([a.entail, "check", path, "--spec", spec, "--json", "--no-certify", "--bisimulation", when] + (["--const", constants] if constants else []))
    try: answer = json.loads(out)["properties"][0]
    except (ValueError, KeyError, IndexError): return None, {}, seconds
    return answer.get("value"), answer.get("statistics", {}), seconds

total = [0.0, 0.0]
print("model\tquestion\tstates\tclasses\tnever s\tauto s\tratio\tStorm states\tStorm s", flush=True)
for model, constants, spec in QUESTIONS:
    path = os.path.join(a.folder, "qvbs/benchmarks", model)
    if a.only not in model or not os.path.exists(path): continue
    never, counts, plain = entail(path, constants, spec, "never"); auto, with_classes, small = entail(path, constants, spec, "auto")
    out, _ = run([sys.executable, "-c", STORM, path, constants, spec])
    storm = out.split("SMALL", 1)[1].split() if "SMALL" in out else ["", ""]
    if never is None or auto is None: print(f"{model}\t{spec}\tno answer: {never} {auto}", flush=True); continue
    total[0] += plain; total[1] += small
    states = counts.get("states") or with_classes.get("states")
    print(f"{model}\t{spec}\t{states}\t{with_classes.get('classes', '-')}\t{plain:.2f}\t{small:.2f}\t{small / max(plain, 0.01):.2f}\t{storm[0]}\t{storm[1]}", flush=True)
print(f"in total: never {total[0]:.1f} s, auto {total[1]:.1f} s, ratio {total[1] / max(total[0], 0.01):.2f}")
