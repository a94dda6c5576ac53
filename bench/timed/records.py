#!/usr/bin/env python3
"""TChecker's records of covering reachability and of zone graphs (`test/covreach`, `test/explore` of its snapshot), beside what Entail says.

usage: records.py ENTAIL TEST_FOLDER [--graphs PROGRAM] [--only fischer,csmacd] [--details]
TEST_FOLDER is `test` of ticktac-project/tchecker: each model is there as `covreach-NAME.out-expected`, with a record for each semantics, extrapolation, simulation and order. Ours has one choice of bounds for extrapolation and
simulation: records that mix them (`aLUg` with `extraMl`) are asked with local ones. The semantics in which symbolic states are kept before waiting (`non-elapsed`) has no counterpart: its records are compared with the usual one.
In `test/explore` the records of some models have no discrete state twice, whatever the extrapolation, with other states missing (4 nodes for ad94, 38 of 47 discrete states for csmacd): whoever made them took nodes with the same discrete state for one. They are counted apart.
--graphs: the program that counts zone graphs, `target/.../examples/zone_graph` of entail-realtime (`cargo build -p entail-realtime --example zone_graph`); without it `test/explore` is left out.
"""
import argparse, collections, glob, os, re, subprocess, tempfile
from measured import first_answer, measured

a = argparse.ArgumentParser()
for name in ("entail", "tests"):
    a.add_argument(name)
a.add_argument("--graphs")
a.add_argument("--only", default="")
a.add_argument("--details", action="store_true", help="a line for each record that differs")
a = a.parse_args()

EXTRAPOLATIONS = {"NOextra": "none", "extraM": "m", "extraM+": "m+", "extraLU": "lu", "extraLU+": "lu+"}
COVERS = {"inclusion": "inclusion", "aLU": "alu", "aM": "am"}
wanted = set(filter(None, a.only.split(",")))


def split(name):
    """`extraLU+l` is the extrapolation with local bounds."""
    return (name, None) if name in ("NOextra", "inclusion") else (name[:-1], {"g": "global", "l": "local"}[name[-1]])


def models(kind):
    records = collections.defaultdict(list)
    files = sorted(glob.glob(os.path.join(a.tests, kind, f"{kind}-*.out-expected")))
    names = [os.path.basename(file)[len(kind) + 1 : -len(".out-expected")] for file in files]
    bases = sorted((name for name in names if not re.search(r"_(zg|ta)_", name)), key=len, reverse=True)
    for name, file in zip(names, files):
        base = next((base for base in bases if name == base or name.startswith(base + "_")), None)
        if base and name != base and name.endswith("_raw") and (not wanted or base in wanted):
            records[base].append((name[len(base) + 1 : -len("_raw")], open(file).read()))
    return records


def model_of(kind, base):
    """The model as it was asked, without what its generators print before it, and its labels. With commas between them the program of that time took them for one label, which no state has."""
    text = open(os.path.join(a.tests, kind, f"{kind}-{base}.out-expected")).read()
    named = re.search(r"^# *labels *= *(\S*)", text, re.M)
    labels = named[1] if named else ""
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#")) + "\n"
    if "," in labels:
        text += "process:Nowhere\nlocation:Nowhere:here{initial:}\nlocation:Nowhere:there{labels: never}\n"
        labels = "never"
    return text, labels.replace(":", ",")


asked = {}


def ours(path, labels, options):
    key = (path, labels, options)
    if key not in asked:
        used = measured([a.entail, "check", path, "--reach", labels, "--json", "--timeout", "60s", *options], 60)
        answer = first_answer(used.text)
        asked[key] = ({"holds": "true", "fails": "false"}.get(answer["verdict"], answer["verdict"]), (answer.get("statistics") or {}).get("zones"))
    return asked[key]


class Row:
    def __init__(self):
        self.records = self.apart = self.equal = self.fewer = self.more = self.verdicts = self.ours = self.theirs = 0

    def add(self, own, record, same_verdict=True):
        if same_verdict == "apart":
            self.apart += 1
            return
        self.records += 1
        self.verdicts += not same_verdict
        if own is None or not same_verdict:
            return
        self.equal += own == record
        self.fewer += own < record
        self.more += own > record
        self.ours += own
        self.theirs += record

    def line(self, name):
        return f"{name}\t{self.records}\t{self.verdicts}\t{self.equal}\t{self.fewer}\t{self.more}\t{self.ours}\t{self.theirs}\t{self.apart}"


