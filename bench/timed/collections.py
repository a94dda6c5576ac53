#!/usr/bin/env python3
"""Collections of UPPAAL models, file by file: what UPPAAL's own parser says, and whether we read the file, refuse it by name, or call it wrong.

usage: collections.py ENTAIL SYNTAXCHECK FOLDER... [--differences] [--rows]
SYNTAXCHECK is the program of that name that UPPAALModelChecker/utap builds ("-" for none). Every .xml with a network in it, every .xta and every .ta is read. With --rows a line a file; with
--differences those that one side accepts and the other calls wrong. The table counts: rows say what the parser does (accepts, warns, refuses), columns what we do.
"""
import argparse, collections, os, re, subprocess

a = argparse.ArgumentParser()
a.add_argument("entail")
a.add_argument("syntaxcheck")
a.add_argument("folders", nargs="+")
a.add_argument("--differences", action="store_true")
a.add_argument("--rows", action="store_true")
a = a.parse_args()

# A question that takes no step: the model is read for it, in the translation that random runs need.
NOTHING = "Pr[#<=0; 1](<> true)"

# Messages of the parser that are warnings.
WARNINGS = re.compile(r"Strict_invariant|Clock_guards_are_not_allowed|does_not_have_any_effect|Deprecated|[Ss]hadows|on_urgent_edges")


def run(command, seconds=60):
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds)
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, "timeout"


def peer(path):
    if a.syntaxcheck == "-":
        return "-", ""
    # The old form has its own option.
    old = ["-b"] if path.endswith(".ta") else []
    code, text = run([a.syntaxcheck, *old, path])
    lines = [line for line in text.splitlines() if line.strip()]
    if code == 0:
        return "accepts", ""
    # It prints errors and warnings alike, the errors first.
    if code == 2 and lines and WARNINGS.search(lines[0]):
        return "warns", lines[0]
    return ("crashes" if code is None or code < 0 or code > 3 else "refuses"), (lines or [""])[0]


def ours(path):
    code, text = run([a.entail, "check", path, "--spec", NOTHING])
    reason = re.search(r"uppaal::[\w-]+", text)
    message = re.search(r"(?:×|x|error:)\s*(.+)", text)
    told = (message[1] if message else text.strip()[:120]).strip()
    if code in (0, 1, 2):
        return "reads", ""
    if reason and reason[0] in ("uppaal::unsupported", "uppaal::limit", "uppaal::random-runs-only"):
        return "refuses by name", told
    return "error", (reason[0] + " " if reason else f"exit {code} ") + told


def models():
    for folder in a.folders:
        for root, _, files in os.walk(folder):
            for name in sorted(files):
                path = os.path.join(root, name)
                if name.endswith((".xta", ".ta")):
                    yield path
                elif name.endswith(".xml") and b"<nta" in open(path, "rb").read():
                    yield path


table, refused, different = collections.Counter(), collections.Counter(), []
for path in models():
    (theirs, why), (mine, told) = peer(path), ours(path)
    table[theirs, mine] += 1
    if mine == "refuses by name":
        refused[told] += 1
    if a.rows:
        print(f"{theirs}\t{mine}\t{path}\t{why}\t{told}", flush=True)
    if (theirs, mine) in (("accepts", "error"), ("warns", "error"), ("refuses", "reads")) or theirs == "crashes":
        different.append(f"{theirs}: {why}\n  {mine}: {told}\n  {path}")
columns = ["reads", "refuses by name", "error"]
print("syntaxcheck\t" + "\t".join(columns))
for theirs in ["-", "accepts", "warns", "refuses", "crashes"]:
    counts = [table[theirs, mine] for mine in columns]
    if sum(counts):
        print(theirs + "\t" + "\t".join(map(str, counts)))
print(f"{sum(table.values())} files")
for reason, count in refused.most_common():
    print(f"refused by name: {count} × {reason}")
if a.differences:
    print("\n".join(different))
