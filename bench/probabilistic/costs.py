#!/usr/bin/env python3
"""Bounds on costs and quantiles beside Storm (PyPI stormpy 2.0, sound mode): a courier on a grid with two costs.

usage: costs.py ENTAIL [--size 20] [--bound 100] [--timeout 60]
Both programs read the same PRISM text, each in a process of its own; seconds are those of the processor, loading stormpy is measured once and subtracted. Values
must agree up to 1e-5.
"""
import argparse, json, os, re, subprocess, sys, tempfile
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("--size", type=int, default=20); a.add_argument("--bound", type=int, default=100)
a.add_argument("--timeout", type=int, default=60); a = a.parse_args()
MODEL = """mdp
const int N = %d;
module courier
  x : [0..N]; y : [0..N];
  [road] x<N -> 0.8 : (x'=x+1) + 0.2 : true;
  [path] y<N -> 0.5 : (y'=y+1) + 0.3 : true + 0.2 : (y'=max(y-1,0));
  [lane] x<N & y<N -> 0.6 : (x'=x+1) & (y'=y+1) + 0.4 : true;
  [home] x=N & y=N -> true;
endmodule
rewards "time" [road] true : 1; [path] true : 2; [lane] true : 3; endrewards
rewards "energy" [road] true : 2; [path] true : 1; [lane] true : 1; endrewards
label "home" = x=N & y=N;
""" % a.size
B = a.bound
QUESTIONS = ['Pmax=? [ F{"time"}<=%d "home" ]' % B, 'Pmin=? [ F{"time"}<=%d "home" ]' % B, 'Pmax=? [ F{"time"}<=%d,{"energy"}<=%d "home" ]' % (B, B),
             'quantile(min B, Pmax>=0.5 [ F{"time"}<=B "home" ])']
STORM = r"""
import sys, stormpy, stormpy.environments as environments
program = stormpy.parse_prism_program(sys.argv[1]); properties = stormpy.parse_properties(sys.argv[2], program)
model = stormpy.build_model(program, properties)
result = stormpy.model_checking(model, properties[0], only_initial_states=True, environment=environments.sound())
print("VALUE", result.at(model.initial_states[0]) if hasattr(result, "at") else result)
"""
def run(command):
    before = os.times(); p = subprocess.run(command, capture_output=True, text=True, timeout=20 * a.timeout); after = os.times()
    return p, after.children_user + after.children_system - before.children_user - before.children_system
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "courier.nm"); open(path, "w").write(MODEL)
    _, start = run([sys.executable, "-c", "import stormpy, stormpy.environments"]); total = [0.0, 0.0]
    for question in QUESTIONS:
        p, ours = run([a.entail, "check", path, "--spec", question, "--json", "--timeout", f"{a.timeout}s"]); answer = json.loads(p.stdout)["properties"][0]
        value = answer.get("value"); value = value if not isinstance(value, dict) else value.get("exact") or value["lower"]
        q, theirs = run([sys.executable, "-c", STORM, path, question]); theirs = max(theirs - start, 1e-3); m = re.search(r"VALUE (.*)", q.stdout)
        total[0] += ours; total[1] += theirs
        print(question, "| Entail", value, f"{ours:.2f} s", answer["evidence"].get("checked") if answer.get("evidence") else None, "| Storm", m[1] if m else (q.stderr.strip().splitlines() or ["?"])[-1][:100], f"{theirs:.2f} s", flush=True)
    print(f"Entail {total[0]:.1f} s, Storm {total[1]:.1f} s, ratio {total[0] / total[1]:.2f}")
