#!/usr/bin/env python3
"""Random runs by one and by two threads: seconds, steps a second, and the ratio.

usage: smc.py ENTAIL [MODEL QUERY] [--runs 3]
Without a model, the arrivals of the examples are asked with 200,000 runs. Nothing else should run on the machine. Of several runs the best counts; answers are compared.
"""
import argparse, json, os
from measured import first_answer, measured

a = argparse.ArgumentParser()
a.add_argument("entail")
a.add_argument("model", nargs="?", default=os.path.join(os.path.dirname(__file__), "../../examples/timed/arrivals.xml"))
a.add_argument("query", nargs="?", default="Pr[<=100; 200000](<> Queue.Lost)")
a.add_argument("--runs", type=int, default=3)
a = a.parse_args()


def asked(threads):
    command = [a.entail, "check", a.model, "--spec", a.query, "--engine", "statistical", "--threads", str(threads), "--json", "--timeout", "120s"]
    best = min((measured(command, 120) for _ in range(a.runs)), key=lambda used: used.wall)
    answers = [one for one in json.loads(best.text)["properties"] if one.get("formula", one.get("text", "")) == a.query]
    return best, (answers or [first_answer(best.text)])[0]


(one, first), (two, second) = asked(1), asked(2)
steps = (first.get("statistics") or {}).get("steps") or 0
print("threads\tseconds\tsteps a second\tverdict\tvalue")
for threads, used, answer in ((1, one, first), (2, two, second)):
    print(f"{threads}\t{used.wall:.2f}\t{steps / used.wall:.0f}\t{answer.get('verdict')}\t{answer.get('value')}")
print(f"ratio\t{one.wall / two.wall:.2f}")
