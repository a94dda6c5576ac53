#!/usr/bin/env python3
"""Families of timed automata by size, beside TChecker: time, memory, stored symbolic states; the largest sizes solved; curves.

usage: growth.py ENTAIL TCK_REACH EXAMPLES [BENCHMARKS] [--timeout 60] [--families fischer,train_gate] [--most 20] [--processor 20] [--no-certify] [--svg curves.svg]
EXAMPLES is the folder with the generators of TChecker (`examples` of ticktac-project/tchecker), BENCHMARKS that of ticktac-project/benchmarks. Each family is asked for its first two labels (for one that is never
met, where it has none), size by size, by both programs, until each has given up at a size; the peer is the better of `covreach` and `aLU-covreach` at each size. Nothing else should run on the machine; where that cannot be had, --processor limits what a program uses of a processor instead of the time that passes.
"""
import argparse, math, os, re, subprocess, tempfile
from measured import first_answer, measured

a = argparse.ArgumentParser()
for name in ("entail", "reach", "examples"):
    a.add_argument(name)
a.add_argument("benchmarks", nargs="?")
a.add_argument("--timeout", type=int, default=60)
a.add_argument("--processor", type=int, help="seconds of a processor that a program may use; time itself is not limited then")
a.add_argument("--families", default="")
a.add_argument("--most", type=int, default=20, help="sizes of a family, at most")
a.add_argument("--no-certify", action="store_true", help="measure the search alone, as TChecker's is")
a.add_argument("--svg")
a = a.parse_args()
if a.processor:
    a.timeout = 100 * a.processor
limit = a.processor or a.timeout

# Name, generator, first size, arguments by size.
FAMILIES = [
    ("fischer", "{examples}/fischer.sh", 4, lambda n: [n]),
    ("fischer-async", "{examples}/fischer-async.sh", 3, lambda n: [n]),
    ("csmacd", "{examples}/csmacd.sh", 3, lambda n: [n]),
    ("fddi", "{examples}/fddi.sh", 3, lambda n: [n]),
    ("critical-region", "{examples}/critical-region.sh", 2, lambda n: [n]),
    ("corsso", "{examples}/corsso.sh", 2, lambda n: [n]),
    ("parallel", "{examples}/parallel.sh", 2, lambda n: [n]),
    ("train_gate", "{examples}/train_gate.sh", 2, lambda n: [n]),
    ("gps-mc", "{examples}/gps-mc.sh", 2, lambda n: [n, 2, 2, 10]),
    ("leader-election", "{examples}/leader-election.sh", 2, lambda n: [n, 4]),
    ("dining-philosophers", "{examples}/dining-philosophers.sh", 3, lambda n: [n]),
    ("arbiter_tree", "{benchmarks}/arbiter_tree/tchecker/arbiter_tree.sh", 1, lambda n: [n]),
    ("mutex", "{benchmarks}/mutex/tchecker/mutex.sh", 2, lambda n: [n]),
    ("sts", "{benchmarks}/sts/tchecker/sts.sh", 2, lambda n: [n]),
    ("schedulability", "{benchmarks}/schedulability/tchecker/scheduler.sh", 2, lambda n: [n]),
    # Instances by number, of 3, 5, 6 and 8 gates: whether the first is set within some time.
    ("rt-sat", "{benchmarks}/rt-sat/rt-sat-tchecker.py", 0, lambda n: ["unsat", n, "-b", 150]),
]


def number(text, name):
    found = re.search(rf"^{name} (\d+)", text, re.M)
    return int(found[1]) if found else None


def ours(path, labels):
    command = [a.entail, "check", path, "--reach", labels, "--json", "--timeout", f"{a.timeout}s"]
    used = measured(command + ["--no-certify"] * a.no_certify, a.timeout, a.processor)
    answer = first_answer(used.text)
    verdict = {"holds": "true", "fails": "false"}.get(answer["verdict"])
    return used, verdict, (answer.get("statistics") or {}).get("zones")


def peer(path, labels):
    runs = []
    for algorithm in ("covreach", "aLU-covreach"):
        used = measured(["timeout", str(a.timeout), a.reach, "-a", algorithm, "-l", labels, path], a.timeout, a.processor)
        verdict = re.search(r"^REACHABLE (\w+)", used.text, re.M)
        runs.append((used, verdict[1] if verdict else None, number(used.text, "STORED_STATES")))
    solved = [run for run in runs if run[1]]
    best = min(solved or runs, key=lambda run: run[0].cpu)
    return best[0], best[1], min((run[2] for run in solved if run[2]), default=None)


