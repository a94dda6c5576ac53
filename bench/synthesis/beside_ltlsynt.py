#!/usr/bin/env python3
"""Entail beside ltlsynt (Spot) on realizability of TLSF specifications: wall-clock seconds, one run each.

usage: beside_ltlsynt.py ENTAIL FOLDER EXPECTED.tsv [--ltlsynt PATH] [--algo acd,lar] [--timeout 60] [--every K] [--engines synthesis,symbolic-synthesis] [--sizes]
Rows of EXPECTED are model, property (parameters in brackets), answer. A specification becomes LTL for ltlsynt by `entail convert`, so both are asked the same formula. Without ltlsynt only
Entail's engines are compared with each other and with the recorded answers. With --sizes also circuits of both are built
(`--aiger=both --simplify=bwoa-sat`), and latches plus gates are added up where both have one, and beside the recorded sizes (gates alone). The last lines: how many each decided, how many answers differ from the record, and the ratio to the better peer.
"""
import argparse, csv, json, os, re, subprocess, sys, tempfile, time

a = argparse.ArgumentParser()
a.add_argument("entail"); a.add_argument("folder"); a.add_argument("expected")
a.add_argument("--ltlsynt"); a.add_argument("--algo", default="acd,lar"); a.add_argument("--timeout", type=float, default=60)
a.add_argument("--every", type=int, default=1); a.add_argument("--engines", default=""); a.add_argument("--sizes", action="store_true")
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

def signals_of(path, parameters):
    """Inputs and outputs of the specification in its basic form."""
    basic = os.path.join(made, "x.tlsf")
    done, _ = run([a.entail, "convert", path, basic, *parameters])
    if done is None or done.returncode != 0: return [], []
    text = open(basic).read()
    return tuple([s.strip() for s in found[1].split(";") if s.strip()] if (found := re.search(section + r"\s*\{(.*?)\}", text, re.S)) else [] for section in ("INPUTS", "OUTPUTS"))

def peer_formula(path, parameters):
    """The specification as ltlsynt is given it. Signals get new names: it folds the case of those in --outs, but not of those in formulas."""
    inputs, outputs = signals_of(path, parameters)
    ltl = os.path.join(made, "x.ltl")
    done, _ = run([a.entail, "convert", path, ltl, *parameters])
    if done is None or done.returncode != 0 or not outputs: return None, []
    new = {name: f"i{k}" for k, name in enumerate(inputs)} | {name: f"o{k}" for k, name in enumerate(outputs)}
    formula = re.sub(r"[A-Za-z_][A-Za-z_0-9.@']*", lambda word: new.get(word[0], word[0]), open(ltl).read().strip())
    return formula, [new[name] for name in outputs]

def peer(formula, outputs, extra):
    """ltlsynt's first word, and its seconds."""
    if formula is None: return None, 0.0, ""
    begun = time.time()
    try:
        with open(os.path.join(made, "p.ltl"), "w") as out: out.write(formula)
        done = subprocess.run([a.ltlsynt, *extra, f"--outs={','.join(outputs)}", "-F", os.path.join(made, "p.ltl")], capture_output=True, text=True, timeout=a.timeout)
        text = done.stdout
    except (subprocess.TimeoutExpired, OSError): text = ""
    answer = text.split()[0].lower() if text.split() else None
    return answer if answer in ("realizable", "unrealizable") else None, time.time() - begun, text

def size(aiger):
    """Latches and gates of an ASCII AIGER file: M I L O A."""
    header = re.search(r"^aag (\d+) (\d+) (\d+) (\d+) (\d+)", aiger, re.M)
    return (int(header[3]) + int(header[5])) if header else None

def our_circuit(path, parameters):
    out = os.path.join(made, "x.aag")
    if os.path.exists(out): os.remove(out)
    done, _ = run([a.entail, "synth", path, *parameters, "-o", out, "--timeout", f"{a.timeout:g}s"])
    return size(open(out).read()) if os.path.exists(out) else None

names = [(e or "entail", e) for e in ([""] + [e for e in a.engines.split(",") if e])]
score, sizes, recorded = {}, [], []
for row in rows:
    path = os.path.join(a.folder, row[0]); found = re.search(r"\[((?:\w+=[^,\]]+,?)+)\]", row[1])
    parameters = [x for p in (found[1].split(",") if found else []) for x in ("--parameter", p)]
    asked = [(name, lambda e=e: entail(path, parameters, e)) for name, e in names]
    if a.ltlsynt:
        formula, outputs = peer_formula(path, parameters)
        asked += [(f"ltlsynt {g}", lambda g=g: peer(formula, outputs, [f"--algo={g}", "--realizability"])[:2]) for g in a.algo.split(",")]
        if a.sizes and row[2] == "realizable":
            ours = our_circuit(path, parameters)
            theirs = size(peer(formula, outputs, ["--aiger=both", "--simplify=bwoa-sat"])[2]) if ours is not None else None
            known = re.search(r"circuit has (\d+) AND", row[3] if len(row) > 3 else "")
            if ours is not None and theirs is not None: sizes.append((row[0], row[1], ours, theirs))
            if ours is not None and known: recorded.append((row[0], row[1], ours, int(known[1])))
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
for title, rows in (("ltlsynt's", sizes), ("recorded", recorded)):
    if rows:
        ours, theirs = sum(r[2] for r in rows), sum(r[3] for r in rows)
        print(f"circuits beside {title}: {len(rows)}, ours {ours}, theirs {theirs}, ratio {ours / max(1, theirs):.3f}")
        for r in sorted(rows, key=lambda r: r[3] - r[2])[:8]:
            if r[2] > r[3]: print("  larger:", r[0], r[1], r[2], r[3])
