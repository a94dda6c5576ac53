#!/usr/bin/env python3
"""What bisimulation quotients cost and save: Entail without them, with them where they are thought to pay, and always.

usage: quotients.py ENTAIL FOLDER [--timeout 60] [--only TEXT]
FOLDER as ../shared/bench/prob. Seconds are those of the processor, certificates left out; `auto` is the default, which gives up where classes are many. The ratio is auto / never:
below 1 quotients pay. Classes are those of the equations, or of the model for bounded operators. (PyPI stormpy 2.0 has no bisimulation of its own to compare with.)
"""
import argparse, json, os, resource, subprocess
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
    ("mdp/wlan/wlan.3.prism", "COL=2", 'Pmax=? [ F col=2 ]'),
    ("mdp/firewire/firewire.true.prism", "delay=3,deadline=600", 'Pmin=? [ F (((s1=8) & (s2=7)) | ((s1=7) & (s2=8))) & (t<=deadline) ]'),
    ("ctmc/embedded/embedded.prism", "MAX_COUNT=8", 'P=? [ !"down" U "fail_sensors" ]'),
    ("mdp/csma/csma.3-4.prism", "", 'Pmin=? [ !"collision_max_backoff" U "all_delivered" ]'),
    ("dtmc/crowds/crowds.prism", "TotalRuns=6,CrowdSize=15", 'P=? [ F observe0>1 ]'),
    ("mdp/zeroconf/zeroconf.prism", "N=20,K=2,reset=true", 'Pmax=? [ F (l=4 & ip=1) ]'),
]
def run(command):
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (a.timeout, a.timeout + 2))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return p.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

def entail(path, constants, spec, when):
    out, seconds = run([a.entail, "check", path, "--spec", spec, "--json", "--no-certify", "--threads", "1", "--bisimulation", when] + (["--const", constants] if constants else []))
    try: answer = json.loads(out)["properties"][0]
    except (ValueError, KeyError, IndexError): return None, {}, seconds
    return answer.get("value"), answer.get("statistics", {}), seconds

total = [0.0, 0.0, 0.0]
print("model\tquestion\tstates\tclasses\tnever s\tauto s\talways s\tratio", flush=True)
for model, constants, spec in QUESTIONS:
    path = os.path.join(a.folder, "qvbs/benchmarks", model)
    if a.only not in model or not os.path.exists(path): continue
    runs = [entail(path, constants, spec, when) for when in ("never", "auto", "always")]
    if any(value is None for value, _, _ in runs): print(f"{model}\t{spec}\tno answer: {[value for value, _, _ in runs]}", flush=True); continue
    seconds = [taken for _, _, taken in runs]; total = [sum(pair) for pair in zip(total, seconds)]
    print(f"{model}\t{spec}\t{runs[0][1].get('states')}\t{runs[2][1].get('classes', '-')}\t" + "\t".join(f"{s:.2f}" for s in seconds) + f"\t{seconds[1] / max(seconds[0], 0.01):.2f}", flush=True)
print(f"in total: never {total[0]:.1f} s, auto {total[1]:.1f} s, always {total[2]:.1f} s, auto / never {total[1] / max(total[0], 0.01):.2f}")
