#!/usr/bin/env python3
"""The abstracting engines beside the plain ones on SMV models: CPU seconds of one run each, evidence checked.

usage: refinement.py ENTAIL FOLDER [--engines cegar,predicates,ic3,bdd] [--limit 20]

`FOLDER` is what controller.py wrote. A `-` is a run without a verdict within the limit (wall clock).
"""
import argparse, glob, json, os, re, resource, subprocess

p = argparse.ArgumentParser(usage=__doc__)
p.add_argument("entail")
p.add_argument("folder")
p.add_argument("--engines", default="cegar,predicates,ic3,bdd")
p.add_argument("--limit", type=float, default=20)
a = p.parse_args()


def run(model, engine):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    chosen = [] if engine == "auto" else ["--engine", engine]
    try:
        out = subprocess.run([a.entail, "check", model, "--json", "--timeout", f"{a.limit}s", *chosen],
                             capture_output=True, text=True, timeout=a.limit * 2 + 5).stdout
        answer = json.loads(out)["properties"][0]
    except (subprocess.TimeoutExpired, ValueError, KeyError, IndexError):
        return "-", "", 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    verdict = answer["verdict"]
    if verdict == "unknown":
        return "-", verdict, len(answer.get("rounds", []))
    mark = "" if answer["evidence"]["checked"] else " (unchecked)"
    return f"{seconds:.2f}{mark}", verdict, len(answer.get("rounds", []))


def key(path):
    name = os.path.basename(path)
    return re.sub(r"\d+", "", name), int(re.search(r"\d+", name).group())


engines = a.engines.split(",")
print("| model | verdict | rounds (" + engines[0] + ") | " + " | ".join(f"`{engine}`" for engine in engines) + " |")
print("|---|---|---:|" + "---:|" * len(engines))
for model in sorted(glob.glob(os.path.join(a.folder, "*.smv")), key=key):
    results = [run(model, engine) for engine in engines]
    verdicts = {verdict for _, verdict, _ in results if verdict in ("holds", "fails")}
    assert len(verdicts) < 2, f"{model}: the engines disagree: {results}"
    name = os.path.basename(model).removesuffix(".smv")
    cells = " | ".join(cell for cell, _, _ in results)
    print(f"| {name} | {verdicts.pop() if verdicts else 'unknown'} | {results[0][2]} | {cells} |", flush=True)
