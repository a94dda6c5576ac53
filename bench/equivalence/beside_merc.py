#!/usr/bin/env python3
"""Minimisation beside merc (https://github.com/MERCorg/merc), whole programs, reading included.

    cargo build --release -p entail-cli && cargo build --release -p entail-equivalence --example minimise
    python3 bench/equivalence/beside_merc.py [TRANSITIONS [PROFILE]]

merc-lts is looked for on PATH or in $MERC. Seconds are processor seconds of one run each; Entail's include the check of its partition. Merc does not
check. The numbers of classes must agree.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FAMILIES = ["random", "sparse", "silent", "queues", "tree", "stairs"]
RELATIONS = {"strong": "strong-bisim", "branching": "branching-bisim"}
LIMIT = 600


def cpu_seconds(command):
    """Runs a command; its output and what it used, or nothing if it took too long."""
    before = os.times()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, None
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return done.stdout + done.stderr, used


def header(path):
    """The number of states that the first line of an .aut file tells."""
    try:
        with open(path) as file:
            return int(re.findall(r"\d+", file.readline())[2])
    except (OSError, IndexError):
        return None


def main():
    size = sys.argv[1] if len(sys.argv) > 1 else "1e6"
    profile = sys.argv[2] if len(sys.argv) > 2 else "release"
    entail, generator = f"target/{profile}/entail", f"target/{profile}/examples/minimise"
    merc = os.environ.get("MERC") or shutil.which("merc-lts")
    if not merc:
        print("merc-lts: missing")
    print("| family | relation | transitions | classes | Entail: find s | whole s | merc whole s | ratio |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for family in FAMILIES:
            path = os.path.join(folder, f"{family}.aut")
            subprocess.run([generator, family, size, path], check=True)
            for relation, peer in RELATIONS.items():
                out = os.path.join(folder, "out.aut")
                text, ours = cpu_seconds([entail, "minimize", path, out, "--relation", relation, "--json"])
                result = json.loads(text) if text else None
                theirs, agrees = None, ""
                if merc:
                    peer_out = os.path.join(folder, "peer.aut")
                    if os.path.exists(peer_out):
                        os.remove(peer_out)
                    _, theirs = cpu_seconds([merc, "reduce", peer, path, peer_out])
                    classes = header(peer_out)
                    if result and classes is not None and classes != result["after"]["states"]:
                        agrees = f" (merc: {classes})"
                shown = lambda value: "-" if value is None else f"{value:.2f}"
                ratio = ours / theirs if ours and theirs else None
                print(
                    f"| {family} | {relation} | {result['before']['transitions'] if result else '-'} "
                    f"| {result['after']['states'] if result else '-'}{agrees} | {shown(result and result['seconds'])} "
                    f"| {shown(ours)} | {shown(theirs)} | {shown(ratio)} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
