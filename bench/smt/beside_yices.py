#!/usr/bin/env python3
"""Entail beside Yices on the questions that our engines ask: total time, its ratio, and answers that differ.

usage: beside_yices.py ENTAIL SYSTEM… [--timeout 4] [--every K] [--keep DIR] [--alone]
Each system (.vmt, .mcmt, .smv, Horn .smt2; a folder is searched) is checked for --timeout seconds with `--dump-queries`. The questions of one engine are joined
to one script, with `(reset)` between them, so that what is measured is answering and not starting a program; with --alone each question is a program's run
of its own as well. Yices (`yices-smt2 --incremental`) is looked for on PATH. Ours checks every model and every proof in that time. Time is processor time.
"""
import argparse, collections, os, resource, shutil, subprocess, sys, tempfile
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("systems", nargs="+"); a.add_argument("--timeout", type=int, default=4); a.add_argument("--every", type=int, default=1)
a.add_argument("--keep"); a.add_argument("--alone", action="store_true"); a = a.parse_args()
yices = shutil.which("yices-smt2") or sys.exit("yices-smt2 is not on PATH")
if os.path.realpath(yices).endswith("pyenv"): yices = subprocess.run(["pyenv", "which", "yices-smt2"], capture_output=True, text=True).stdout.strip()
solvers = [("entail", [a.entail, "smt"]), ("yices", [yices, "--incremental"])]
def spent(): used = resource.getrusage(resource.RUSAGE_CHILDREN); return used.ru_utime + used.ru_stime
def answers(command, path):
    begun = spent(); out = subprocess.run(command + [path], capture_output=True, text=True).stdout
    return [w for w in out.splitlines() if w in ("sat", "unsat", "unknown")], spent() - begun
systems = []
for s in a.systems:
    if os.path.isdir(s): systems += sorted(os.path.join(d, n) for d, _, ns in os.walk(s) for n in ns if n.endswith((".vmt", ".mcmt")))
    else: systems.append(s)
total = collections.Counter(); alone = collections.Counter(); count = 0; differ = []
for number, system in enumerate(systems):
    if (number + 1) % a.every: continue
    with tempfile.TemporaryDirectory() as place:
        place = os.path.join(a.keep, str(number)) if a.keep else place; os.makedirs(place, exist_ok=True)
        subprocess.run([a.entail, "check", system, "--dump-queries", place, "--timeout", f"{a.timeout}s"], capture_output=True)
        files = sorted(n for n in os.listdir(place) if n.endswith(".smt2") and not n.startswith("joined")); engines = collections.defaultdict(list)
        for n in files: engines["-".join(n.split("-")[:2])].append(n)
        row = collections.Counter()
        for engine, names in engines.items():
            joined = os.path.join(place, f"joined-{engine}.smt2")
            with open(joined, "w") as out:
                for n in names: out.write("".join(l for l in open(os.path.join(place, n)) if not l.startswith("(set-info"))); out.write("(reset)\n")
            said = {}
            for name, command in solvers: said[name], t = answers(command, joined); row[name] += t
            # What Yices does not read (products) counts for neither.
            if len(said["yices"]) < len(names): row.clear(); print("not read by Yices:", system, engine); continue
            differ += [(system, engine, names[k]) for k, (x, y) in enumerate(zip(said["entail"], said["yices"])) if {x, y} == {"sat", "unsat"}]; count += len(names)
            if a.alone:
                for n in names:
                    for name, command in solvers: alone[name] += answers(command, os.path.join(place, n))[1]
        total.update(row)
        if row: print(os.path.basename(system), len(files), *(f"{n} {row[n]:.2f}" for n, _ in solvers), f"{row['entail'] / max(row['yices'], 0.001):.2f}", sep="\t", flush=True)
print("questions", count, *(f"{n} {total[n]:.2f} s" for n, _ in solvers), f"ratio {total['entail'] / max(total['yices'], 0.001):.2f}", sep="\t")
if a.alone: print("one program each", *(f"{n} {alone[n]:.2f} s" for n, _ in solvers), f"ratio {alone['entail'] / max(alone['yices'], 0.001):.2f}", sep="\t")
print("different answers:", differ or "none"); sys.exit(bool(differ))
