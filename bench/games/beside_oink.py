#!/usr/bin/env python3
"""Entail beside Oink on parity games: reading included, processor time (of all threads), one run each.

usage: beside_oink.py ENTAIL OINK [FOLDER…] [--random 1000,10000,100000,1000000] [--tools FOLDER] [--timeout 60]
Games of the folders (files that begin with `parity`), and random games of the given sizes (out-degree 1 to 5, priorities up to the square root of the
size, seeds fixed). With the folder of Oink's generators (built from its src/tools) also its hard families: two-counters (tc, tc+) and counter_*, of several sizes. Each group: seconds of `entail solve` (solving, then checking the solution), of `entail check --no-certify` (solving alone), and of Oink with several solvers; the
last column is the ratio of Entail's solving to Oink's tangle learning. Winners are compared.
"""
import argparse, os, random, resource, subprocess, sys, tempfile

a = argparse.ArgumentParser()
a.add_argument("entail"); a.add_argument("oink"); a.add_argument("folders", nargs="*")
a.add_argument("--random", default="1000,10000,100000,1000000"); a.add_argument("--timeout", type=float, default=60)
a.add_argument("--solvers", default="tl,zlk,fpi,npp"); a.add_argument("--tools")
a = a.parse_args()

def write_random(path, size, seed):
    rng = random.Random(seed); top = max(2, int(size ** 0.5))
    with open(path, "w") as out:
        out.write(f"parity {size - 1};\n")
        for v in range(size):
            row = ",".join(str(rng.randrange(size)) for _ in range(rng.randint(1, 5)))
            out.write(f"{v} {rng.randrange(top)} {rng.randrange(2)} {row};\n")

def used():
    r = resource.getrusage(resource.RUSAGE_CHILDREN); return r.ru_utime + r.ru_stime

def timed(command):
    begun = used()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=a.timeout)
        return used() - begun, done
    except subprocess.TimeoutExpired:
        return None, None

def winners(path):
    return dict((int(x[0]), int(x[1])) for x in (l.rstrip(";\n").split() for l in open(path)) if len(x) >= 2 and x[0].isdigit())

groups = []
for folder in a.folders:
    names = sorted(os.path.join(r, f) for r, _, fs in os.walk(folder) for f in fs)
    groups.append((os.path.basename(folder.rstrip("/")), [n for n in names if open(n, errors="replace").read(400).lstrip().startswith("parity")]))
made = tempfile.mkdtemp()
for size in [int(s) for s in a.random.split(",") if s]:
    games = []
    for seed in range(3 if size <= 100000 else 1):
        path = os.path.join(made, f"random{size}_{seed}.pg"); write_random(path, size, seed); games.append(path)
    groups.append((f"random {size}", games))
FAMILIES = {"tc": (4, 8, 12), "tc+": (4, 8, 12), "counter_m": (5, 10, 20), "counter_dp": (5, 10, 20), "counter_core": (5, 10, 20), "counter_ortl": (5, 10, 20),
            "counter_qpt": (5, 10, 20), "counter_rr": (5, 10, 20), "counter_symsi": (4, 8, 12), "counter_rob": (5, 10, 20)}
for family, sizes in FAMILIES.items() if a.tools else []:
    games = []
    for size in sizes:
        try: text = subprocess.run([os.path.join(a.tools, family), str(size)], capture_output=True, text=True, timeout=20).stdout
        except (OSError, subprocess.TimeoutExpired): continue
        if text.startswith("parity"):
            path = os.path.join(made, f"{family}_{size}.pg"); open(path, "w").write(text); games.append(path)
    if games: groups.append((family, games))
solvers = a.solvers.split(",")
print("\t".join(["group", "games", "entail", "entail+check"] + [f"oink --{s}" for s in solvers] + ["ratio"]))
total = dict.fromkeys(["entail", "checked"] + solvers, 0.0)
for name, games in groups:
    row = dict.fromkeys(total, 0.0)
    for game in games:
        sol, peer = os.path.join(made, "e.sol"), os.path.join(made, "o.sol")
        seconds, _ = timed([a.entail, "check", game, "--no-certify", "--json"]); row["entail"] += seconds or a.timeout
        seconds, done = timed([a.entail, "solve", game, "-o", sol]); row["checked"] += seconds or a.timeout
        if done is None or done.returncode != 0: print("entail:", game, (done.stderr if done else "time")[:200], file=sys.stderr)
        for s in solvers:
            seconds, done2 = timed([a.oink, f"--{s}", game, peer]); row[s] += seconds or a.timeout
        if done is not None and done.returncode == 0 and os.path.exists(peer) and winners(sol) != winners(peer): print("DIFFERENT", game)
    for k in total: total[k] += row[k]
    print("\t".join([name, str(len(games)), f"{row['entail']:.2f}", f"{row['checked']:.2f}"] + [f"{row[s]:.2f}" for s in solvers] + [f"{row['entail'] / max(row[solvers[0]], 1e-9):.2f}"]), flush=True)
print("\t".join(["total", "", f"{total['entail']:.2f}", f"{total['checked']:.2f}"] + [f"{total[s]:.2f}" for s in solvers] + [f"{total['entail'] / max(min(total[s] for s in solvers), 1e-9):.2f}"]))
