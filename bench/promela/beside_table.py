#!/usr/bin/env python3
"""Compare Entail's verdicts and state counts with those recorded from SPIN.

usage: beside_table.py ENTAIL BENCH [--timeout 10] [--filter TEXT] [--options "..."] [--por]
BENCH holds expected.tsv: model, property, expected, note with `states=`. Without --por the rows without partial-order reduction are
compared (options: --no-reduction), with it the others. Prints one line a model and the figures last.
"""
import argparse, csv, json, os, re, subprocess
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("bench")
a.add_argument("--timeout", type=int, default=10); a.add_argument("--filter", default=""); a.add_argument("--options", default="")
a.add_argument("--por", action="store_true"); a.add_argument("--quiet", action="store_true"); a = a.parse_args()
same = wrong = counted = equal = undecided = 0; ours_total = theirs_total = 0
for row in csv.reader(open(os.path.join(a.bench, "expected.tsv")), delimiter="\t", quoting=csv.QUOTE_NONE):
    if len(row) < 4 or not row[1].startswith("safety") or a.filter not in row[0]: continue
    if ("no-POR" in row[1]) == a.por: continue
    a_options = a.options.split() + ([] if a.por else ["--no-reduction"])
    command = [a.entail, "check", os.path.join(a.bench, row[0]), "--json", "--property", "1", "--timeout", f"{a.timeout}s", *a_options]
    run = subprocess.run(command, capture_output=True, text=True)
    try: answer = json.loads(run.stdout)["properties"][0]
    except Exception:
        print(f"{row[0]:60} error: {' '.join(run.stderr.split())[:200]}"); undecided += 1; continue
    theirs = int(re.search(r"states=(\d+)", row[3]).group(1)); ours = answer["statistics"]["states"]
    want = {"holds": "holds", "violated": "fails"}.get(row[2])
    if row[2] == "violated" and "partial order reduction invalid" in row[3]: want = None
    note = ""
    if answer["verdict"] == "unknown": undecided += 1; note = answer["reason"]
    elif want is None: note = "SPIN: incomplete"
    elif want != answer["verdict"]: wrong += 1; note = f"WRONG: SPIN says {row[2]}: {row[3][:80]}; {answer['reason']}"
    else:
        same += 1
        if want == "holds":
            counted += 1; equal += ours == theirs; ours_total += ours; theirs_total += theirs
            if ours != theirs: note = f"{ours / theirs:.2f} of SPIN's" if a.por else "COUNT"
    if not a.quiet or note: print(f"{row[0]:60} {answer['verdict']:8} {ours:9} SPIN {theirs:9} {answer['seconds']:8.3f} s  {note}")
print(f"verdicts equal {same}, wrong {wrong}, undecided {undecided}; counts equal {equal}/{counted}, in total {ours_total} beside {theirs_total}")
