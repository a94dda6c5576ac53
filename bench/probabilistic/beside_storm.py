#!/usr/bin/env python3
"""Entail beside Storm (PyPI stormpy 2.0) on QVBS models: sound mode, relative precision 1e-6, one thread.

usage: beside_storm.py ENTAIL FOLDER EXPECTED.tsv [--timeout 60] [--every K] [--sample N --seed S] [--only TEXT] [--exact] [--threads 1] [--table OUT.tsv]
FOLDER and EXPECTED.tsv as in ../shared/bench/prob. Rows of PRISM models are asked of both programs, each in a process of its own; seconds are
those of the processor (user and system), and so is the time limit, so that other programs on the machine disturb little; reading and building included; memory is the peak of
the process in MiB; loading Python and stormpy is measured once and subtracted from both. The columns of a row: model, property, recorded value,
then of Entail value, reason, whether checked, seconds, memory, and of Storm value, reason, seconds, memory. Values are compared with the recorded ones and with each other. Without stormpy only Entail runs.
"""
import argparse, csv, json, math, os, random, re, resource, subprocess, sys, threading
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("folder"); a.add_argument("tsv")
a.add_argument("--timeout", type=int, default=60); a.add_argument("--every", type=int, default=1); a.add_argument("--only", default="")
a.add_argument("--sample", type=int); a.add_argument("--seed", type=int, default=1)
a.add_argument("--exact", action="store_true"); a.add_argument("--table"); a.add_argument("--no-certify", action="store_true"); a.add_argument("--threads", default="1"); a = a.parse_args()
csv.field_size_limit(10**9)

STORM = r"""
import re, sys, stormpy, stormpy.environments as environments
path, constants, spec, exact = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4] == "exact"
given = [p for p in constants.split(",") if p]
jani = path.endswith(".jani")
if jani:
    program, all_properties = stormpy.parse_jani_model(path)
    properties = [p for p in all_properties if p.get_name() == spec]
else: program = stormpy.parse_prism_program(path, prism_compatibility=True)
names = {c.name for c in program.constants}
for p in [] if jani else given:
    if p.split("=")[0] not in names: spec = re.sub(r"\b%s\b" % p.split("=")[0], p.split("=")[1], spec)
if not jani: properties = stormpy.parse_properties(spec, program)
program, properties = stormpy.instantiate_constants(program, ",".join(p for p in given if p.split("=")[0] in names), properties)
model = stormpy.build_model[stormpy.Rational](program, properties) if exact else stormpy.build_model(program, properties)
environment = environments.exact() if exact else environments.sound()
result = stormpy.model_checking(model, properties[0], only_initial_states=True, environment=environment)
print("VALUE", result.get_value(model.initial_states[0]) if result.is_quantitative() else bool(result.forall_true()), "STATES", model.nr_states)
"""

