#!/usr/bin/env python3
"""Growth curves: the reachable states of scalable classics, Entail's BDD engine beside NuSMV.

usage: growth.py [--entail target/release/entail] [--nusmv NuSMV] [--limit 20] [--families ring,token,...]

Each family is generated at growing sizes until neither tool finishes within the limit (processor seconds). Entail runs
`check --reachable --engine bdd`; NuSMV runs `-r` (print the reachable states) with the better of `-dynamic` and its default. The numbers of
states must agree.
"""
import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def counters(n):
    """Modulo-8 counters in a row; each may count on when the one before it is odd, the first at will."""
    cells = "\n".join(f"  c{i} : counter({'1' if i == 0 else f'c{i - 1}.value'});" for i in range(n))
    return f"""MODULE counter(before)
VAR value : 0..7; wish : boolean;
ASSIGN init(value) := 0;
  next(value) := case wish & before mod 2 = 1 : (value + 1) mod 8; TRUE : value; esac;
MODULE main
VAR
{cells}
"""


def toggles(n):
    """Cells that may each turn over when their neighbour is set: every valuation is reachable."""
    cells = "\n".join(f"  c{i} : cell(c{(i + n - 1) % n}.on);" for i in range(n))
    return f"""MODULE cell(before)
VAR on : boolean; wish : boolean;
ASSIGN init(on) := FALSE;
  next(on) := case wish : !on; before : on; TRUE : on; esac;
MODULE main
VAR
{cells}
"""


def arbiter(n):
    """A synchronous bus arbiter: a token goes round, and requests wait in each cell."""
    cells = "\n".join(f"  e{i} : element({'TRUE' if i == 0 else 'FALSE'}, e{(i + n - 1) % n}.token, e{(i + 1) % n}.override, {'TRUE' if i == 0 else f'e{i - 1}.pass'});" for i in range(n))
    return f"""MODULE element(first, token_before, override_after, grant)
VAR token : boolean; waits : boolean; request : boolean;
ASSIGN init(token) := first; init(waits) := FALSE;
  next(token) := token_before;
  next(waits) := request & (waits | token);
DEFINE override := waits & token;
  pass := grant & !request;
  ack := request & (grant | (waits & token));
MODULE main
VAR
{cells}
"""


def token_ring(n):
    """Processes on a ring, one of which moves in a step; the token lets its holder into the critical section."""
    cells = "\n".join(f"  p{i} : process station({i}, token);" for i in range(n))
    return f"""MODULE station(me, token)
VAR at : {{idle, trying, critical}};
ASSIGN init(at) := idle;
  next(at) := case at = idle : {{idle, trying}}; at = trying & token = me : critical; at = critical : idle; TRUE : at; esac;
  next(token) := case token = me & at != trying : (me + 1) mod {n}; TRUE : token; esac;
MODULE main
VAR token : 0..{n - 1};
{cells}
ASSIGN init(token) := 0;
"""


def pipeline(n):
    """Stages that hold a word of two bits, move it on when the next stage is free, and are fed at will."""
    stages = "\n".join(
        f"  s{i} : stage({f's{i - 1}.full & !full{i}' if i else 'feed & !full0'}, {f's{i - 1}.data' if i else 'item'}, {f'full{i + 1}' if i + 1 < n else 'FALSE'});"
        for i in range(n))
    defines = "\n".join(f"DEFINE full{i} := s{i}.full;" for i in range(n))
    return f"""MODULE stage(arrives, incoming, blocked)
VAR full : boolean; data : 0..3;
ASSIGN init(full) := FALSE; init(data) := 0;
  next(full) := case arrives : TRUE; full & !blocked : FALSE; TRUE : full; esac;
  next(data) := case arrives : incoming; TRUE : data; esac;
MODULE main
VAR feed : boolean; item : 0..3;
{stages}
{defines}
"""


FAMILIES = {
    "counters": (counters, [8, 16, 32, 64, 112]),
    "toggles": (toggles, [16, 32, 64, 128, 256]),
    "arbiter": (arbiter, [8, 16, 32, 64, 128]),
    "token ring": (token_ring, [4, 8, 16, 32, 64]),
    "pipeline": (pipeline, [8, 16, 32, 64, 112]),
}


def run(command, limit):
    out = tempfile.TemporaryFile("w+", errors="replace")
    process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    out.seek(0)
    return (out.read() if process.returncode >= 0 else ""), usage.ru_utime + usage.ru_stime


def power(states):
    """An exact number as a power of ten, for reading."""
    return f"{states[0]}.{states[1:2] or '0'}e{len(states) - 1}" if len(states) > 6 else states


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entail", default=os.path.join(ROOT, "target/release/entail"))
    parser.add_argument("--nusmv", default=os.environ.get("NUSMV", "NuSMV"))
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--families", default=",".join(FAMILIES))
    options = parser.parse_args()
    nusmv = shutil.which(options.nusmv)
    if nusmv is None:
        print("NuSMV is not installed: only Entail is measured", file=sys.stderr)
    print("| family | size | reachable states | Entail s | NuSMV s | mode |\n|---|---:|---:|---:|---:|---|")
    for name in options.families.split(","):
        make, sizes = FAMILIES[name.strip()]
        for size in sizes:
            with tempfile.NamedTemporaryFile("w", suffix=".smv") as model:
                model.write(make(size))
                model.flush()
                text, ours = run([options.entail, "check", model.name, "--reachable", "--engine", "bdd", "--timeout", f"{options.limit}s"], options.limit + 2)
                found = re.search(r"reachable states +(\d+)", text)
                states = found.group(1) if found and re.search(r"complete +yes", text) else None
                best = None
                for mode in ([], ["-dynamic"]) if nusmv else ():
                    text, seconds = run([nusmv, "-r", *mode, model.name], options.limit)
                    theirs = re.search(r"reachable states: ([\d.e+]+)", text)
                    if theirs and (best is None or seconds < best[0]):
                        best = (seconds, " ".join(mode) or "default", theirs.group(1))
            if states and best and abs(float(states) / float(best[2]) - 1) > 1e-4:
                print(f"DIFFERENT NUMBERS: {name} {size}: {states} and {best[2]}", file=sys.stderr)
            print(f"| {name} | {size} | {power(states) if states else (best[2] if best else '-')} | {f'{ours:.2f}' if states else '-'} | "
                  f"{f'{best[0]:.2f}' if best else '-'} | {best[1] if best else '-'} |", flush=True)
            if not states and not best:
                break


if __name__ == "__main__":
    main()
