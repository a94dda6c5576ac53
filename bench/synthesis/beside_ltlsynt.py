#!/usr/bin/env python3
"""Entail beside ltlsynt (Spot) on realizability of TLSF specifications: wall-clock seconds, one run each.

usage: beside_ltlsynt.py ENTAIL FOLDER EXPECTED.tsv [--ltlsynt PATH] [--algo acd,lar] [--timeout 60] [--every K] [--engines synthesis,symbolic-synthesis]
Rows of EXPECTED are model, property (parameters in brackets), answer. A specification becomes LTL for ltlsynt by `entail convert`, so both are asked the same formula. Without ltlsynt only
Entail's engines are compared with each other and with the recorded answers. The last lines: how many each decided, how many answers differ from the record, and the ratio to the better peer.
"""
import argparse, csv, json, os, re, subprocess, sys, tempfile, time

a = argparse.ArgumentParser()
a.add_argument("entail"); a.add_argument("folder"); a.add_argument("expected")
a.add_argument("--ltlsynt"); a.add_argument("--algo", default="acd,lar"); a.add_argument("--timeout", type=float, default=60)
a.add_argument("--every", type=int, default=1); a.add_argument("--engines", default="")
a = a.parse_args()
rows = [r for r in csv.reader(open(a.expected), delimiter="\t", quoting=csv.QUOTE_NONE) if len(r) >= 3 and r[0].endswith(".tlsf")][:: a.every]
made = tempfile.mkdtemp()

def run(command):
    begun = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=3 * a.timeout + 10)
        return done, time.time() - begun
    except subprocess.TimeoutExpired:
        return None, time.time() - begun

def entail(path, parameters, engine):
    extra = ["--engine", engine] if engine else []
    done, seconds = run([a.entail, "check", path, *parameters, "--json", "--timeout", f"{a.timeout:g}s", *extra])
    try: verdict = json.loads(done.stdout)["properties"][0]["verdict"]
    except (AttributeError, ValueError, KeyError, IndexError): verdict = "unknown"
    return {"holds": "realizable", "fails": "unrealizable"}.get(verdict), seconds

def peer(path, parameters, algorithm, outputs):
    ltl = os.path.join(made, "x.ltl")
    done, _ = run([a.entail, "convert", path, ltl, *parameters])
    if done is None or done.returncode != 0: return None, 0.0
    formula = open(ltl).read().strip()
    begun = time.time()
    try:
        done = subprocess.run([a.ltlsynt, f"--algo={algorithm}", "--realizability", f"--outs={','.join(outputs)}", "-f", formula], capture_output=True, text=True, timeout=a.timeout)
        answer = done.stdout.split()[0].lower() if done.stdout.split() else None
    except (subprocess.TimeoutExpired, OSError): answer = None
    return answer if answer in ("realizable", "unrealizable") else None, time.time() - begun

def outputs_of(path, parameters):
    done, _ = run([a.entail, "convert", path, os.path.join(made, "x.tlsf"), *parameters])
    if done is None or done.returncode != 0: return []
    found = re.search(r"OUTPUTS\s*\{(.*?)\}", open(os.path.join(made, "x.tlsf")).read(), re.S)
    return [s.strip() for s in found[1].split(";") if s.strip()] if found else []

names = [(e or "entail", e) for e in ([""] + [e for e in a.engines.split(",") if e])]
score = {}
for row in rows:
    path = os.path.join(a.folder, row[0]); found = re.search(r"\[((?:\w+=[^,\]]+,?)+)\]", row[1])
    parameters = [x for p in (found[1].split(",") if found else []) for x in ("--parameter", p)]
    asked = [(name, lambda e=e: entail(path, parameters, e)) for name, e in names]
    if a.ltlsynt:
        outputs = outputs_of(path, parameters)
        asked += [(f"ltlsynt {g}", lambda g=g: peer(path, parameters, g, outputs)) for g in a.algo.split(",")]
    for name, ask in asked:
        answer, seconds = ask()
        s = score.setdefault(name, dict(decided=0, differs=0, seconds=0.0))
        s["seconds"] += min(seconds, a.timeout)
        if answer:
            s["decided"] += 1
            if answer != row[2]: s["differs"] += 1; print("differs:", name, row[0], row[1], answer, file=sys.stderr)
print("\t".join(["who", "asked", "decided", "differ", "seconds"]))
for name, s in score.items(): print("\t".join([name, str(len(rows)), str(s["decided"]), str(s["differs"]), f"{s['seconds']:.0f}"]))
peers = [s["decided"] for name, s in score.items() if name.startswith("ltlsynt")]
if peers: print(f"ratio to the better peer: {score['entail']['decided'] / max(1, max(peers)):.3f}")
