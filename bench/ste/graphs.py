#!/usr/bin/env python3
"""Assertion graphs about a memory and a shift register: seconds of fixpoints, checking included, as they grow.

usage: graphs.py ENTAIL [--limit SECONDS] [--width BITS]

Memory: what is written at an address stays until the address is written again, in log2(words) + 3 edges and width + log2(words) variables. Shift register: what is put in comes out after as many
steps as there are places, in one edge a place. Times are CPU seconds of the whole program; nothing is asserted. Trajectory evaluation by itself proves each length of the first only.
"""
import argparse, os, tempfile
from memory import Bench

parser = argparse.ArgumentParser()
parser.add_argument("entail")
parser.add_argument("--limit", type=float, default=120)
parser.add_argument("--width", type=int, default=32)


def stays(address, width):
    other = "".join(f"  kept -> kept: we is 1 and addr[{bit}] is !a[{bit}];\n" for bit in range(address))
    return (f"var a[{address}], d[{width}];\ngraph stays {{\n  start -> kept: we is 1 and addr is a and data is d;\n  kept -> kept: we is 0;\n{other}"
            "  kept -> read: addr is a => out is d;\n}\n")


def shift_register(places, width):
    lines = [f"1 sort bitvec {width}", "2 input 1 in"]
    lines += [f"{3 + place} state 1 r{place}" for place in range(places)]
    lines += [f"{3 + places + place} next 1 {3 + place} {2 + place}" for place in range(places)]
    text = f"var d[{width}];\ngraph passes {{\n  v0 -> v1: in is d;\n"
    text += "".join(f"  v{place} -> v{place + 1}: true;\n" for place in range(1, places))
    text += f"  v{places} -> out: true => r{places - 1} is d;\n  out -> v0: true;\n}}\n"
    return "\n".join(lines) + "\n", text


if __name__ == "__main__":
    bench = Bench(parser.parse_args())
    print("| circuit | variables | edges | verdict | seconds |\n|---|---:|---:|---|---:|")
    for address in [4, 6, 8, 10]:
        width = bench.options.width
        verdict, seconds = bench.ask(bench.memory(address), stays(address, width), "bdd")
        print(f"| memory of {2 ** address} words | {address + width} | {address + 3} | {verdict} | {seconds:.2f} |", flush=True)
    for places in [16, 64, 256]:
        circuit, text = shift_register(places, bench.options.width)
        path = bench.written(f"shift{places}.btor2", circuit)
        verdict, seconds = bench.ask(path, text, "bdd")
        print(f"| shift register of {places} places | {bench.options.width} | {places + 2} | {verdict} | {seconds:.2f} |", flush=True)
