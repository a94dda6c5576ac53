#!/usr/bin/env python3
"""Entail beside Z3's Spacer: transition systems (VMT, MCMT) and their Horn twins, or Horn clauses for both.

usage: beside_spacer.py ENTAIL FOLDER|FILE… [--timeout 60] [--every K] [--expected TSV] [--show]
`entail check FILE` answers for us; Spacer gets the Horn clauses that `entail convert FILE twin.smt2` writes (FILE itself if it is Horn), as `z3 twin.smt2`.
`--show` names the files that one of them alone decides. By family (the file's folder): solved by each, answers that contradict the table, PAR-2 (seconds; twice the limit where undecided), and the ratio of PAR-2.
"""
import argparse, collections, csv, json, os, subprocess, sys, tempfile, time
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("files", nargs="+"); a.add_argument("--timeout", type=int, default=60)
a.add_argument("--every", type=int, default=1); a.add_argument("--expected"); a.add_argument("--show", action="store_true"); a = a.parse_args(); files = []
for f in a.files:
    if os.path.isdir(f): files += sorted(os.path.join(d, n) for d, _, ns in os.walk(f) for n in ns if n.endswith((".smt2", ".vmt", ".mcmt")))
    else: files.append(f)
known = {}
if a.expected:
    for r in csv.reader(open(a.expected), delimiter="\t", quoting=csv.QUOTE_NONE):
        known.setdefault(os.path.realpath(os.path.join(os.path.dirname(a.expected), r[0])), []).append(r[2])

def timed(command):
    begun = time.time()
    try: said = subprocess.run(command, capture_output=True, text=True, timeout=a.timeout + 5).stdout
    except subprocess.TimeoutExpired: said = ""
    return said, time.time() - begun

rows = collections.defaultdict(lambda: collections.defaultdict(float)); wrong = []; skipped = 0
with tempfile.TemporaryDirectory() as folder:
    for f in files[:: a.every]:
        twin = f
        if not f.endswith(".smt2"):
            twin = os.path.join(folder, "twin.smt2")
            if subprocess.run([a.entail, "convert", f, twin], capture_output=True).returncode: skipped += 1; continue
        said, ours_time = timed([a.entail, "check", f, "--json", "--timeout", f"{a.timeout}s"])
        try: verdicts = [p["verdict"] for p in json.loads(said)["properties"]]
        except (ValueError, KeyError): verdicts = []
        ours = "unsafe" if "fails" in verdicts else "safe" if verdicts and set(verdicts) == {"holds"} else None
        said, their_time = timed(["z3", f"-T:{a.timeout}", twin])
        theirs = {"sat": "safe", "unsat": "unsafe"}.get(next((w for w in said.split() if w in ("sat", "unsat")), None))
        answers = known.get(os.path.realpath(f), []); right = ("unsafe" if "unsafe" in answers else "safe") if answers else None
        family = os.path.basename(os.path.dirname(f)); row = rows[family]; row["of"] += 1
        for name, said, took in (("entail", ours, ours_time), ("z3", theirs, their_time)):
            row[name] += bool(said); row[name + " PAR-2"] += took if said else 2 * a.timeout
            if said and right and said != right: wrong.append((name, f, said))
        if a.show and bool(ours) != bool(theirs): print("only Entail" if ours else "only Spacer", f, f"{ours_time:.1f} s : {their_time:.1f} s")
        if ours and theirs and ours != theirs: wrong.append(("contradiction", f, ours))
print("family", "of", "entail", "z3", "entail PAR-2", "z3 PAR-2", sep="\t")
total = collections.defaultdict(float)
for family in sorted(rows):
    for key, value in rows[family].items(): total[key] += value
for family, row in [*sorted(rows.items()), ("all", total)]:
    print(family, int(row["of"]), int(row["entail"]), int(row["z3"]), f"{row['entail PAR-2']:.1f}", f"{row['z3 PAR-2']:.1f}", sep="\t")
print(f"ratio of PAR-2 {total['entail PAR-2'] / max(total['z3 PAR-2'], 1e-9):.2f}; not converted: {skipped}; wrong or contradicting: {wrong or 'none'}")
sys.exit(any(name != "z3" for name, _, _ in wrong))
