#!/usr/bin/env python3
"""Memory for states and speed of threads, beside SPIN's collapse compression. No reduction on either side.

usage: storage.py ENTAIL BENCH [--models leader,cambridge] [--threads 1,2] [--rounds 2]
       storage.py ENTAIL --large STATES [--storage tree] [--threads 2]
The first prints bytes a state in all: of SPIN the memory for states and the hash table (2^20 slots or more, as many as states at least), of Entail the memory of the store (index
and parents included); and seconds of wall clock for each number of threads, the best of the rounds. The second generates a model with about that many states and searches it.
"""
import argparse, json, os, re, resource, subprocess, tempfile, time
MODELS = {"leader": "spin/Examples/LTL/leader.pml", "cambridge": "spin/Examples/cambridge.pml", "peterson3": "ltsmin/examples/peterson3.pml",
          "dtp": "spin/Examples/dtp.pml", "pftp": "spin/Examples/LTL/pftp.pml", "p329": "spin/Examples/Book_1991/p329.pml",
          "eeaean1": "spot/bench/emptchk/models/eeaean1.pml"}
a = argparse.ArgumentParser(); a.add_argument("entail"); a.add_argument("bench", nargs="?")
a.add_argument("--models", default=",".join(MODELS)); a.add_argument("--threads", default="1,2"); a.add_argument("--rounds", type=int, default=2)
a.add_argument("--large", type=int); a.add_argument("--storage", default="exact,tree"); a = a.parse_args()
entail = os.path.abspath(a.entail)

def ours(model, storage, threads):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.time()
    run = subprocess.run([entail, "check", model, "--property", "1", "--no-reduction", "--json", "--storage", storage, "--threads", str(threads)], capture_output=True, text=True)
    wall = time.time() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    document = json.loads(run.stdout); answer = document["properties"][0]
    return answer, wall, cpu, document["peak_memory_bytes"]

def spin(model):
    """Bytes a state with collapse compression: states and table."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cp", "-r", os.path.dirname(os.path.abspath(model)) + "/.", folder])
        name = os.path.basename(model)
        subprocess.run(["spin", "-a", name], cwd=folder, capture_output=True)
        subprocess.run(["gcc", "-w", "-O2", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DCOLLAPSE", "-o", "pan", "pan.c"], cwd=folder)
        run = subprocess.run(["./pan", "-m1000000", "-w20"], cwd=folder, capture_output=True, text=True).stdout
        states = int(re.search(r"(\d+) states, stored", run).group(1))
        found = re.search(r"([\d.]+)\s+actual memory usage for states", run)
        if not found: return None, states
        # A slot is eight bytes; SPIN advises as many slots as states.
        return (float(found.group(1)) * 2**20 + 8 * states) / states, states

if a.large:
    side = round(a.large ** (1 / 3))
    with tempfile.NamedTemporaryFile("w", suffix=".pml") as file:
        file.write("short a, b, c;\n")
        for name in "abc": file.write(f"active proctype p{name}() {{ end: do :: atomic {{ {name} < {side - 1} -> {name} = {name} + 1 }} od }}\n")
        file.flush()
        for storage in a.storage.split(","):
            answer, wall, cpu, peak = ours(file.name, storage, a.threads.split(",")[-1]); s = answer["statistics"]
            print(f"{side}^3 = {side ** 3} states, {storage}: {answer['verdict']}, {s['states']} states, {wall:.1f} s, {cpu:.1f} s CPU, {s['state_bytes'] / s['states']:.1f} bytes a state, peak {peak / 2**30:.2f} GiB", flush=True)
else:
    threads = [int(t) for t in a.threads.split(",")]
    print("| model | states | SPIN -DCOLLAPSE | exact | tree | seconds on " + ", ".join(map(str, threads)) + " threads: exact | tree |\n|---|---|---|---|---|---|---|")
    for name in a.models.split(","):
        model = os.path.join(a.bench, MODELS[name]); theirs, states = spin(model); cells = []; times = []
        for storage in ["exact", "tree"]:
            row = []
            for t in threads:
                runs = [ours(model, storage, t) for _ in range(a.rounds)]
                s = runs[0][0]["statistics"]; row.append(min(wall for _, wall, _, _ in runs))
                note = "" if s["states"] == states else f" ({s['states']} states!)"
            cells.append(f"{s['state_bytes'] / s['states']:.1f}{note}"); times.append(", ".join(f"{t:.2f}" for t in row))
        print(f"| {name} | {states} | {theirs:.1f} | {cells[0]} | {cells[1]} | {times[0]} | {times[1]} |" if theirs else f"| {name} | {states} | ? | {cells[0]} | {cells[1]} | {times[0]} | {times[1]} |", flush=True)
