#!/usr/bin/env python3
"""Entail beside Z3's Spacer on linear Horn clauses: `entail check FILE` and `z3 FILE`; verdicts compared, wall time.

usage: beside_spacer.py ENTAIL FOLDER|FILE… [--timeout 60]
"""
import argparse, json, os, subprocess, time
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("files", nargs="+"); a.add_argument("--timeout", type=int, default=60)
a = a.parse_args(); files = []
for f in a.files:
    if os.path.isdir(f): files += sorted(os.path.join(d, n) for d, _, ns in os.walk(f) for n in ns if n.endswith(".smt2"))
    else: files.append(f)
count = {"entail": 0, "z3": 0}; seconds = {"entail": 0.0, "z3": 0.0}; differ = []
for f in files:
    begun = time.time()
    try:
        p = subprocess.run([a.entail, "check", f, "--json", "--timeout", f"{a.timeout}s"], capture_output=True, text=True, timeout=2 * a.timeout + 20)
        ours = {"holds": "sat", "fails": "unsat"}.get(json.loads(p.stdout)["properties"][0]["verdict"])
    except (subprocess.TimeoutExpired, ValueError, KeyError, IndexError): ours = None
    seconds["entail"] += time.time() - begun; begun = time.time()
    try: theirs = next((w for w in subprocess.run(["z3", f], capture_output=True, text=True, timeout=a.timeout).stdout.split() if w in ("sat", "unsat")), None)
    except subprocess.TimeoutExpired: theirs = None
    seconds["z3"] += time.time() - begun; count["entail"] += bool(ours); count["z3"] += bool(theirs)
    if ours and theirs and ours != theirs: differ.append(f)
print(f"entail {count['entail']} in {seconds['entail']:.1f} s, z3 {count['z3']} in {seconds['z3']:.1f} s, of {len(files)}; ratio {seconds['entail'] / max(seconds['z3'], 1e-9):.2f}; different: {differ or 'none'}")
