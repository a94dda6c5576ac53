#!/usr/bin/env python3
"""Circuits beside ABC and rIC3: one run, one limit, one table.

usage: beside_peers.py ENTAIL [--bench DIR] [--limit SECONDS] [--tools ic3,bmc,auto,pdr,bmc3,ric3] [--only TEXT] [--models FILE] [--every N] [--table FILE]

Models are the BTOR2 and AIGER files under DIR (default $ENTAIL_BENCH/hw or ../shared/bench/hw). Peers read AIGER; BTOR2 models are converted once with
`entail convert` into a folder beside the table. ABC is `berkeley-abc` on PATH or $ABC, rIC3 is `rIC3` on PATH or $RIC3; a peer that is not there is
reported as missing. A model is solved when every property has a verdict: unsafe if one fails. Times are CPU seconds of the tool and its children.
PAR-2 counts an unsolved model as twice the limit. The limit is one of CPU seconds for each process of a peer, so that a busy machine does not change who solves what
(Entail has the limit on the wall clock); a tool that waits is stopped after four times the limit. FILE names models, one a line, as the table does (its first column may be used).
"""
import argparse, json, os, re, resource, shutil, subprocess, sys, tempfile, time

arguments = argparse.ArgumentParser()
arguments.add_argument("entail")
arguments.add_argument("--bench", default=os.path.join(os.environ.get("ENTAIL_BENCH", "../shared/bench"), "hw"))
arguments.add_argument("--limit", type=float, default=10)
arguments.add_argument("--tools", default="ic3,bmc,auto,pdr,bmc3,ric3")
arguments.add_argument("--only", default="")
arguments.add_argument("--models")
arguments.add_argument("--every", type=int, default=1)
arguments.add_argument("--table", default="hw.tsv")
options = arguments.parse_args()
ABC = os.environ.get("ABC") or shutil.which("berkeley-abc")
RIC3 = os.environ.get("RIC3") or shutil.which("rIC3")
CONVERTED = os.path.join(tempfile.gettempdir(), "entail-bench-hw")
os.makedirs(CONVERTED, exist_ok=True)


def run(command, limit):
    """Output and CPU seconds; no output if the limit was passed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = int(limit) + 2
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
    )
    try:
        output = process.communicate(timeout=4 * limit + 3)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        output = ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def entail(model, extra):
    output, seconds = run([options.entail, "check", model, "--json", "--timeout", f"{options.limit}s", *extra], options.limit)
    try:
        properties = json.loads(output)["properties"]
    except ValueError:
        return None, seconds, "error"
    verdicts = [answer["verdict"] for answer in properties]
    depth = max([(answer.get("statistics") or {}).get("depth") or 0 for answer in properties], default=0)
    unchecked = any(answer["verdict"] != "unknown" and not answer["evidence"]["checked"] for answer in properties)
    note = f"depth {depth}" + (" unchecked" if unchecked else "")
    if "fails" in verdicts:
        return "unsafe", seconds, note
    if verdicts and all(verdict == "holds" for verdict in verdicts):
        return "safe", seconds, note
    return None, seconds, note


def aiger(model):
    if model.endswith((".aig", ".aag")):
        return model
    name = os.path.join(CONVERTED, re.sub(r"[^A-Za-z0-9]+", "_", os.path.relpath(model, options.bench)) + ".aig")
    if not os.path.exists(name):
        subprocess.run([options.entail, "convert", model, name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    return name if os.path.exists(name) else None


def abc(model, script):
    circuit = aiger(model)
    if circuit is None:
        return None, 0, "not converted"
    output, seconds = run([ABC, "-c", f"read {circuit}; fold; strash; {script}"], options.limit)
    depths = [int(number) for number in re.findall(r"(?:frame|Frame|F =|timeframes?) *(\d+)", output)]
    note = f"depth {max(depths, default=0)}"
    if "was asserted in frame" in output or "Output 0 of miter" in output and "asserted" in output:
        return "unsafe", seconds, note
    if "Property proved" in output or "is trivially UNSAT" in output or "The problem is trivially" in output:
        return "safe", seconds, note
    return None, seconds, note


def ric3(model):
    circuit = aiger(model)
    if circuit is None:
        return None, 0, "not converted"
    output, seconds = run([RIC3, "-e", "ic3", circuit], options.limit)
    found = re.search(r"result: (safe|unsafe)", output)
    return found and found.group(1), seconds, ""


limit = int(options.limit)
TOOLS = {
    "ic3": lambda model: entail(model, ["--engine", "ic3"]),
    "bmc": lambda model: entail(model, ["--engine", "bmc"]),
    "interpolation": lambda model: entail(model, ["--engine", "interpolation"]),
    "kind": lambda model: entail(model, ["--engine", "kind"]),
    "gla": lambda model: entail(model, ["--engine", "gla"]),
    "pba": lambda model: entail(model, ["--engine", "pba"]),
    "auto": lambda model: entail(model, []),
    "pdr": lambda model: abc(model, "pdr"),
    "bmc3": lambda model: abc(model, f"bmc3 -v -T {limit}"),
    "ric3": ric3,
}
tools = [tool for tool in options.tools.split(",") if tool in TOOLS]
for tool, program in [("pdr", ABC), ("bmc3", ABC), ("ric3", RIC3)]:
    if tool in tools and not program:
        print(f"{tool}: missing")
        tools.remove(tool)

models = sorted(
    os.path.join(folder, name)
    for folder, _, names in os.walk(options.bench)
    for name in names
    if name.endswith((".btor2", ".aig", ".aag")) and options.only in os.path.join(folder, name)
)[:: options.every]
if options.models:
    wanted = {line.split("\t")[0].strip() for line in open(options.models)}
    models = [model for model in models if os.path.relpath(model, options.bench) in wanted]
table = open(options.table, "w")
print("model", *[column for tool in tools for column in (tool, tool + " s", tool + " note")], sep="\t", file=table)
solved = {tool: {} for tool in tools}
spent = {tool: 0.0 for tool in tools}
disagreements = []
for model in models:
    row = [os.path.relpath(model, options.bench)]
    verdicts = set()
    for tool in tools:
        verdict, seconds, note = TOOLS[tool](model)
        row += [verdict or "-", f"{seconds:.2f}", note]
        spent[tool] += seconds if verdict else 2 * options.limit
        if verdict:
            solved[tool][row[0]] = verdict
            verdicts.add(verdict)
    if len(verdicts) > 1:
        disagreements.append(row[0])
    print(*row, sep="\t", file=table, flush=True)
print(f"{len(models)} models, {options.limit:g} s")
for tool in tools:
    found = list(solved[tool].values())
    print(f"{tool}: solved {len(found)} (safe {found.count('safe')}, unsafe {found.count('unsafe')}), PAR-2 {spent[tool]:.1f} s")
print("disagreements:", ", ".join(disagreements) or "none")
