#!/usr/bin/env python3
"""Dining philosophers as an SMV model: a starvation property that fails, an exclusion and a progress property that hold.

    python3 bench/ltl/philosophers.py 11 > philosophers.smv
    entail check philosophers.smv --engine explicit --property starves
"""
import sys


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    print("MODULE main\nVAR")
    for i in range(count):
        print(f"  p{i} : {{think, hungry, eat}};\n  f{i} : boolean;")
    print(f"  who : 0..{count - 1};\nASSIGN")

    def grabs_or_lays_down(i):
        left, right = i, (i + 1) % count
        return (
            f"who = {i} & p{i} = hungry & !f{left} & !f{right} : TRUE; "
            f"who = {i} & p{i} = eat : FALSE;"
        )

    for i in range(count):
        left, right = i, (i + 1) % count
        print(f"  init(p{i}) := think; init(f{i}) := FALSE;")
        print(
            f"  next(p{i}) := case who != {i} : p{i}; p{i} = think : hungry; "
            f"p{i} = hungry & !f{left} & !f{right} : eat; p{i} = eat : think; TRUE : p{i}; esac;"
        )
        print(
            f"  next(f{i}) := case {grabs_or_lays_down(i)} {grabs_or_lays_down((i - 1) % count)} TRUE : f{i}; esac;"
        )
    for i in range(count):
        print(f"FAIRNESS who = {i};")
    print("LTLSPEC NAME starves := G (p0 = hungry -> F p0 = eat);")
    print("LTLSPEC NAME excludes := G !(p0 = eat & p1 = eat);")
    print("LTLSPEC NAME leaves := G (p0 = eat -> F p0 != eat);")


if __name__ == "__main__":
    main()
