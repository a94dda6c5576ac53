#!/usr/bin/env python3
"""The symbolic engine beside Storm's decision diagrams (PyPI stormpy 2.0) on models with many states.

usage: symbolic.py ENTAIL FOLDER [--timeout 60] [--only TEXT] [--storm dd|hybrid]
FOLDER as ../shared/bench/prob. Each program runs in a process of its own; seconds are those of the processor, loading stormpy is measured once and subtracted. A row: the model, the
question; of Entail value, number of states, states solved one by one, seconds, MiB; of Storm (symbolic model; its DD or HYBRID engine, not its sound mode) value, states, seconds, MiB.
"""
import argparse, json, os, re, resource, subprocess, sys
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("folder"); a.add_argument("--timeout", type=int, default=60); a.add_argument("--only", default="")
a.add_argument("--storm", choices=["dd", "hybrid"], default="dd"); a = a.parse_args()
EGL = "prism-benchmarks/models/dtmcs/egl/egl.pm"; Q = "qvbs/benchmarks/"
ROWS = [(EGL, f"N={n},L={l}", 'P=? [ F !"knowA" & "knowB" ]') for n, l in [(5, 2), (10, 2), (10, 8), (15, 2), (20, 2)]]
ROWS += [(Q + f"mdp/consensus/consensus.{n}.prism", f"K={k}", p) for n, k in [(2, 16), (4, 2), (4, 4), (6, 2)] for p in ('P>=1 [ F "finished" ]', 'Pmin=? [ F "finished" & "all_coins_equal_1" ]')]
ROWS += [(Q + f"mdp/pnueli-zuck/pnueli-zuck.{n}.prism", "", "Pmax=? [F (p1=10)]") for n in (3, 5, 10)]
ROWS += [(Q + f"mdp/wlan/wlan.{n}.prism", "COL=0", "Pmax=? [ F c1=COL | c2=COL ]") for n in (3, 4, 5, 6)]
ROWS += [(Q + "mdp/firewire/firewire.true.prism", f"delay=3,deadline={d}", 'Pmin=? [ F ((s1=8) & (s2=7)) | ((s1=7) & (s2=8)) ]') for d in (400, 800)]
ROWS += [(Q + f"ctmc/philosophers/philosophers.{n}.jani", "TIME_BOUND=1", "MaxPrReachDeadlock") for n in (12, 20, 28, 32)]
STORM = r"""
import sys, stormpy
path, constants, spec, engine = sys.argv[1:5]
if path.endswith(".jani"):
    program, properties = stormpy.parse_jani_model(path); properties = [p for p in properties if p.get_name() == spec]
else:
    program = stormpy.parse_prism_program(path, prism_compatibility=True); properties = stormpy.parse_properties(spec, program)
names = {c.name for c in program.constants}
program, properties = stormpy.instantiate_constants(program, ",".join(p for p in constants.split(",") if p.split("=")[0] in names), properties)
model = stormpy.build_symbolic_model(program, properties)
engine = {"dd": stormpy.Engine.DD, "hybrid": stormpy.Engine.HYBRID}[engine]
result = stormpy.model_checking(model, properties[0], only_initial_states=True, engine=engine)
print("VALUE", str(result).replace(" ", "").replace("\n", ""), "STATES", model.nr_states)
"""
def run(command, most):
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most + 2))
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit); out, errors = p.stdout.read(), p.stderr.read()
    _, p.returncode, r = os.wait4(p.pid, 0); return out, errors, r.ru_utime + r.ru_stime, r.ru_maxrss / 1024
START = run([sys.executable, "-c", "import stormpy"], 60)[2]; total = [0.0, 0.0]; solved = [0, 0]
for model, constants, spec in ROWS:
    path = os.path.join(a.folder, model)
    if a.only not in path or not os.path.exists(path): continue
    command = [a.entail, "check", path, "--property" if path.endswith(".jani") else "--spec", spec, "--json", "--engine", "symbolic", "--no-certify"] + (["--const", constants] if constants else [])
    out, errors, ours, memory = run(command, a.timeout)
    try: answer = json.loads(out)["properties"][0]; value = answer.get("value") or answer["verdict"]; figures = answer.get("statistics", {})
    except (ValueError, KeyError, IndexError): value, figures = "none", {}
    if isinstance(value, dict): value = value.get("exact") or value["lower"]
    if value == "unknown": value = f'unknown ({answer.get("reason")})'
    out, errors, theirs, their_memory = run([sys.executable, "-c", STORM, path, constants, spec, a.storm], a.timeout + int(START) + 1); m = re.search(r"VALUE (\S+) STATES (\S+)", out); theirs = max(theirs - START, 0.0)
    decided = not str(value).startswith(("unknown", "none")); solved[0] += decided; solved[1] += m is not None
    if decided and m: total[0] += ours; total[1] += theirs
    print(model.split("/")[-1], constants, spec, "| Entail", str(value)[:60], figures.get("states"), figures.get("solved"), f"{ours:.2f} s {memory:.0f} MiB", "| Storm", (m[1], m[2]) if m else (errors.strip().splitlines() or ["?"])[-1][:80], f"{theirs:.2f} s {their_memory:.0f} MiB", flush=True)
print(f"solved: Entail {solved[0]}, Storm {solved[1]}; both: Entail {total[0]:.1f} s, Storm {total[1]:.1f} s")
