#!/usr/bin/env python3
"""Entail beside Z3 and Yices on SMT-LIB scripts: solved, wrong, PAR-2 by logic, and the ratio to each.

usage: beside_z3.py ENTAIL FOLDER|FILE… [--timeout 20] [--every K] [--expected TSV] [--logics QF_BV,QF_LIA] [--show]
With --expected (model, property, answers of all check-sat), an answer that contradicts the table counts as wrong; without it, one that contradicts
FILE.gold, if there is one (as in Yices' regressions), or its comments `; EXPECT: answer` (cvc5's), or `:status`. With --refused, scripts of theories that
ours refuses by name are counted apart and are in no other column (cvc5's regressions are half strings, datatypes, sets and functions as values).
Z3 (`z3`) and Yices (`yices-smt2`) are looked for on PATH. A solver's unknown, error or missing answer counts as twice the limit. Time is
processor time, so that other work on the machine matters less.
"""
import argparse, collections, csv, os, re, resource, shutil, subprocess, sys
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("files", nargs="+"); a.add_argument("--timeout", type=int, default=20); a.add_argument("--every", type=int, default=1); a.add_argument("--expected")
a.add_argument("--logics"); a.add_argument("--show", action="store_true"); a.add_argument("--refused", action="store_true")
a = a.parse_args()
def limit(): resource.setrlimit(resource.RLIMIT_CPU, (a.timeout, a.timeout))
def spent(): used = resource.getrusage(resource.RUSAGE_CHILDREN); return used.ru_utime + used.ru_stime
files = []; known = {}
if a.expected:
    for r in csv.reader(open(a.expected), delimiter="\t", quoting=csv.QUOTE_NONE): known[os.path.basename(r[0])] = r[2].split()
for f in a.files:
    if os.path.isdir(f): files += sorted(os.path.join(d, n) for d, _, ns in os.walk(f) for n in ns if n.endswith(".smt2"))
    else: files.append(f)
def program(name):
    # A shim of pyenv starts a shell first, which would count.
    found = shutil.which(name)
    return subprocess.run(["pyenv", "which", name], capture_output=True, text=True).stdout.strip() if found and "/shims/" in found else found
solvers = [("entail", [a.entail, "smt"])] + [(n, [program(n)]) for n in ("z3", "yices-smt2") if shutil.which(n)]
def recorded(path, text):
    if os.path.exists(path + ".gold"): said = open(path + ".gold", errors="replace").read().split()
    else: said = re.findall(r"^; *EXPECT: *(sat|unsat|unknown)\s*$", text, re.M) or re.findall(r":status\s+(sat|unsat|unknown)", text)
    return [w for w in said if w in ("sat", "unsat", "unknown")]
points = collections.defaultdict(lambda: collections.defaultdict(float)); solved = collections.defaultdict(lambda: collections.defaultdict(int)); differ = []; wrong = collections.Counter()
place = refused = 0
for f in files:
    text = open(f, errors="replace").read(); m = re.search(r"set-logic\s+(\w+)", text); logic = m[1] if m else "none"; answers = {}
    if a.logics and logic not in a.logics.split(","): continue
    place += 1
    if place % a.every: continue
    if not a.expected: known[os.path.basename(f)] = recorded(f, text)
    for name, command in solvers:
        begun = spent()
        try:
            out = subprocess.run(command + [f], capture_output=True, text=True, errors="replace", timeout=6 * a.timeout, preexec_fn=limit).stdout
            answers[name] = [w.strip() for w in out.splitlines() if w.strip() in ("sat", "unsat", "unknown")]
            if name == "entail" and a.refused and "not supported" in out: break
        except subprocess.TimeoutExpired: answers[name] = []
        good = answers[name] and "unknown" not in answers[name] and len(answers[name]) >= len(known.get(os.path.basename(f), []))
        points[logic][name] += spent() - begun if good else 2 * a.timeout; solved[logic][name] += bool(good)
    if len(answers) < len(solvers): refused += 1; continue
    if a.show and (not answers["entail"] or "unknown" in answers["entail"]): print("open", f, {n: " ".join(w[:4]) for n, w in answers.items()}, flush=True)
    for name, said in answers.items(): wrong[name] += any({x, y} == {"sat", "unsat"} for x, y in zip(said, known.get(os.path.basename(f), [])))
    ours = answers["entail"]
    for name, theirs in answers.items():
        if any({x, y} == {"sat", "unsat"} for x, y in zip(ours, theirs)): differ.append((f, name))
print("logic", *(f"{n} solved / PAR-2" for n, _ in solvers), sep="\t")
for logic in sorted(points): print(logic, *(f"{solved[logic][n]} / {points[logic][n]:.1f}" for n, _ in solvers), sep="\t")
total = {n: sum(points[l][n] for l in points) for n, _ in solvers}
print("all", *(f"{sum(solved[l][n] for l in solved)} / {total[n]:.1f}" for n, _ in solvers), sep="\t")
if a.refused: print("refused by name", refused, sep="\t")
if known: print("wrong", *(wrong[n] for n, _ in solvers), sep="\t")
for n, _ in solvers[1:]: print(f"ratio of PAR-2 to {n}", f"{total['entail'] / total[n]:.2f}" if total.get(n) else "-")
print("different answers:", differ or "none"); sys.exit(bool(differ))
