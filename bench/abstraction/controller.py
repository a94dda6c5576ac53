#!/usr/bin/env python3
"""A small controller beside n-bit datapaths, as BTOR2 and as SMV.

usage: controller.py OUT [--widths 8,16,32] [--variants control,data,false,multiplier] [--formats btor2,smv]

Two clients want a shared unit. A word `a` is loaded from an input, mixed with `b` for a few steps, and comparisons of the words decide how
long that takes and who is served; so every bit of these words is in the cone of influence of the property.

  control     safe whatever the words say: the proof is about the controller alone
  data        safe by the controller and the lowest four bits of two words, which carry a tag
  false       unsafe after eight steps: both grants are given if the words are odd in the sixth step of mixing
  multiplier  as control, but mixing ends only when two factors of a given product are found
"""
import argparse, os

p = argparse.ArgumentParser(usage=__doc__)
p.add_argument("out")
p.add_argument("--widths", default="8,16,32,64,128,256,512")
p.add_argument("--variants", default="control,data,false,multiplier")
p.add_argument("--formats", default="btor2,smv")


class E:
    """An expression: an operator, its operands, and its width (0: a truth value)."""
    def __init__(self, op, *args, w=0): self.op, self.args, self.w = op, args, w
    def __add__(self, o): return E("add", self, o, w=self.w)
    def __mul__(self, o): return E("mul", self, o, w=self.w)
    def __xor__(self, o): return E("xor", self, o, w=self.w)
    def __and__(self, o): return E("and", self, o, w=self.w)
    def __or__(self, o): return E("or", self, o, w=self.w)
    def __invert__(self): return E("not", self, w=self.w)
    def __lt__(self, o): return E("ult", self, o)
    def eq(self, o): return E("eq", self, o)
    def bits(self, high, low): return E("slice", self, high, low, w=high - low + 1)
    def bit(self, i): return E("bit", self, i)
    def then(self, *o): return E("concat", self, *o, w=self.w + sum(x.w for x in o))


def word(value, w): return E("const", value, w=w)
def var(name, w): return E("var", name, w=w)
def case(*pairs):
    """case((c1, e1), …, e): the first that applies."""
    *rest, result = pairs
    for condition, value in reversed(rest):
        result = E("ite", condition, value, result, w=value.w)
    return result


TRUE, FALSE = E("const", 1), E("const", 0)


