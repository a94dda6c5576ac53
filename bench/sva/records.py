#!/usr/bin/env python3
"""Entail beside the answers that EBMC's own regression records: every .desc file about a .sv or .v file, read where it is.

usage: records.py ENTAIL REGRESSION [--only TEXT] [--every N] [--limit SECONDS] [--jobs N] [--table FILE] [--show]

REGRESSION is the folder `regression` of a checkout of diffblue/hw-cbmc, or a bare repository of it (then it is unpacked into a temporary folder). Nothing of it is copied into the project.
A .desc file names the kind of test, the file, the options, the lines that are expected (regular expressions), and after `--` lines that must not be there. Told apart are:

  right, wrong, unknown   a line `[name] text: PROVED|REFUTED`, by the property's name; `up to bound k` for an assertion says nothing against a failure
  unmatched               no property has the name that EBMC prints
  unread                  Entail refuses a file that EBMC reads (an expected line, or an exit status 0 or 10)
  refused, accepted       EBMC refuses the file (other exit statuses): Entail does as well, or does not; accepting is no mistake where IEEE 1800 has the construct
"""
import argparse, collections, concurrent.futures, json, os, re, shlex, subprocess, sys, tempfile, time

SAID = re.compile(r"^\^*\\\[(?P<name>.*?)\\?\] (?P<text>.*?):? (?P<said>PROVED|REFUTED)(?P<rest>[^:]*?)\$?$")


def descriptions(root, only):
    """Every test about Verilog: its file, options, expected lines and kind."""
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not name.endswith(".desc") or only not in path:
                continue
            lines = open(path, encoding="utf-8", errors="replace").read().splitlines()
            if len(lines) < 2:
                continue
            expected = lines[3:]
            expected = expected[: expected.index("--")] if "--" in expected else expected
            files = [word for word in shlex.split(lines[1]) if word.endswith((".sv", ".v"))]
            if files:
                yield dict(desc=os.path.relpath(path, root), folder=folder, kind=lines[0], files=files, options=lines[2] if len(lines) > 2 else "", expected=expected)


def question(test):
    """The arguments that ask Entail what the test asks EBMC: those of the area's runner, and further files, folders and definitions."""
    words, arguments = shlex.split(test["options"]), []
    files = test["files"] + [word for word in words if word.endswith((".sv", ".v"))]
    top = re.search(r"--(?:module|top) (\S+)", test["options"])
    for at, word in enumerate(words):
        if word in ("-I", "-D") and at + 1 < len(words):
            arguments += [word, words[at + 1]]
        elif re.match(r"-[ID].", word):
            arguments += [word[:2], word[2:]]
        elif word == "--reset" and at + 1 < len(words):
            arguments += ["--reset", words[at + 1]]
    return tuple(files) + ("--top", top[1] if top else "main") + tuple(arguments)


def ask(entail, folder, arguments, limit):
    command = [entail, "check", *arguments, "--json", "--timeout", f"{limit}s"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit * 3 + 60)
        document = json.loads(done.stdout)
        said = [problem.get("message", "") for problem in document.get("errors", []) if isinstance(problem, dict)]
        if done.returncode >= 64 and not document["properties"]:
            return None, f"exit {done.returncode}: {document.get('reason') or ' '.join(said)}"
        return document["properties"], ""
    except subprocess.TimeoutExpired:
        return None, "no answer past three times the limit"
    except (ValueError, KeyError):
        said = [line for line in done.stderr.splitlines() if line.strip()]
        return None, f"exit {done.returncode}: " + " ".join(line.strip() for line in said[:12])[:400]


def plain(pattern):
    return re.sub(r"\\(.)", r"\1", pattern)


def judged(test, properties, said):
    """Rows (property, expected, how, what was said) of one test."""
    claims = [match for match in map(SAID.match, test["expected"]) if match]
    status = next((line for line in test["expected"] if "EXIT=" in line), "")
    readable = bool(claims) or re.search(r"EXIT=(0|10)\b", status) is not None
    if not readable:
        return [("", status, "refused" if properties is None else "accepted", said)]
    if properties is None:
        return [(plain(claim["name"]), claim["said"], "unread", said) for claim in claims] or [("", status, "unread", said)]
    rows, nameless, pool = [], [claim for claim in claims if plain(claim["name"]) == ".*"], list(properties)
    for claim in claims:
        name, want = plain(claim["name"]), "holds" if claim["said"] == "PROVED" else "fails"
        cover = claim["text"].startswith("cover")
        last = name.split(".")[-1]
        exact = [one for one in properties if one["name"] == name or (".*" in name and re.fullmatch(claim["name"], str(one["name"])))]
        if name == ".*":
            # (If they are all, each takes one with its verdict, as long as there is one.)
            exact = pool if len(nameless) == len(properties) else []
            fitting = [one for one in exact if one["verdict"] == want] or exact
            exact = fitting[:1]
            pool = [one for one in pool if one not in exact]
        named = exact or [one for one in properties if str(one["name"]).split(".")[-1] == last] or (properties if len(properties) == 1 else [])
        if not named:
            rows.append((name, want, "unmatched", ", ".join(str(one["name"]) for one in properties)))
            continue
        verdicts = {one["verdict"] for one in named}
        got = "fails" if "fails" in verdicts else "unknown" if "unknown" in verdicts else "holds"
        bounded = "bound" in claim["rest"] and got == ("holds" if cover else "fails")
        how = "right" if got == want else "unknown" if got == "unknown" else "beyond its bound" if bounded else "wrong"
        reason = "; ".join(str(one.get("reason") or "") for one in named)
        rows.append((name, want + claim["rest"], how, f"{got} {reason}" + ("" if exact else f" (as {named[0]['name']})")))
    return rows or [("", status, "read", "")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("entail")
    parser.add_argument("regression")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--limit", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--table")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    entail, root = os.path.abspath(options.entail), os.path.abspath(options.regression)
    with tempfile.TemporaryDirectory() as scratch:
        if os.path.isfile(os.path.join(root, "HEAD")):
            archive = subprocess.Popen(["git", "-C", root, "archive", "HEAD", "regression"], stdout=subprocess.PIPE)
            subprocess.run(["tar", "x", "-C", scratch], stdin=archive.stdout, check=True)
            root = os.path.join(scratch, "regression")
        report(entail, root, options)


def report(entail, root, options):
    tests = list(descriptions(root, options.only))[:: options.every]
    runs = collections.OrderedDict()
    for test in tests:
        runs.setdefault((test["folder"], question(test)), []).append(test)
    begun, count = time.monotonic(), collections.Counter()
    table = open(options.table, "w") if options.table else None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda key: ask(entail, key[0], key[1], options.limit), runs)
        for (key, same), (properties, said) in zip(runs.items(), answers):
            for test in same:
                for name, expected, how, told in judged(test, properties, said):
                    count[how] += 1
                    if options.show and how not in ("right", "read", "refused"):
                        print(how.upper(), test["desc"], test["kind"], "|", name, "| expected", expected, "|", told, flush=True)
                    if table:
                        table.write("\t".join([test["desc"], test["kind"], " ".join(key[1]), name, expected, how, told]).replace("\n", " ") + "\n")
                        table.flush()
    print(f"{len(tests)} tests, {len(runs)} questions:", ", ".join(f"{how} {number}" for how, number in count.most_common()), f"; {time.monotonic() - begun:.0f} s")
    return 1 if count["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