HEAD = "\trecords\tverdicts differ\tequal\tfewer\tmore\tours in total\ttheirs\tapart"


def covreach():
    print("test/covreach, stored symbolic states" + HEAD)
    total, kinds = Row(), collections.defaultdict(Row)
    for base, records in models("covreach").items():
        text, labels = model_of("covreach", base)
        row = Row()
        with tempfile.NamedTemporaryFile("w", suffix=".tck") as file:
            file.write(text)
            file.flush()
            for name, said in records:
                parts = re.fullmatch(r"(\w+?)_(async_zg|zg)_(elapsed|non-elapsed)_([\w+]+)_(bfs|dfs)", name)
                verdict, stored = re.search(r"^REACHABLE (\w+)", said, re.M), re.search(r"^STORED_NODES (\d+)", said, re.M)
                if not parts or not verdict or not stored:
                    continue
                cover, graph, semantics, extrapolation, order = parts.groups()
                (extrapolation, first), (cover, second) = split(extrapolation), split(cover)
                bounds = first if first == second or second is None else second if first is None else "local"
                options = ["--order", order]
                if graph == "async_zg":
                    options += ["--local-time"]
                else:
                    options += ["--cover", COVERS[cover], "--extrapolation", EXTRAPOLATIONS[extrapolation], "--bounds", bounds or "local"]
                own, count = ours(file.name, labels, tuple(options))
                for each in (row, total, kinds[f"{graph} {semantics} {cover}"], kinds[f"found {verdict[1]}"]):
                    each.add(count, int(stored[1]), own == verdict[1])
                if a.details and (own, count) != (verdict[1], int(stored[1])):
                    print(f"  {base} {name}: {own} {count}, record {verdict[1]} {stored[1]}")
        print(row.line(base), flush=True)
    for kind, row in sorted(kinds.items()):
        print(row.line(kind))
    print(total.line("all"))


def explore():
    print("test/explore, nodes of zone graphs" + HEAD)
    total, kinds = Row(), collections.defaultdict(Row)
    for base, records in models("explore").items():
        text, _ = model_of("explore", base)
        row = Row()
        with tempfile.NamedTemporaryFile("w", suffix=".tck") as file:
            file.write(text)
            file.flush()
            said = measured([a.graphs, file.name], 600).text
            counts = {tuple(line.split("\t")[:3]): int(line.split("\t")[3]) for line in said.splitlines() if line.count("\t") == 3 and line.split("\t")[3].isdigit()}
        if not counts:
            print(f"{base}: {said.strip()[:200]}")
        zones = [(name, re.findall(r"^\d+: +<([^>]*)> *([^()]*)", said, re.M)) for name, said in records if name.startswith("zg_")]
        only_discrete = all(len(set(nodes)) == len(nodes) for _, nodes in zones) and max(counts.values(), default=0) > max(len(nodes) for _, nodes in zones)
        for name, said in records:
            parts = re.fullmatch(r"zg_(elapsed|non-elapsed)_([\w+]+)_(bfs|dfs)", name)
            if not parts:
                continue
            semantics, (extrapolation, bounds), _ = parts[1], split(parts[2]), parts[3]
            nodes = len(re.findall(r"^\d+: ", said, re.M))
            own = counts.get((semantics, EXTRAPOLATIONS[extrapolation], bounds))
            for each in (row, total, kinds[f"{bounds} bounds"], kinds[semantics]):
                each.add(own, nodes, "apart" if only_discrete else True)
            if a.details and own != nodes and not only_discrete:
                print(f"  {base} {name}: {own}, record {nodes}")
        print(row.line(base), flush=True)
    for kind, row in sorted(kinds.items()):
        print(row.line(kind))
    print(total.line("all"))


covreach()
if a.graphs:
    print()
    explore()
