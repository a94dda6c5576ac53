#!/usr/bin/env python3
"""Two builds over the same models, one after the other on each, so that a busy machine is busy for both.

usage: before_after.py BEFORE AFTER MODELS… [--limit 10] [--options "…"] [--times 1]

Prints a row a model: verdicts and the least of so many wall-clock times (seconds) of each, the ratio; then how many verdicts were lost and won, and the worst ratio
among models that take at least 0.1 s. MODELS are files, or a TSV whose first column names files beside it (as `expected.tsv` does).
"""
import argparse, json, os, subprocess, time

p = argparse.ArgumentParser(usage=__doc__)
p.add_argument("before"); p.add_argument("after"); p.add_argument("models", nargs="+")
p.add_argument("--limit", type=float, default=10); p.add_argument("--options", default=""); p.add_argument("--times", type=int, default=1)
a = p.parse_args()


def run(program, model):
    begun = time.time()
    done = subprocess.run([program, "check", model, "--json", "--timeout", f"{a.limit}s", *a.options.split()], capture_output=True, text=True)
    seconds = time.time() - begun
    try: answers = json.loads(done.stdout)["properties"]
    except ValueError: return ("error",), ("-",), seconds
    return tuple(x["verdict"] for x in answers), tuple(x["engine"] for x in answers), seconds


models = []
for model in a.models:
    if model.endswith(".tsv"):
        rows = [line.split("\t")[0] for line in open(model)][1:]
        models += [os.path.join(os.path.dirname(model), row) for row in dict.fromkeys(rows)]
    else: models.append(model)
lost, won, worst, sums = [], [], [], [0.0, 0.0]
print("model", "before", "s", "after", "s", "ratio", sep="\t")
for model in models:
    if not os.path.exists(model): continue
    runs = [[run(program, model) for program in (a.before, a.after)] for _ in range(a.times)]
    (v0, e0, _), (v1, e1, _) = runs[0]
    t0, t1 = (min(pair[i][2] for pair in runs) for i in (0, 1))
    ratio = t1 / t0
    brief = lambda v, e: ",".join(f"{x} ({y})" for x, y in sorted(set(zip(v, e))))
    print(os.path.basename(model), brief(v0, e0), f"{t0:.2f}", brief(v1, e1), f"{t1:.2f}", f"{ratio:.2f}", sep="\t", flush=True)
    for x, y in zip(v0, v1):
        if x != y: (lost if y == "unknown" else won).append(f"{os.path.basename(model)} {x} -> {y}")
    sums[0] += t0; sums[1] += t1
    if max(t0, t1) >= 0.1: worst.append((ratio, os.path.basename(model)))
print("lost:", lost or "none", " won:", won or "none")
print("largest ratios:", ", ".join(f"{m} {r:.2f}" for r, m in sorted(worst, reverse=True)[:8]))
print(f"sum {sums[0]:.1f} s before, {sums[1]:.1f} s after")