def run(command, most):
    """Runs a command; what it wrote, its seconds of the processor (at most `most`, then it is stopped), its peak memory in MiB."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(most), math.ceil(most) + 2))
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
    timer = threading.Timer(10 * most + 60, p.kill); timer.start()
    errors = []; reader = threading.Thread(target=lambda: errors.append(p.stderr.read())); reader.start()
    out = p.stdout.read(); reader.join(); _, p.returncode, r = os.wait4(p.pid, 0); timer.cancel()
    return out, errors[0], r.ru_utime + r.ru_stime, r.ru_maxrss / 1024

def reason(errors, seconds): return "time" if seconds >= a.timeout else (errors.strip().splitlines() or ["no words"])[-1].replace("\t", " ")[:80]

def storm(path, constants, spec):
    out, errors, seconds, memory = run([sys.executable, "-c", STORM, path, constants, spec, "exact" if a.exact else "sound"], a.timeout + START[0])
    m = re.search(r"VALUE (\S+)", out); seconds = max(seconds - START[0], 0.0); memory = max(memory - START[1], 0.0)
    return (m and m[1]), (None if m else reason(errors, seconds + 0.5)), seconds, memory

def entail(path, constants, spec):
    command = [a.entail, "check", path, "--property" if path.endswith(".jani") else "--spec", spec, "--json", "--threads", a.threads, "--timeout", f"{10 * a.timeout}s"] + (["--const", constants] if constants else [])
    command += ["--engine", "exact"] if a.exact else []
    command += ["--no-certify"] if a.no_certify else []
    out, errors, taken, memory = run(command, a.timeout)
    try: answer = json.loads(out)["properties"][0]
    except (ValueError, KeyError, IndexError): return None, reason(errors, taken + 0.5), taken, memory, ""
    value = answer.get("value")
    if value is None: return (answer["verdict"] if answer["verdict"] != "unknown" else None), answer.get("reason"), taken, memory, ""
    text = value if isinstance(value, str) else value.get("exact") or f'{value["lower"]!r}..{value["upper"]!r}'
    return text, None, taken, memory, "checked" if answer["evidence"].get("checked") is True else "not re-checked"

def middle(text):
    text = str(text)
    if text in ("infinity", "inf"): return math.inf
    if ".." in text: low, high = map(float, text.split("..")); return (low + high) / 2
    try: return float(__import__("fractions").Fraction(text)) if "/" in text else float(text)
    except ValueError: return {"true": "holds", "false": "fails", "True": "holds", "False": "fails"}.get(text, text)

rows = [r for r in csv.reader(open(a.tsv), delimiter="\t", quoting=csv.QUOTE_NONE) if r[0].startswith("qvbs") and re.search(r"\.(prism|nm|pm|sm|ma|jani)$", r[0]) and a.only in r[0]]
rows = [r for r in rows if not re.match(r"(states|transitions|choices|branches)\b", r[1])][:: a.every]
if a.sample: rows = random.Random(a.seed).sample(rows, min(a.sample, len(rows)))
START = (0.0, 0.0); START = run([sys.executable, "-c", "import stormpy, stormpy.environments"], 60)[2:]
out = open(a.table, "w") if a.table else None
both = [0.0, 0.0]; memory = [0.0, 0.0]; solved = [0, 0]; differ = 0; n = 0
for model, prop, expected, *_ in rows:
    m = re.match(r"(.*?)\s*\[((?:\w+=[^,\]]+,?)+)\]\s*$", prop); text, constants = (m[1], m[2]) if m else (prop, "")
    spec = re.sub(r'^"[^"]*"\s*:\s*', "", text); path = os.path.join(a.folder, model); n += 1
    ours, why, seconds, own_memory, checked = entail(path, constants, spec); theirs, their_why, their_seconds, their_memory = storm(path, constants, spec)
    solved[0] += ours is not None; solved[1] += theirs is not None
    if ours is not None and theirs is not None:
        both[0] += seconds; both[1] += their_seconds; memory[0] += own_memory; memory[1] += their_memory; x, y = middle(ours), middle(theirs)
        if x != y and (isinstance(x, str) or isinstance(y, str) or not abs(x - y) <= 1e-5 * max(abs(x), abs(y), 1e-9)): differ += 1; print("DIFFER", model, prop, ours, theirs, "recorded", expected)
    line = "\t".join(map(str, [model, prop, expected[:30], str(ours)[:50], why or "", checked, f"{seconds:.2f}", f"{own_memory:.0f}", theirs, their_why or "", f"{their_seconds:.2f}", f"{their_memory:.0f}"]))
    print(line, flush=True)
    if out: out.write(line + "\n"); out.flush()
def ratio(pair): return f"{pair[0] / max(pair[1], 1e-9):.2f}"
print(f"{n} questions; solved: Entail {solved[0]}, Storm {solved[1]}; differing values {differ}")
print(f"on those both solve: Entail {both[0]:.1f} s, Storm {both[1]:.1f} s, ratio {ratio(both)}; sum of peak memory: Entail {memory[0]:.0f} MiB, Storm {memory[1]:.0f} MiB, ratio {ratio(memory)}")