def semiprime(n):
    """A product of two primes of n/2 bits each."""
    primes = [p for p in range(2 ** (n // 2 - 1) + 1, 2 ** (n // 2 - 1) + 1000) if is_prime(p)]
    return primes[0] * primes[1] if len(primes) > 1 else 35


def is_prime(p):
    """Fermat's test will do here."""
    return p > 2 and all(pow(base, p - 1, p) == 1 for base in (2, 3, 5, 7) if p > base)


def family(n, variant):
    """Inputs, registers as (name, width, first value, next), and the bad condition."""
    x, go, ask1, ask2 = var("x", n), var("go", 0), var("ask1", 0), var("ask2", 0)
    a, b, c = var("a", n), var("b", n), var("c", n)
    state, steps, turn = var("state", 3), var("steps", 4), var("turn", 0)
    grant1, grant2 = var("grant1", 0), var("grant2", 0)
    odds, evens, all_ = var("odds", 4), var("evens", 4), var("all", 4)
    at = lambda k: state.eq(word(k, 3))
    IDLE, LOAD, MIX, SERVE, DONE = map(at, range(5))
    w = lambda k: word(k, 3)

    less = (a + c) < b
    sum = a + b
    layer = [sum.bit(i) for i in range(n)]
    while len(layer) > 1:
        layer = [E("xor", *layer[i:i + 2]) if i + 1 < len(layer) else layer[i] for i in range(0, len(layer), 2)]
    odd = layer[0]
    limit = steps.eq(word(11, 4))
    ready = MIX & (limit | less)
    if variant == "multiplier":
        half = n // 2
        low = lambda word_: word(0, n - half).then(word_.bits(half - 1, 0))
        ready = MIX & (low(a) * low(b)).eq(word(semiprime(n), n))
    free = ~grant1 & ~grant2

    next_state = case((IDLE & go, w(1)), (LOAD, w(2)), (ready, w(3)), (SERVE & ~free, w(4)), (DONE & odd, w(0)), state)
    first = odd ^ turn
    take = SERVE & free
    early = MIX & steps.eq(word(5, 4)) & odd & ~ready if variant == "false" else FALSE
    next1 = case((take & ask1 & (first | ~ask2), TRUE), (DONE & odd, FALSE), grant1 | early)
    next2 = case((take & ask2 & ~(ask1 & (first | ~ask2)), TRUE), (DONE & odd, FALSE), grant2 | early)
    registers = [
        ("a", n, 0, case((LOAD, x), (MIX, a + (b ^ c)), a)),
        ("b", n, 1, case((MIX, b ^ c.bits(n - 2, 0).then(c.bits(n - 1, n - 1))), (SERVE, a), b)),
        ("c", n, 3, case((MIX, c + a), (DONE, b ^ x), c)),
        ("state", 3, 0, next_state),
        ("steps", 4, 0, case((LOAD, word(0, 4)), (MIX & ~limit, steps + word(1, 4)), steps)),
        # How often the words were odd, how often not, and how often there were words at all.
        ("odds", 4, 0, case((MIX & odd, odds + word(1, 4)), odds)),
        ("evens", 4, 0, case((MIX & ~odd, evens + word(1, 4)), evens)),
        ("all", 4, 0, case((MIX, all_ + word(1, 4)), all_)),
        ("turn", 0, 0, turn ^ (DONE & odd)),
        ("grant1", 0, 0, next1),
        ("grant2", 0, 0, next2),
    ]
    bad = (grant1 & grant2) | (word(11, 4) < steps) | (w(4) < state) | ~all_.eq(odds + evens)
    if variant == "data":
        # The tag travels in the lowest bits: from the controller into d, on into e, and is compared with a copy.
        tag, copy = var("tag", 4), var("copy", 4)
        d, e = var("d", n), var("e", n)
        registers += [
            ("tag", 4, 0, case((DONE & odd, tag + word(1, 4)), tag)),
            ("copy", 4, 0, case((LOAD, tag), copy)),
            ("d", n, 0, case((LOAD, (x ^ b).bits(n - 1, 4).then(tag)), (MIX, (d.bits(n - 1, 4) + a.bits(n - 1, 4)).then(d.bits(3, 0))), d)),
            ("e", n, 0, case((ready, d), (SERVE, (e ^ a).bits(n - 1, 4).then(e.bits(3, 0))), e)),
        ]
        bad = bad | (DONE & ~e.bits(3, 0).eq(copy))
    return [("x", n), ("go", 0), ("ask1", 0), ("ask2", 0)], registers, bad


def btor2(inputs, registers, bad):
    lines, sorts, nodes = [], {}, {}
    def line(text): lines.append(f"{len(lines) + 1} {text}"); return len(lines)
    def sort(w):
        w = max(w, 1)
        if w not in sorts: sorts[w] = line(f"sort bitvec {w}")
        return sorts[w]
    def emit(e):
        def key(e): return nodes.get(id(e))
        stack = [e]
        while stack:
            top = stack[-1]
            if key(top): stack.pop(); continue
            todo = [x for x in top.args if isinstance(x, E) and not key(x)]
            if todo: stack += todo; continue
            stack.pop()
            n = [nodes[id(x)] if isinstance(x, E) else x for x in top.args]
            if top.op == "var": number = named[top.args[0]]
            elif top.op == "const": number = line(f"constd {sort(top.w)} {top.args[0]}")
            elif top.op == "slice": number = line(f"slice {sort(top.w)} {n[0]} {n[1]} {n[2]}")
            elif top.op == "bit": number = line(f"slice {sort(0)} {n[0]} {n[1]} {n[1]}")
            elif top.op == "concat": number = line(f"concat {sort(top.w)} {n[0]} {n[1]}")
            else: number = line(f"{top.op} {sort(top.w)} {' '.join(map(str, n))}")
            nodes[id(top)] = number
            keep.append(top)
        return nodes[id(e)]
    keep, named = [], {}
    for name, w in inputs: named[name] = line(f"input {sort(w)} {name}")
    firsts = [emit(word(first, w)) for _, w, first, _ in registers]
    for name, w, _, _ in registers: named[name] = line(f"state {sort(w)} {name}")
    for (name, w, _, _), first in zip(registers, firsts): line(f"init {sort(w)} {named[name]} {first}")
    for name, w, _, following in registers: line(f"next {sort(w)} {named[name]} {emit(following)}")
    line(f"bad {emit(bad)}")
    return "\n".join(lines) + "\n"


def smv(inputs, registers, bad):
    infix = {"add": "+", "mul": "*", "ult": "<", "eq": "="}
    def sort(w): return f"unsigned word[{w}]" if w else "boolean"
    defines, names = [], {}
    def show(e):
        """Larger expressions are defined once."""
        if id(e) in names: return names[id(e)][0]
        a = [show(x) if isinstance(x, E) else x for x in e.args]
        if e.op == "var": text = a[0]
        elif e.op == "const": text = f"0ud{e.w}_{a[0]}" if e.w else ("TRUE" if a[0] else "FALSE")
        elif e.op == "not": text = f"!{a[0]}"
        elif e.op == "slice": text = f"{a[0]}[{a[1]}:{a[2]}]"
        elif e.op == "bit": text = f"bool({a[0]}[{a[1]}:{a[1]}])"
        elif e.op == "concat": text = f"({a[0]} :: {a[1]})"
        elif e.op == "ite": text = f"({a[0]} ? {a[1]} : {a[2]})"
        elif e.op in infix: text = f"({a[0]} {infix[e.op]} {a[1]})"
        else: text = f"({a[0]} { {'xor': 'xor', 'and': '&', 'or': '|'}[e.op] } {a[1]})"
        if e.op not in ("var", "const", "bit", "not"):
            defines.append((f"e{len(defines)}", text))
            text = defines[-1][0]
        names[id(e)] = (text, e)
        return text
    shown = [(name, show(following)) for name, _, _, following in registers]
    wrong = show(bad)
    out = ["MODULE main"]
    out += ["IVAR"] + [f"  {name} : {sort(w)};" for name, w in inputs]
    out += ["VAR"] + [f"  {name} : {sort(w)};" for name, w, _, _ in registers]
    out += ["DEFINE"] + [f"  {name} := {text};" for name, text in defines]
    out += ["ASSIGN"] + [f"  init({name}) := {show(word(first, w))};" for name, w, first, _ in registers]
    out += [f"  next({name}) := {text};" for name, text in shown]
    out += [f"INVARSPEC NAME safe := !{wrong}"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    for variant in a.variants.split(","):
        for n in map(int, a.widths.split(",")):
            if variant == "multiplier" and n > 128: continue
            for form in a.formats.split(","):
                text = {"btor2": btor2, "smv": smv}[form](*family(n, variant))
                with open(f"{a.out}/{variant}_{n}.{form}", "w") as f: f.write(text)
