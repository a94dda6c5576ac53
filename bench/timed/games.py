#!/usr/bin/env python3
"""Timed games and least costs: CPU time, peak memory and verdicts of families that grow. No peer reads both the games and the queries here; the table is for comparing versions.

usage: games.py ENTAIL [--timeout 30]
Trains that come when they like (uncontrollable edges) and a gate that may stop them in time and let them go: mutual exclusion as a safety game, getting all of them across as a reachability game; and
aircraft that land on one runway at the least cost.
"""
import argparse, tempfile
from measured import first_answer, measured

a = argparse.ArgumentParser()
a.add_argument("entail")
a.add_argument("--timeout", type=int, default=30)
a = a.parse_args()

TRAINS = """const int N = %d;
typedef int[0, N - 1] id_t;
chan stop[id_t], go[id_t];
process Train(const id_t id) {
	clock x;
	state Safe, Appr { x <= 20 }, Stopped, Start { x <= 15 }, Cross { x <= 5 }, Gone;
	init Safe;
	trans
		Safe -u-> Appr { assign x = 0; },
		Appr -> Stopped { guard x <= 10; sync stop[id]?; },
		Appr -u-> Cross { guard x >= 10; assign x = 0; },
		Stopped -> Start { sync go[id]?; assign x = 0; },
		Start -u-> Cross { guard x >= 7; assign x = 0; },
		Cross -u-> %s { guard x >= 3; };
}
process Gate() {
	state Idle;
	init Idle;
	trans
		Idle -> Idle { select e : id_t; sync stop[e]!; },
		Idle -> Idle { select e : id_t; sync go[e]!; };
}
system Train, Gate;
"""
ALONE = "forall (i : id_t) forall (j : id_t) Train(i).Cross && Train(j).Cross imply i == j"
PLANES = """const int N = %d;
typedef int[0, N - 1] id_t;
chan land;
clock x;
process Plane(const id_t id) {
	state Approaching { x <= 5 + id }, Landed { x <= 5 + id && cost' == 2 + id }, Delayed { x <= 9 + 4 * id && cost' == 3 }, Done;
	init Approaching;
	trans
		Approaching -> Landed { guard x >= 1; sync land!; },
		Approaching -> Delayed { guard x == 5 + id; assign cost += 1; },
		Landed -> Done { guard x == 5 + id; },
		Delayed -> Done { sync land!; };
}
process Runway() {
	clock z;
	state Free, Used;
	init Free;
	trans
		Free -> Used { sync land?; assign z = 0; },
		Used -> Used { guard z >= 3; sync land?; assign z = 0; };
}
system Plane, Runway;
"""


def run(name, text, spec, options):
    with tempfile.NamedTemporaryFile("w", suffix=".xta") as model:
        model.write(text)
        model.flush()
        used = measured([a.entail, "check", model.name, "--spec", spec, "--json", "--timeout", f"{a.timeout}s", *options], a.timeout)
    answer = first_answer(used.text)
    value = (answer.get("value") or {}).get("exact", "")
    checked = (answer.get("evidence") or {}).get("checked")
    print(f"{name}\t{answer['verdict']} {value}\t{checked}\t{used.cpu:.2f}\t{used.megabytes:.0f}", flush=True)
    return answer["verdict"] != "unknown"


print("family\tverdict\tchecked\tCPU s\tMB")
families = [
    ("trains, kept apart", lambda n: (TRAINS % (n, "Safe"), f"control: A[] {ALONE}", []), range(2, 7)),
    ("trains, all gone", lambda n: (TRAINS % (n, "Gone"), f"control: A[ ({ALONE}) W (forall (i : id_t) Train(i).Gone) ]", []), range(2, 7)),
    ("landing", lambda n: (PLANES % n, "E<> forall (i : id_t) Plane(i).Done", ["--optimal", "cost"]), range(2, 9)),
]
for name, make, sizes in families:
    for n in sizes:
        if not run(f"{name} {n}", *make(n)):
            break
