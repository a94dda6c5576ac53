#!/usr/bin/env python3
"""Covering reachability and liveness beside TChecker: CPU time, peak memory, stored symbolic states, verdicts.

usage: run.py ENTAIL TCK_REACH TCK_LIVENESS FOLDER [--timeout 60]
Every .tck file under FOLDER is asked for its first labels, one run each, alternately; the table has a row a question and the totals last.
"""
import argparse, os, re
from measured import first_answer, measured
a = argparse.ArgumentParser()
for name in ("entail", "reach", "liveness", "folder"):
    a.add_argument(name)
a.add_argument("--timeout", type=int, default=60)
a = a.parse_args()


def number(text, name):
    m = re.search(rf"^{name} (\d+)", text, re.M)
    return int(m[1]) if m else None


rows, total = [], {}
print("model\tquestion\tours s\tMB\tstored\tbest peer s\tits MB\tits stored\tverdicts")
for folder, _, files in os.walk(a.folder):
    for file in sorted(f for f in files if f.endswith(".tck")):
        path = os.path.join(folder, file)
        labels = []
        for line in open(path):
            m = re.search(r"labels:\s*([\w, ]+)", line)
            labels += [l.strip() for l in m[1].split(",")] if m else []
        labels = list(dict.fromkeys(l for l in labels if l))
        if not labels:
            continue
        for kind, asked in (("reach", ",".join(labels[:2])), ("liveness", labels[0])):
            mine, _, memory, text = measured([a.entail, "check", path, f"--{kind}", asked, "--json", "--timeout", f"{a.timeout}s"], a.timeout)
            answer = first_answer(text)
            peers = []
            for algorithm in (("covreach", "aLU-covreach") if kind == "reach" else ("couvscc",)):
                program = a.reach if kind == "reach" else a.liveness
                t, _, megabytes, out = measured([program, "-a", algorithm, "-l", asked, path], a.timeout)
                verdict = re.search(r"^(?:REACHABLE|CYCLE) (\w+)", out, re.M)
                peers.append((t, megabytes, number(out, "STORED_STATES"), verdict[1] if verdict else "?"))
            best = min(peers)
            stored = min((p[2] for p in peers if p[2] is not None), default=None)
            ours = (answer.get("statistics") or {}).get("zones")
            print(f"{file}\t{kind} {asked}\t{mine:.3f}\t{memory:.0f}\t{ours}\t{best[0]:.3f}\t{best[1]:.0f}\t{stored}\t{answer['verdict']}/{best[3]}", flush=True)
            t = total.setdefault(kind, [0.0, 0.0, 0, 0.0, 0.0])
            t[0] += mine; t[1] += best[0]; t[2] += 1; t[3] = max(t[3], memory); t[4] = max(t[4], best[1])
for kind, (mine, peer, count, memory, peer_memory) in total.items():
    print(f"{kind}: {count} questions, ours {mine:.2f} s, peer {peer:.2f} s, ratio {mine / max(peer, 1e-9):.2f}; peak {memory:.0f} MB, peer {peer_memory:.0f} MB")
