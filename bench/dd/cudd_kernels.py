"""The kernels of `cargo run --release --example kernels -p entail-dd`, on CUDD through PyPI `dd`.

Python's share of the time is small where diagrams are large; rows under 10 ms are mostly Python.
Same output: name, parameter, seconds, processor seconds, nodes (the leaf and shared
complements counted as CUDD does, `-` where counting from Python takes too long). Needs `pip install dd` with its CUDD module.
"""
import sys
import time

try:
    from dd import cudd
except ImportError:
    sys.exit("missing: dd.cudd (pip install dd)")


def manager():
    bdd = cudd.BDD(memory_estimate=6 * 2**30)
    bdd.configure(reordering=False)
    return bdd


def variables(bdd, n):
    names = [f"v{i}" for i in range(n)]
    bdd.declare(*names)
    return [bdd.var(name) for name in names]


def queens(bdd, n):
    v = variables(bdd, n * n)
    square = [v[i * n:(i + 1) * n] for i in range(n)]
    every = bdd.true
    for i in range(n):
        some = bdd.false
        for cell in square[i]:
            some = some | cell
        every = every & some
    for i in range(n):
        for j in range(n):
            free = bdd.true
            for k in range(n):
                for l in range(n):
                    attacked = i == k or j == l or i + j == k + l or i + l == k + j
                    if attacked and (i, j) != (k, l):
                        free = free & ~square[k][l]
            every = every & (~square[i][j] | free)
    return [every]


def full_adder(bdd, a, b, c):
    half = bdd.apply("xor", a, b)
    return bdd.apply("xor", half, c), (a & b) | (half & c)


def words(bdd, n, interleaved):
    v = variables(bdd, 2 * n)
    return (v[0::2], v[1::2]) if interleaved else (v[:n], v[n:])


def multiplier(bdd, n):
    a, b = words(bdd, n, False)
    total = [bdd.false] * (2 * n)
    for i in range(n):
        carry = bdd.false
        for j in range(n):
            total[i + j], carry = full_adder(bdd, total[i + j], a[i] & b[j], carry)
        total[i + n] = carry
    return total


def adder(bdd, n, interleaved):
    a, b = words(bdd, n, interleaved)
    carry, total = bdd.false, []
    for x, y in zip(a, b):
        bit, carry = full_adder(bdd, x, y, carry)
        total.append(bit)
    return total + [carry]


def comparator(bdd, n, interleaved):
    a, b = words(bdd, n, interleaved)
    equal = bdd.true
    for x, y in reversed(list(zip(a, b))):
        equal = ~bdd.apply("xor", x, y) & equal
    return [equal]


def parity(bdd, n):
    v = variables(bdd, n)
    chain = bdd.false
    for x in v:
        chain = bdd.apply("xor", chain, x)
    forest, seed, wrap = list(v), 42, 2**64
    while len(forest) > 1:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % wrap
        at = (seed >> 33) % len(forest)
        forest[at], forest[-1] = forest[-1], forest[at]
        one = forest.pop()
        seed = (seed * 6364136223846793005 + 1442695040888963407) % wrap
        at = (seed >> 33) % len(forest)
        forest[at] = bdd.apply("xor", forest[at], one)
    assert forest[0] == chain
    return [chain]


def circuit(bdd, n):
    wrap, seed = 2**64, [2026]

    def draw(below):
        seed[0] = (seed[0] * 6364136223846793005 + 1442695040888963407) % wrap
        return (seed[0] >> 33) % below

    place = list(range(n))
    for i in range(n - 1, 0, -1):
        j = draw(i + 1)
        place[i], place[j] = place[j], place[i]
    v = variables(bdd, 3 * n)

    def name(i, kind):
        return f"v{3 * place[i] + kind}"

    def at(i, kind):
        return v[3 * place[i] + kind]

    bdd.configure(reordering=True)
    relation, cluster = [], bdd.true
    for i in range(n):
        left, own, right, inp = at((i + n - 1) % n, 0), at(i, 0), at((i + 1) % n, 0), at(i, 2)
        case = draw(4)
        if case == 0:
            f = (left & right) | (own & inp)
        elif case == 1:
            f = bdd.apply("xor", left, own) & (right | inp)
        elif case == 2:
            f = bdd.ite(inp, left, own)
        else:
            f = ~bdd.apply("xor", own, left & inp) | ~right
        cluster = cluster & ~bdd.apply("xor", at(i, 1), f)
        if cluster.dag_size > 500:
            relation.append(cluster)
            cluster = bdd.true
    relation.append(cluster)
    gone = {name(i, k) for i in range(n) for k in (0, 2)}
    later, schedule = set(), []
    for part in reversed(relation):
        support = bdd.support(part)
        schedule.append((part, (support & gone) - later))
        later |= support
    schedule.reverse()
    never = gone - later
    reached = bdd.cube({name(i, 0): False for i in range(n) if i % 3 > 0})
    back = {name(i, 1): name(i, 0) for i in range(n)}
    for _ in range(12):
        image = bdd.exist(never, reached)
        for part, quantified in schedule:
            image = cudd.and_exists(image, part, quantified)
        reached = reached | bdd.let(back, image)
    print("  circuit:", bdd.count(reached, n + 0) if n <= 60 else "", bdd.statistics()["n_reorderings"],
          "reorderings,", bdd.statistics()["reordering_time"], "s", file=sys.stderr)
    return [reached]


def sifted(build):
    def body(bdd):
        functions = build(bdd)
        started = time.perf_counter()
        cudd.reorder(bdd)
        print(f"  sifting: {time.perf_counter() - started:.3f} s", file=sys.stderr)
        return functions
    return body


KERNELS = (
    [("queens", n, lambda b, n=n: queens(b, n)) for n in (8, 9, 10)]
    + [("multiplier", n, lambda b, n=n: multiplier(b, n)) for n in (9, 10, 11, 12)]
    + [("sift-multiplier", n, sifted(lambda b, n=n: multiplier(b, n))) for n in (8, 9, 10, 11)]
    + [("adder-interleaved", 256, lambda b: adder(b, 256, True)),
       ("adder-blocked", 14, lambda b: adder(b, 14, False)),
       ("comparator-interleaved", 16, lambda b: comparator(b, 16, True)),
       ("comparator-blocked", 16, lambda b: comparator(b, 16, False))]
    + [("sift-comparator", n, sifted(lambda b, n=n: comparator(b, n, False))) for n in (14, 16, 18)]
    + [("circuit", n, lambda b, n=n: circuit(b, n)) for n in (60, 90, 120)]
    + [("parity", n, lambda b, n=n: parity(b, n)) for n in (48, 1000)]
)

for name, parameter, body in KERNELS:
    if len(sys.argv) > 1 and not any(name.startswith(wanted) for wanted in sys.argv[1:]):
        continue
    bdd = manager()
    started, cpu = time.perf_counter(), time.process_time()
    functions = body(bdd)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    nodes = functions[0].dag_size if len(functions) == 1 else len(bdd) if name.startswith("sift") else "-"
    print(f"{name}\t{parameter}\t{seconds:.3f}\t{cpu:.3f}\t{nodes}", flush=True)
    del functions
