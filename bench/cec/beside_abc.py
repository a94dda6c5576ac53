#!/usr/bin/env python3
"""Pairs of circuits beside ABC: each circuit and what ABC's synthesis makes of it, and the same with one gate changed.

usage: beside_abc.py ENTAIL [--bench DIR] [--limit SECONDS] [--every N] [--only TEXT] [--script COMMANDS] [--changes N] [--kinds KIND,…] [--epfl DIR] [--table FILE]

Circuits are the AIGER files under DIR (default $ENTAIL_BENCH/hw or ../shared/bench/hw); BTOR2 files are converted once with `entail convert`. ABC is `berkeley-abc` on PATH or $ABC.
Each circuit is rewritten by ABC (default "dc2; scorr; dretime; strash"), and the pair is asked of `entail equiv` and of ABC's `dsec` (circuits with latches) or `cec`. In the second half one
operand of one and-gate of the rewritten circuit is negated (--changes: as many such gates, one after the other); Entail's answer "fails" has been run on both circuits, and is compared with ABC's. With --epfl, pairs of files DIR/best_results/*/NAME_*.blif and
DIR/{arithmetic,random_control}/NAME.blif of lsils/benchmarks are asked as well, of ABC's `cec`. Times are CPU seconds with all children.
"""
import argparse, glob, json, os, random, re, resource, shutil, subprocess, tempfile, time

parser = argparse.ArgumentParser()
parser.add_argument("entail")
parser.add_argument("--bench", default=os.path.join(os.environ.get("ENTAIL_BENCH", "../shared/bench"), "hw"))
parser.add_argument("--limit", type=float, default=20)
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--only", default="")
parser.add_argument("--script", default="dc2; scorr; dretime; strash")
parser.add_argument("--changes", type=int, default=1)
parser.add_argument("--kinds", default="rewritten,changed")
parser.add_argument("--epfl")
parser.add_argument("--table", default="cec.tsv")
options = parser.parse_args()
ABC = os.environ.get("ABC") or shutil.which("berkeley-abc")
FOLDER = tempfile.mkdtemp(prefix="entail-cec-")


def run(command, limit):
    """Output and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=limit).stdout
    except subprocess.TimeoutExpired:
        output = ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(gold, gate):
    output, seconds = run([options.entail, "equiv", gold, gate, "--json", "--recheck", "--timeout", f"{options.limit}s"], options.limit * 2)
    try:
        document = json.loads(output)
        (answer,) = [one for one in document["properties"] if one["name"] == "equivalent"]
        checked = (answer.get("evidence") or {}).get("checked")
        return answer["verdict"] + ("" if answer["verdict"] == "unknown" or checked else " (not rechecked)"), seconds
    except (ValueError, KeyError, json.JSONDecodeError):
        return "error", seconds


def theirs(gold, gate, has_latches):
    command = f"dsec {gold} {gate}" if has_latches else f"cec {gold} {gate}"
    output, seconds = run([ABC, "-q", command], options.limit)
    if "Miter computation has failed" in output and not has_latches:
        # Ports are called differently: they are matched in their order.
        output, more = run([ABC, "-q", f"cec -n {gold} {gate}"], options.limit)
        seconds += more
    if "NOT EQUIVALENT" in output:
        return "fails", seconds
    return ("holds" if "are equivalent" in output else "unknown"), seconds


def numbers(data, at, count):
    """Numbers of AIGER's binary format."""
    found = []
    for _ in range(count):
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        found.append(value)
    return found, at


def changed(path, seed):
    """The binary AIGER file with one operand of one gate negated, in ASCII."""
    data = open(path, "rb").read()
    end = data.index(b"\n")
    maximum, inputs, latches, outputs, gates = map(int, data[:end].split()[1:6])
    # Bad states are outputs, too.
    outputs += sum(map(int, data[:end].split()[6:7]))
    lines = data[end + 1 :].split(b"\n", latches + outputs)
    deltas, _ = numbers(lines[-1], 0, 2 * gates)
    text = [f"aag {maximum} {inputs} {latches} {outputs} {gates}"]
    text += [str(2 * (number + 1)) for number in range(inputs)]
    text += [f"{2 * (inputs + number + 1)} {line.decode()}" for number, line in enumerate(lines[:latches])]
    text += [line.decode() for line in lines[latches : latches + outputs]]
    which = random.Random(seed).randrange(gates)
    for number in range(gates):
        output = 2 * (inputs + latches + number + 1)
        first = output - deltas[2 * number]
        second = first - deltas[2 * number + 1]
        text.append(f"{output} {first ^ (number == which)} {second}")
    out = os.path.join(FOLDER, "changed.aag")
    open(out, "w").write("\n".join(text) + "\n")
    packed = os.path.join(FOLDER, "changed.aig")
    if os.path.exists(packed):
        os.remove(packed)
    run([options.entail, "convert", out, packed], 60)
    return out, packed


