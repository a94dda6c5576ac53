#!/usr/bin/env python3
"""Our proofs in Alethe, judged by Carcara: by folder, how many unsatisfiable scripts have a proof that it accepts whole, with holes, or not.

usage: beside_carcara.py ENTAIL CARCARA FOLDER [--timeout 10] [--show]
Every .smt2 file under FOLDER is answered; those whose last answer is `unsat` count. Carcara is github.com/ufmg-smite/carcara.
"""
import argparse, collections, os, subprocess, tempfile

a = argparse.ArgumentParser()
a.add_argument("entail")
a.add_argument("carcara")
a.add_argument("folder")
a.add_argument("--timeout", type=int, default=10)
a.add_argument("--show", action="store_true")
a = a.parse_args()


def judged(path, proof):
    """What becomes of a script: nothing if it is not answered `unsat`."""
    said = subprocess.run([a.entail, "smt", path, "--timeout", f"{a.timeout}s", "--proof", proof], capture_output=True, text=True)
    if not said.stdout.split() or said.stdout.split()[-1] != "unsat":
        return None, ""
    if not os.path.exists(proof):
        return "none", said.stderr.strip()
    command = [a.carcara, "check", "--expand-let-bindings", "--ignore-unknown-rules", proof, proof + ".smt2"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=6 * a.timeout)
    except subprocess.TimeoutExpired:
        return "late", ""
    verdict = answer.stdout.strip().split("\n")[0]
    detail = said.stderr.strip() if verdict == "holey" else answer.stderr.strip()[-300:]
    return (verdict if verdict in ("valid", "holey") else "rejected"), detail


kinds = ["valid", "holey", "rejected", "late", "none"]
table = collections.defaultdict(collections.Counter)
for folder, _, files in sorted(os.walk(a.folder)):
    for file in sorted(f for f in files if f.endswith(".smt2")):
        with tempfile.TemporaryDirectory() as place:
            kind, detail = judged(os.path.join(folder, file), os.path.join(place, "proof"))
        if kind:
            table[os.path.relpath(folder, a.folder)][kind] += 1
            if a.show and kind != "valid":
                print(f"{kind}\t{os.path.join(folder, file)}\t{detail}", flush=True)
print("folder\t" + "\t".join(kinds))
for folder, counts in table.items():
    print(folder + "\t" + "\t".join(str(counts[kind]) for kind in kinds))
total = sum(table.values(), collections.Counter())
print("all\t" + "\t".join(str(total[kind]) for kind in kinds))
