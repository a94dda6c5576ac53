#!/usr/bin/env python3
"""Assertions of SystemVerilog beside EBMC: verdicts and seconds, file by file, what yosys takes apart.

usage: beside_ebmc.py ENTAIL [EBMC] [--bench DIR] [--limit SECONDS] [--every N] [--only TEXT] [--table FILE]

The rows are those of DIR/expected.tsv (default $ENTAIL_BENCH/sva or ../shared/bench/sva): a file and the options that EBMC was given. EBMC (default $EBMC or `ebmc` on PATH) is run with these options, Entail
with --top; properties are matched by name. Where EBMC says PROVED up to a bound only, Entail's "fails" is no contradiction. Where this EBMC differs from the answer that is recorded for its own regression, that is told. Entail's seconds are those of its engines and checkers (the sum over the properties) and, apart,
those of reading, which is yosys almost alone; EBMC's are of the whole program. Wall time; nothing is asserted.
"""
import argparse, collections, csv, json, os, re, shlex, shutil, subprocess, time

parser = argparse.ArgumentParser()
parser.add_argument("entail")
parser.add_argument("ebmc", nargs="?", default=os.environ.get("EBMC") or shutil.which("ebmc"))
parser.add_argument("--bench", default=os.path.join(os.environ.get("ENTAIL_BENCH", "../shared/bench"), "sva"))
parser.add_argument("--limit", type=float, default=10)
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--only", default="")
parser.add_argument("--table", default="sva.tsv")
options = parser.parse_args()
SAID = re.compile(r"^\[([^\]]+)\] .*: (PROVED|REFUTED|INCONCLUSIVE|UNSUPPORTED|FAILURE|ASSUMED)(.*)$", re.M)


RECORDED = {}


def rows():
    """Files with the options that EBMC is given, each pair once; the recorded answers are noted."""
    found = collections.OrderedDict()
    with open(os.path.join(options.bench, "expected.tsv")) as file:
        for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if len(row) >= 3 and row[0] != "model" and options.only in row[0]:
                arguments = row[1].rpartition("|")[2].strip()
                found[(row[0], arguments)] = None
                name = re.match(r"\[([^\]]*)\]", row[1])
                if name:
                    RECORDED[(row[0], arguments, name[1])] = {"PROVED": "holds", "REFUTED": "fails"}.get(row[2].strip(), "unknown")
    return list(found)[:: options.every]


def run(command):
    begun = time.monotonic()
    try:
        output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=options.limit * 2).stdout
    except subprocess.TimeoutExpired:
        output = ""
    return output, time.monotonic() - begun


def theirs(path, arguments):
    """Verdict by property, with whether it is about a bound only; seconds."""
    arguments = [part for part in shlex.split(arguments) if part not in ("-", "--waveform", "--trace")]
    output, seconds = run(["timeout", f"{options.limit}", options.ebmc, path, *arguments])
    verdicts = {}
    for name, verdict, rest in SAID.findall(output):
        verdicts[name] = ({"PROVED": "holds", "REFUTED": "fails"}.get(verdict, "unknown"), "bound" in rest)
    return verdicts, seconds


def ours(path, arguments):
    top = re.search(r"--(?:module|top) (\S+)", arguments)
    output, seconds = run([options.entail, "check", path, "--top", top[1] if top else "main", "--json", "--timeout", f"{options.limit}s"])
    try:
        document = json.loads(output)
    except ValueError:
        return {}, 0.0, seconds
    properties = document.get("properties", [])
    deciding = sum(one.get("seconds", 0.0) for one in properties)
    return {one["name"]: one["verdict"] for one in properties}, deciding, max(seconds - deciding, 0.0)


def main():
    count = collections.Counter()
    total = collections.Counter()
    with open(options.table, "w") as table:
        table.write("file\toptions\tproperty\tentail\tebmc\tdeciding\treading\tebmc_seconds\n")
        for model, arguments in rows():
            path = os.path.join(options.bench, model)
            peer, peer_seconds = theirs(path, arguments)
            mine, deciding, reading = ours(path, arguments)
            count["runs"] += 1
            if not peer:
                count["runs without an answer of EBMC"] += 1
            if not mine:
                count["runs without an answer of Entail"] += 1
            if peer and mine:
                total.update({"deciding": deciding, "reading": reading, "EBMC": peer_seconds})
                count["runs of both"] += 1
            for name, (verdict, bounded) in peer.items():
                found = mine.get(name) or next((v for n, v in mine.items() if n.split(".")[-1] == name.split(".")[-1]), "none")
                table.write(f"{model}\t{arguments}\t{name}\t{found}\t{verdict}{' up to a bound' if bounded else ''}\t{deciding:.3f}\t{reading:.3f}\t{peer_seconds:.3f}\n")
                count["properties"] += 1
                count["decided by Entail"] += found in ("holds", "fails")
                count["decided by EBMC"] += verdict != "unknown" and not (bounded and verdict == "holds")
                if found in ("holds", "fails") and verdict in ("holds", "fails") and found != verdict and not (bounded and verdict == "holds"):
                    recorded = RECORDED.get((model, arguments, name), "nothing")
                    count["contradictions"] += 1
                    count["contradictions in which Entail agrees with the record"] += found == recorded
                    print(f"CONTRADICTION {model} {arguments} {name}: Entail {found}, EBMC {verdict}, recorded {recorded}")
    for name in ["runs", "runs of both", "runs without an answer of Entail", "runs without an answer of EBMC", "properties", "decided by Entail", "decided by EBMC", "contradictions", "contradictions in which Entail agrees with the record"]:
        print(f"| {name} | {count[name]} |")
    print(f"| seconds of both: deciding / reading (yosys) / EBMC | {total['deciding']:.1f} / {total['reading']:.1f} / {total['EBMC']:.1f} |")
    if total["EBMC"]:
        print(f"| ratio without, with reading | {total['deciding'] / total['EBMC']:.2f}, {(total['deciding'] + total['reading']) / total['EBMC']:.2f} |")


if __name__ == "__main__":
    main()