def curves(points):
    """Seconds by size, a picture a family, on a logarithmic axis."""
    width, height, left, top, across = 260, 190, 40, 24, 3
    rows = math.ceil(len(points) / across)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{across * width}" height="{rows * height}" font-family="sans-serif" font-size="10">']
    low, high = 0.01, max(limit, 1)
    for place, (family, sizes) in enumerate(points.items()):
        x0, y0 = place % across * width + left, place // across * height + top
        w, h = width - left - 16, height - top - 34
        least, most = min(sizes), max(max(sizes), min(sizes) + 1)
        at = lambda size, seconds: (x0 + w * (size - least) / (most - least), y0 + h - h * math.log(max(seconds, low) / low) / math.log(high / low))
        out.append(f'<text x="{x0}" y="{y0 - 8}" font-size="12">{family}</text><rect x="{x0}" y="{y0}" width="{w}" height="{h}" fill="none" stroke="#999"/>')
        for seconds in (0.01, 0.1, 1, 10, 100):
            if seconds <= high:
                y = at(least, seconds)[1]
                out.append(f'<text x="{x0 - 4}" y="{y + 3}" text-anchor="end">{seconds:g}</text><line x1="{x0}" x2="{x0 + w}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        for size in list(sizes)[:: math.ceil(len(sizes) / 12)]:
            out.append(f'<text x="{at(size, low)[0]}" y="{y0 + h + 12}" text-anchor="middle">{size}</text>')
        for which, colour in ((0, "#0b62a4"), (1, "#c03a2b")):
            line = [at(size, row[which]) for size, row in sizes.items() if row[which] is not None]
            out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in line)}"/>')
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colour}"/>' for x, y in line]
    out.append(f'<text x="{left}" y="{rows * height - 6}">seconds by size: Entail blue, TChecker red</text></svg>')
    return "\n".join(out) + "\n"


wanted = set(filter(None, a.families.split(",")))
points, largest, total = {}, {}, [0.0, 0.0, 0.0, 0.0]
print("family\tsize\tours s\tMB\tstored\tTChecker s\tMB\tstored\tverdicts")
for family, script, first, arguments in FAMILIES:
    script = script.format(examples=a.examples, benchmarks=a.benchmarks or "")
    if wanted and family not in wanted or not os.path.exists(script):
        continue
    alive = [True, True]
    for size in range(first, first + a.most):
        shell = "python3" if script.endswith(".py") else "bash"
        text = subprocess.run([shell, script, *map(str, arguments(size))], capture_output=True, text=True).stdout
        if not text.strip():
            break
        named = re.findall(r"labels:\s*([\w, ]+)", text)
        labels = list(dict.fromkeys(l.strip() for one in named for l in one.split(",") if l.strip()))[:2]
        if not labels:
            # Everything is explored in search of a label that is never met.
            text += "\nprocess:Nowhere\nlocation:Nowhere:here{initial:}\nlocation:Nowhere:there{labels: never}\n"
            labels = ["never"]
        with tempfile.NamedTemporaryFile("w", suffix=".tck") as model:
            model.write(text)
            model.flush()
            answers = [ask(model.name, ",".join(labels)) if alive[which] else None for which, ask in enumerate((ours, peer))]
        shown = [family, str(size)]
        for which, answer in enumerate(answers):
            used, verdict, stored = answer or (None, None, None)
            alive[which] = verdict is not None
            shown += [f"{used.cpu:.2f}", f"{used.megabytes:.0f}", str(stored)] if verdict else ["–", "–", "–"]
            points.setdefault(family, {}).setdefault(size, [None, None])[which] = used.cpu if verdict else None
            if verdict:
                largest.setdefault(family, [None, None])[which] = size
        verdicts = [answer[1] if answer else None for answer in answers]
        print("\t".join(shown + ["/".join(map(str, verdicts))]), flush=True)
        if all(verdicts):
            assert verdicts[0] == verdicts[1], "the verdicts differ"
            for which, answer in enumerate(answers):
                total[which] += answer[0].cpu
                total[2 + which] += answer[0].megabytes
        if not any(alive):
            break
print(f"\nlargest size within {limit} s{' of a processor' if a.processor else ''}:")
for family, sizes in largest.items():
    print(f"{family}\t{sizes[0]}\t{sizes[1]}")
further = sum(1 for one, other in largest.values() if one is not None and (other is None or one > other))
print(f"further than TChecker: {further} of {len(largest)} families; where both answered: time {total[0] / max(total[1], 1e-9):.2f}, memory {total[2] / max(total[3], 1e-9):.2f} of TChecker's")
if a.svg and points:
    open(a.svg, "w").write(curves(points))
