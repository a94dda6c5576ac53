#!/usr/bin/env python3
"""Count how many verdicts come with evidence that was checked again in full.

usage: checked_share.py [--entail target/release/entail] [--timeout 20] [--options "..."] [--show] [--tsv FILE] [AREA_OR_FILE ...]

Runs `entail check MODEL --json` on every model of the areas ($ENTAIL_BENCH/smv and $ENTAIL_BENCH/promela by default; $ENTAIL_BENCH
defaults to ../shared/bench from the project's root) and prints, for each area and for each kind of evidence, the verdicts and how
many of them say `"checked": true`; with --show also every verdict that does not, with what was left unchecked; with --tsv a line for
each verdict, to compare two builds. Models that are no input of Entail's are counted and passed over. Nothing is asserted.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENDINGS = (".smv", ".pml", ".prom", ".promela", ".pm", ".spin")


def models(place):
    if os.path.isfile(place):
        yield place
        return
    for folder, _, files in sorted(os.walk(place)):
        for name in sorted(files):
            if name.endswith(ENDINGS):
                yield os.path.join(folder, name)


def verdicts(entail, model, timeout, options):
    """The properties of a model that have a verdict; nothing if it could not be read."""
    command = [entail, "check", model, "--json", "--timeout", f"{timeout}s", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=3 * timeout + 30)
        properties = json.loads(done.stdout)["properties"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None
    return [found for found in properties if found["verdict"] in ("holds", "fails")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="*")
    parser.add_argument("--entail", default=os.path.join(ROOT, "target/release/entail"))
    parser.add_argument("--timeout", type=int, default=20)
    parser.add_argument("--options", default="")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--tsv")
    given = parser.parse_args()
    bench = os.environ.get("ENTAIL_BENCH", os.path.join(ROOT, "../shared/bench"))
    places = given.places or [os.path.join(bench, "smv"), os.path.join(bench, "promela")]
    rows = open(given.tsv, "w") if given.tsv else None
    for place in places:
        total, checked = collections.Counter(), collections.Counter()
        unread, begun = 0, time.time()
        for model in models(place):
            found = verdicts(given.entail, model, given.timeout, given.options.split())
            if found is None:
                unread += 1
                continue
            for answer in found:
                evidence = answer.get("evidence") or {}
                kind = f'{answer["logic"]} {answer["verdict"]} {answer["engine"]} {evidence.get("kind")}'
                is_checked = evidence.get("checked") is True
                total[kind] += 1
                checked[kind] += is_checked
                name = os.path.relpath(model, place) if os.path.isdir(place) else model
                row = [name, answer["formula"].replace("\t", " ").replace("\n", " "), kind, str(is_checked), f'{answer["seconds"]:.3f}']
                if rows:
                    print("\t".join(row), file=rows, flush=True)
                if given.show and not is_checked:
                    print("  not checked:", row[0], kind, row[1][:60], row[4], evidence.get("unchecked"))
        for kind in sorted(total, key=lambda kind: checked[kind] - total[kind]):
            print(f"  {checked[kind]:5} of {total[kind]:5}  {kind}")
        share = 100 * sum(checked.values()) / max(1, sum(total.values()))
        print(f"{place}: {sum(checked.values())} of {sum(total.values())} verdicts checked ({share:.1f} %), "
              f"{unread} files not read, {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