def header(path):
    return list(map(int, open(path, "rb").readline().split()[1:]))


rows = []


def ask(name, kind, gold, gate, latches, for_abc=None):
    entail, seconds = ours(gold, gate)
    abc, abc_seconds = theirs(gold, for_abc or gate, latches)
    rows.append((name, kind, entail, abc, seconds, abc_seconds))
    print(f"{name}\t{kind}\t{entail}\t{abc}\t{seconds:.2f}\t{abc_seconds:.2f}", flush=True)


def hardware():
    files = sorted(file for ending in ("aig", "aag", "btor2") for file in glob.glob(os.path.join(options.bench, f"**/*.{ending}"), recursive=True))
    files = [file for file in files if options.only in file][:: options.every]
    for number, file in enumerate(files):
        gold, gate = os.path.join(FOLDER, "gold.aig"), os.path.join(FOLDER, "gate.aig")
        for old in (gold, gate, os.path.join(FOLDER, "converted.aig")):
            if os.path.exists(old):
                os.remove(old)
        # (ABC reads the binary format alone, and knows no constraints. What latches without a first value are, the tools see differently: they are set to 0.)
        zero = "init -z; "
        converted = os.path.join(FOLDER, "converted.aig")
        run([options.entail, "convert", file, converted], 60)
        counts = header(converted) if os.path.exists(converted) else []
        if not counts or any(counts[6:]):
            print(f"{file}\tskipped: it has constraints, fairness or arrays that are too large")
            continue
        run([ABC, "-q", f"read_aiger {converted}; strash; {zero} write_aiger {gold}; {options.script}; write_aiger {gate}"], 60)
        if not (os.path.exists(gold) and os.path.exists(gate)):
            print(f"{file}\tskipped: ABC does not rewrite it")
            continue
        latches = header(gold)[2]
        name = os.path.relpath(file, options.bench)
        if "rewritten" in options.kinds:
            ask(name, "rewritten", gold, gate, latches)
        for change in range(options.changes if "changed" in options.kinds and header(gate)[4] > 0 else 0):
            text, packed = changed(gate, number + 1000 * change)
            if os.path.exists(packed):
                ask(name, "changed", gold, text, latches, packed)


def epfl():
    originals = {}
    for file in glob.glob(os.path.join(options.epfl, "arithmetic", "*.blif")) + glob.glob(os.path.join(options.epfl, "random_control", "*.blif")):
        originals[os.path.splitext(os.path.basename(file))[0]] = file
    for file in sorted(glob.glob(os.path.join(options.epfl, "best_results", "**", "*.blif"), recursive=True)):
        base = re.sub(r"_(size|depth)_.*", "", os.path.splitext(os.path.basename(file))[0])
        if base in originals and options.only in file:
            ask("epfl/" + os.path.basename(file), "best", originals[base], file, 0)


if options.epfl:
    epfl()
else:
    hardware()
with open(options.table, "w") as table:
    table.write("circuit\tkind\tentail\tabc\tentail s\tabc s\n")
    for row in rows:
        table.write("\t".join(str(cell) if not isinstance(cell, float) else f"{cell:.2f}" for cell in row) + "\n")
for kind in sorted({row[1] for row in rows}):
    some = [row for row in rows if row[1] == kind]
    solved = lambda column: sum(row[column] in ("holds", "fails") for row in some)
    contradictions = [row[0] for row in some if {row[2].split()[0], row[3]} == {"holds", "fails"}]
    both = [row for row in some if row[2] in ("holds", "fails") and row[3] in ("holds", "fails")]
    ours_s, theirs_s = sum(row[4] for row in both), sum(row[5] for row in both)
    print(f"{kind}: {len(some)} pairs; entail {solved(2)}, ABC {solved(3)}; contradictions {contradictions}; on {len(both)} decided by both {ours_s:.1f} s : {theirs_s:.1f} s = {ours_s / max(theirs_s, 0.01):.2f}")
shutil.rmtree(FOLDER, ignore_errors=True)
