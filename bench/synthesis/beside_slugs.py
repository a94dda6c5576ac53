#!/usr/bin/env python3
"""Realizability of GR(1) specifications beside Slugs: verdicts and processor seconds of both, one after the other.

usage: beside_slugs.py ENTAIL SLUGS FOLDER [--timeout 60] [--certify]
Every .slugsin file under FOLDER is asked. Neither makes a machine; ours finds ranks, and with --certify has them judged, too. Slugs is github.com/VerifiableRobotics/slugs; what is written as structured slugs
is compiled by its compiler.py first.
"""
import argparse, os, re, resource, subprocess

a = argparse.ArgumentParser()
a.add_argument("entail")
a.add_argument("slugs")
a.add_argument("folder")
a.add_argument("--timeout", type=int, default=60)
a.add_argument("--certify", action="store_true")
a = a.parse_args()


def asked(command, good, bad):
    """The verdict, and the processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=a.timeout)
        said = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        said = ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    verdict = "no" if re.search(bad, said) else "yes" if re.search(good, said) else "?"
    return verdict, seconds


print("specification\tours\ts\tSlugs\ts")
total, apart = [0.0, 0.0], 0
for folder, _, files in sorted(os.walk(a.folder)):
    for file in sorted(f for f in files if f.endswith(".slugsin")):
        path = os.path.join(folder, file)
        judging = [] if a.certify else ["--no-certify"]
        ours, own = asked([a.entail, "check", path, *judging, "--timeout", f"{a.timeout}s"], r"(?m)^holds", r"(?m)^fails")
        theirs, other = asked([a.slugs, path], r"realizable", r"unrealizable")
        print(f"{file}\t{ours}\t{own:.2f}\t{theirs}\t{other:.2f}", flush=True)
        if "?" not in (ours, theirs):
            total = [total[0] + own, total[1] + other]
            apart += ours != theirs
print(f"both decided: {total[0]:.2f} and {total[1]:.2f} s; {apart} verdicts differ")
