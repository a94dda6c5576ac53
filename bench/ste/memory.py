#!/usr/bin/env python3
"""Reading a memory, by an index and directly: seconds of trajectory evaluation, checking included, as the memory grows.

usage: memory.py ENTAIL [--limit SECONDS] [--width BITS]

Each memory is a BTOR2 array with one port. Indexed: `addr is a and all i: a == i -> mem[i] is d => out is d`, with width + log2(words) variables. Direct: every word has variables of its own. Times are CPU
seconds of the whole program, with both engines; nothing is asserted.
"""
import argparse, json, os, resource, subprocess, tempfile

parser = argparse.ArgumentParser()
parser.add_argument("entail")
parser.add_argument("--limit", type=float, default=120)
parser.add_argument("--width", type=int, default=32)


class Bench:
    """Circuits and questions in a folder of their own."""

    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="entail-ste-")

    def written(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def memory(self, address):
        lines = ["1 sort bitvec 1", f"2 sort bitvec {address}", f"3 sort bitvec {self.options.width}", "4 sort array 2 3", "5 input 2 addr", "6 input 3 data", "7 input 1 we",
                 "8 state 4 mem", "9 read 3 8 5", "10 output 9 out", "11 write 4 8 5 6", "12 ite 4 7 11 8", "13 next 4 8 12"]
        return self.written(f"memory{address}.btor2", "\n".join(lines) + "\n")

    def ask(self, circuit, text, engine):
        path = self.written("read.ste", text)
        limit = self.options.limit
        command = [self.options.entail, "ste", circuit, path, "--engine", engine, "--json", "--recheck", "--timeout", f"{limit}s"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=limit * 2).stdout
            answer = json.loads(output)["properties"][0]
            verdict = answer["verdict"] + (", checked" if (answer.get("evidence") or {}).get("checked") else "")
        except (subprocess.TimeoutExpired, ValueError, KeyError, IndexError):
            verdict = "no answer"
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return verdict, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def indexed(address, width):
    last = 2 ** address - 1
    return f"var a[{address}], d[{width}];\nindexed p: addr is a and all i in 0..{last}: a == i -> mem[i] is d => out is d;\n"


def direct(address, width):
    words = range(2 ** address)
    names = ", ".join(f"d{i}[{width}]" for i in words)
    driven = " and ".join(f"mem[{i}] is d{i}" for i in words)
    value = "".join(f"a == {i} ? d{i} : (" for i in words[:-1]) + f"d{words[-1]}" + ")" * (len(words) - 1)
    return f"var a[{address}], {names};\np: addr is a and {driven} => out is {value};\n"


if __name__ == "__main__":
    bench = Bench(parser.parse_args())
    width = bench.options.width
    print("| words | form | variables | engine | verdict | seconds |\n|---:|---|---:|---|---|---:|")
    for address in [4, 6, 8, 10]:
        for form, text, variables in [("indexed", indexed(address, width), address + width), ("direct", direct(address, width), address + 2 ** address * width)]:
            if form == "direct" and address > 6:
                continue
            for engine in ["bdd", "sat"]:
                verdict, seconds = bench.ask(bench.memory(address), text, engine)
                print(f"| {2 ** address} | {form} | {variables} | {engine} | {verdict} | {seconds:.2f} |", flush=True)
