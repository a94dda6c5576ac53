#!/usr/bin/env python3
"""Functions of parameters beside Storm's elimination (PyPI stormpy 2.0): parametric chains that come with stormpy, larger sizes of them, and nand and herman with open constants.

usage: parametric.py ENTAIL [--timeout 120]
Both programs read the same PRISM text, each in a process of its own; seconds are those of the processor, loading stormpy is measured once and subtracted. Ours are given
twice: with what was found judged, and without (--no-certify). Both functions are evaluated at one point in fractions and must agree.
"""
import argparse, json, os, re, subprocess, sys, tempfile
from fractions import Fraction
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("--timeout", type=int, default=120); a.add_argument("--only", default=""); a = a.parse_args()
sys.setrecursionlimit(100000)
STORM = r"""
import sys, stormpy
program = stormpy.parse_prism_program(sys.argv[1]); properties = stormpy.parse_properties(sys.argv[2], program)
model = stormpy.build_model[stormpy.RationalFunction](program, properties)
result = stormpy.model_checking(model, properties[0])
value = result.get_value(model.initial_states[0]) if hasattr(result, "get_value") else result.at(model.initial_states[0])
print("STATES", model.nr_states); open(sys.argv[3], "w").write(str(value))
"""
place = subprocess.run([sys.executable, "-c", "import stormpy.examples as e, os; print(os.path.dirname(e.__file__))"], capture_output=True, text=True).stdout.strip() + "/files/"
def brp(n, most): return ("pdtmc/brp16_2.pm", [(r"const int N = \d+", f"const int N = {n}"), (r"const int MAX = \d+", f"const int MAX = {most}")])
def crowds(size, runs): return ("pdtmc/crowds3_5.pm", [(r"const int CrowdSize = \d+", f"const int CrowdSize = {size}"), (r"const int TotalRuns = \d+", f"const int TotalRuns = {runs}")])
def nand(n, k): return ("dtmc/nand-5-2.pm", [(r"const int N = \d+", f"const int N = {n}"), (r"const int K = \d+", f"const int K = {k}"), (r"perr = 0\.02", "perr"), (r"prob1 = 0\.9\b", "prob1")])
herman = ("pdtmc/herman5.pm", [])
CASES = [("brp 16 2", brp(16, 2), "P=? [ F s=5 ]", "pL,pK"), ("brp 64 4", brp(64, 4), "P=? [ F s=5 ]", "pL,pK"), ("brp 256 2", brp(256, 2), "P=? [ F s=5 ]", "pL,pK"),
    ("brp 256 5", brp(256, 5), "P=? [ F s=5 ]", "pL,pK"), ("brp 64 4, pK=pL", brp(64, 4), "P=? [ F s=5 ]", "pL"), ("brp 256 5, pK=pL", brp(256, 5), "P=? [ F s=5 ]", "pL"),
    ("crowds 3 5", crowds(3, 5), 'P=? [ F observe0>1 ]', "PF,badC"), ("crowds 5 5", crowds(5, 5), 'P=? [ F observe0>1 ]', "PF,badC"), ("crowds 10 4", crowds(10, 4), 'P=? [ F observe0>1 ]', "PF,badC"),
    ("nand 3 2", nand(3, 2), "P=? [ F s=4 & z/N<0.1 ]", "perr,prob1"), ("nand 5 2", nand(5, 2), "P=? [ F s=4 & z/N<0.1 ]", "perr,prob1"), ("nand 10 1", nand(10, 1), "P=? [ F s=4 & z/N<0.1 ]", "perr,prob1"),
    ("herman 5", herman, 'R=? [ F "stable" ]', "p")]
def run(command):
    before = os.times()
    try: p = subprocess.run(command, capture_output=True, text=True, timeout=4 * a.timeout)
    except subprocess.TimeoutExpired: p = None
    after = os.times(); return p, after.children_user + after.children_system - before.children_user - before.children_system
def of_steps(steps, point):
    values = []
    for step in steps:
        (kind, own), = step.items()
        if kind == "polynomial":
            value = Fraction(0)
            for exponents, coefficient in own:
                term = Fraction(coefficient)
                for x, e in zip(point, exponents): term *= x ** e
                value += term
        elif kind == "sum": value = values[own[0]] + values[own[1]]
        elif kind == "product": value = values[own[0]] * values[own[1]]
        else: value = values[own[0]] ** own[1]
        values.append(value)
    return values[-1]
def of_storm(text, names, point):
    text = re.sub(r"(?<![\w.])(\d+)(?![\w.])", r"F(\1)", text.replace("^", "**")); text = re.sub(r"\*\*\s*F\((\d+)\)", r"**\1", text)
    return eval(text, {"F": Fraction, **dict(zip(names, point))})
with tempfile.TemporaryDirectory() as folder:
    _, start = run([sys.executable, "-c", "import stormpy"]); total = [0.0, 0.0, 0.0]; path, written, saved = (os.path.join(folder, x) for x in ("m.pm", "storm.txt", "saved"))
    for name, (source, changes), question, parameters in [case for case in CASES if a.only in case[0]]:
        text = open(place + source).read()
        for old, new in changes: text = re.sub(old, new, text)
        if "pK=pL" in name: text = text.replace("const double pK;", "const double pK = pL;")
        text = re.sub(r"const double TO(Msg|Ack);", r"const double TO\1 = 1;", text); open(path, "w").write(text)
        names = parameters.split(","); point = [Fraction(2 * k + 3, 10 * k + 11) for k in range(len(names))]
        subprocess.run(["rm", "-rf", saved]); common = [a.entail, "check", path, "--parametric", parameters, "--spec", question, "--json", "--timeout", f"{a.timeout}s"]
        p, ours = run(common + ["--evidence", saved]); _, alone = run(common + ["--no-certify"])
        answer = json.loads(p.stdout)["properties"][0] if p and p.stdout else {"verdict": "no answer"}
        mine = None
        for root, _, files in os.walk(saved):
            for file in files:
                document = json.load(open(os.path.join(root, file)))
                if "steps" in document.get("evidence", {}): mine = of_steps(document["evidence"]["steps"], point)
        if os.path.exists(written): os.remove(written)
        q, theirs = run([sys.executable, "-c", STORM, path, question, written]); theirs = max(theirs - start, 1e-3)
        other = of_storm(open(written).read(), names, point) if os.path.exists(written) else None
        agree = "?" if mine is None or other is None else ("agree" if mine == other else "DIFFER")
        if agree == "agree": total = [total[0] + ours, total[1] + alone, total[2] + theirs]
        states = answer.get("statistics", {}).get("states"); checked = (answer.get("evidence") or {}).get("checked")
        print(f"{name:18} {states} states | Entail {answer['verdict']} {ours:.2f} s, unjudged {alone:.2f} s, judged: {checked} {(answer.get('reason') or '')[:60]!r} | Storm {theirs:.2f} s {'' if other is not None else (q.stderr.strip().splitlines() or ['?'])[-1][:90] if q else 'time out'} | {agree}", flush=True)
    if total[2]: print(f"both: Entail {total[0]:.1f} s, unjudged {total[1]:.1f} s, Storm {total[2]:.1f} s, ratio {total[0] / total[2]:.2f}, unjudged {total[1] / total[2]:.2f}")
