#!/usr/bin/env python3
"""Run Entail and NuSMV side by side on SMV models: verdicts, processor time, memory, peak nodes, ratio.

usage: beside_nusmv.py [--models DIR_OR_FILE ...] [--timeout 60] [--entail target/release/entail] [--nusmv NuSMV]
                       [--options "..."] [--modes "-dynamic -coi;-coi;-dynamic;default"] [--markdown FILE]

Time is processor time, of all threads and child processes, so that other work on the machine matters little. NuSMV counts with the best
of its modes (a later mode gets no more time than the best so far took). Models default to $ENTAIL_BENCH/smv/nusmv-examples ($ENTAIL_BENCH defaults to
../shared/bench from the project's root). A missing NuSMV is reported and its columns stay empty; nothing fails because of it.
A verdict is compared property by property, by the text of the formula without spaces and parentheses.
"""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--entail", default=os.path.join(ROOT, "target/release/entail"))
    parser.add_argument("--nusmv", default=os.environ.get("NUSMV", "NuSMV"))
    parser.add_argument("--options", default="")
    parser.add_argument("--modes", default="-dynamic -coi;-coi;-dynamic;default")
    parser.add_argument("--markdown")
    return parser.parse_args()


def models(given):
    bench = os.environ.get("ENTAIL_BENCH", os.path.join(ROOT, "../shared/bench"))
    for place in given or [os.path.join(bench, "smv/nusmv-examples")]:
        if os.path.isfile(place):
            yield place
            continue
        for folder, _, files in sorted(os.walk(place)):
            for name in sorted(files):
                if name.endswith(".smv"):
                    yield os.path.join(folder, name)


def run(command, timeout):
    """Output, processor seconds (of children, too), peak memory in MiB; no output if the processor time or six times the clock ran out."""
    out = tempfile.TemporaryFile("w+", errors="replace")
    limit = int(timeout) + 1
    process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
    watchdog = threading.Timer(6 * timeout + 10, process.kill)
    watchdog.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    watchdog.cancel()
    out.seek(0)
    output = out.read() if process.returncode >= 0 else None
    return output, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def plain(formula):
    return re.sub(r"[\s()]+", "", formula).lower()


def by_nusmv(program, model, modes, timeout):
    """(verdicts by formula, seconds, mode, peak MiB) of the fastest mode that finished, or None."""
    best = None
    for mode in modes:
        words = [] if mode == "default" else mode.split()
        limit = timeout if best is None else min(timeout, best[1])
        output, seconds, peak = run([program, *words, model], limit)
        if output is None:
            continue
        found = re.findall(r"^-- (?:specification|invariant) (.*?) +is (true|false)$", output, re.M | re.S)
        if not found and "rror" in output:
            continue
        verdicts = {plain(formula): "holds" if truth == "true" else "fails" for formula, truth in found}
        if best is None or seconds < best[1]:
            best = (verdicts, seconds, mode, peak)
    return best


def by_entail(program, model, options, timeout):
    words = [program, "check", model, "--json", "--timeout", f"{timeout}s", *options.split()]
    output, seconds, _ = run(words, timeout * 2)
    try:
        document = json.loads(output or "")
    except ValueError:
        return None
    return document, seconds


def main():
    options = arguments()
    nusmv = shutil.which(options.nusmv)
    if nusmv is None:
        print("NuSMV is not installed: only Entail is measured (see bench/README.md)", file=sys.stderr)
    modes = options.modes.split(";")
    rows, totals, counts = [], [0.0, 0.0], {}
    heading = ["model", "properties", "entail", "entail s", "engine", "peak MiB", "peak nodes", "NuSMV s", "NuSMV MiB", "mode", "ratio", "agreement"]
    print("\t".join(heading))
    for model in models(options.models):
        peer = by_nusmv(nusmv, model, modes, options.timeout) if nusmv else None
        ours = by_entail(options.entail, model, options.options, options.timeout)
        name = "/".join(model.split("/")[-2:])
        if ours is None:
            answers, engine, peak, nodes, seconds, properties = "no answer", "-", "-", "-", None, []
        else:
            document, seconds = ours
            properties = document["properties"]
            tally = {v: sum(p["verdict"] == v for p in properties) for v in ("holds", "fails", "unknown")}
            answers = " ".join(f"{n} {v}" for v, n in tally.items() if n)
            engine = ",".join(sorted({p["engine"] for p in properties})) or "-"
            nodes = max((p.get("statistics", {}).get("peak_nodes") or 0 for p in properties), default=0) or "-"
            peak = f"{(document.get('peak_memory_bytes') or 0) / 2**20:.0f}"
        agreement = "-"
        if peer is not None:
            differ = [p["formula"] for p in properties if p["verdict"] != "unknown" and peer[0].get(plain(p["formula"]), p["verdict"]) != p["verdict"]]
            undecided = sum(p["verdict"] == "unknown" for p in properties) if properties else len(peer[0])
            agreement = f"DIFFERS {differ}" if differ else f"{undecided} undecided" if undecided or ours is None else "agrees"
        decided = ours is not None and all(p["verdict"] != "unknown" for p in properties)
        ratio = "-"
        if peer is not None and decided:
            totals[0] += seconds
            totals[1] += peer[1]
            ratio = f"{seconds / peer[1]:.2f}"
        kind = ("both" if decided else "only NuSMV") if peer else ("only Entail" if decided and properties else "neither")
        counts[kind] = counts.get(kind, 0) + 1
        row = [name, str(len(properties)), answers, "-" if seconds is None else f"{seconds:.2f}", engine, peak, str(nodes),
               f"{peer[1]:.2f}" if peer else "-", f"{peer[3]:.0f}" if peer else "-", peer[2] if peer else "-", ratio, agreement]
        rows.append(row)
        print("\t".join(row), flush=True)
    print(f"decided by: {counts}; on the models both decide: Entail {totals[0]:.1f} s, NuSMV {totals[1]:.1f} s"
          + (f", ratio {totals[0] / totals[1]:.2f}" if totals[1] else ""))
    if options.markdown:
        with open(options.markdown, "w") as out:
            for row in [heading, ["---"] * len(heading), *rows]:
                out.write("| " + " | ".join(row) + " |\n")


if __name__ == "__main__":
    main()
