#!/usr/bin/env python3
"""Asks the questions of PRISM's regression tests (`prism-tests` in `prismmodelchecker/prism`) and compares the answers with the recorded ones.

usage: prism_tests.py ENTAIL FOLDER [--timeout 10] [--only TEXT] [--show KIND,…] [--jobs 1]

A model M has its questions in M.props, M.name.props, …; a line `// RESULT: value` or `// RESULT (N=3,p=?): value` above a question says what PRISM must
answer, and M.args and M….props.args have the options of each run, of which those count here that change the question: constants (ranges are asked value by
value), the parameter, fairness, another kind of model. Every RESULT line gets one outcome: `right` if some run met it and none contradicted it, `wrong` if an answer differs. A
number is met when it is within 1e-5 (relative) of the answer, or of its bounds; `exact` says how many of these were met by a fraction or a verdict. Prints what differs
(`wrong`, and what is answered where PRISM refuses), what --show names, the reasons of what is refused with their numbers, and one line of totals.
"""
import argparse, collections, fractions, glob, itertools, json, math, os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

F = fractions.Fraction
parser = argparse.ArgumentParser()
parser.add_argument("entail"); parser.add_argument("folder"); parser.add_argument("--timeout", type=int, default=10)
parser.add_argument("--only", default=""); parser.add_argument("--show", default=""); parser.add_argument("--jobs", type=int, default=1)
a = parser.parse_args()
shown = set(a.show.split(",")) | {"wrong", "answered where PRISM refuses"}


def number(text):
    """A recorded number, which may be a formula of fractions."""
    text = str(text).strip().lstrip("~")
    if re.fullmatch(r"\+?(inf|infinity)", text, re.I):
        return math.inf
    if re.fullmatch(r"-(inf|infinity)", text, re.I):
        return -math.inf
    return formula(text, {})


def formula(text, values):
    """The value of a rational expression at a place; nothing if it is none."""
    names = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"\d[\d.]*[eE][-+]?\d+", "0", text))) - {"min", "max"}
    if not text or names - set(values) or not re.fullmatch(r"[\w.+\-*/^(), ]+", text):
        return None
    code = re.sub(r"(?<![\w.])(\d[\d.]*(?:[eE][-+]?\d+)?)", r'F("\1")', text).replace("^", "**")
    code = re.sub(r'\*\*F\("(\d+)"\)', r"**\1", code)
    try:
        value = eval(code, {"F": F, "min": min, "max": max}, dict(values))
        return F(value) if isinstance(value, (F, int)) else value
    except (SyntaxError, ValueError, ZeroDivisionError, TypeError):
        return None


def settings(text):
    """`N=3,x=0.5` as a dictionary."""
    return {name.strip(): value.strip() for name, _, value in (part.partition("=") for part in text.split(",")) if value}


def values_in(text):
    """The constants that a model or a file of questions gives values to."""
    return {name: value.strip() for name, value in re.findall(r"^\s*const\s+(?:int\s+|double\s+|bool\s+)?(\w+)\s*=\s*([^;]+);", text, re.M)}


class Line:
    """One RESULT line and what became of it."""
    def __init__(self, place, constants, value, question):
        self.place, self.constants, self.value, self.question = place, constants, value, question
        self.outcomes = []


def expectations(path):
    """For each question of a file, in order: its text without blanks, and its RESULT lines."""
    found, waiting, inside, depth_before = [], [], False, 0
    for at, line in enumerate(open(path, encoding="utf-8", errors="replace"), 1):
        comment = re.match(r"\s*//\s*RESULT\s*(?:\(([^)]*)\))?\s*:\s*(.*)", line)
        code = re.sub(r"//.*", "", line).strip()
        if comment:
            text = comment[2].strip()
            value = text[:text.rindex("]") + 1] if text.startswith("[") and "]" in text else (text.split() or [""])[0]
            waiting.append(Line(f"{os.path.relpath(path, a.folder)}:{at}", settings(comment[1] or ""), value, ""))
        elif code and not inside and re.match(r"(const|label|formula)\b", code):
            continue
        elif code:
            if not inside:
                found.append(["", waiting])
                waiting = []
            found[-1][0] += re.sub(r"\s", "", code)
            # A question ends with its line unless brackets are open, or an operator waits for its other side.
            depth = depth_before + sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
            inside = depth > 0 or code.endswith(("&", "|", "=>"))
            depth_before = depth if inside else 0
    for text, lines in found:
        for line in lines:
            line.question = text
    return found, waiting


def options(path):
    """The runs that a file of options asks for: (constants, parameters, fair, kind)."""
    if not os.path.exists(path):
        return [("", "", False, "")]
    runs = []
    for text in open(path, errors="replace").read().splitlines() or [""]:
        if text.strip().startswith("#"):
            continue
        constants = ",".join(re.findall(r"-const\s+(\S+)", text))
        parameter = (re.search(r"-param\s+(\S+)", text) or ["", ""])[1]
        kind = (re.search(r"-(dtmc|mdp|ctmc)\b", text) or ["", ""])[1]
        runs.append((constants, re.sub(r"=[^,]*", "", parameter), re.search(r"-fair\b", text) is not None, kind))
    return runs or [("", "", False, "")]


def expanded(constants):
    """Every combination of values that ranges stand for."""
    choices = []
    for name, value in settings(constants).items():
        parts = [formula(part, {}) for part in value.split(":")]
        if len(parts) == 1 or None in parts:
            choices.append([(name, value)])
            continue
        first, step, last = parts[0], parts[1] if len(parts) == 3 else F(1), parts[-1]
        values = [first + step * i for i in range(int((last - first) / step) + 1)]
        choices.append([(name, str(v) if v.denominator == 1 or step.denominator in (3, 6) else repr(float(v))) for v in values])
    return [dict(choice) for choice in itertools.product(*choices)]


def answer(entry):
    value = entry.get("value")
    if value is None:
        return {"holds": True, "fails": False}.get(entry["verdict"])
    if value in ("infinity", "undefined"):
        return (math.inf, math.inf) if value == "infinity" else "undefined"
    if isinstance(value, dict) and "exact" in value:
        exact = F(value["exact"])
        return (exact, exact)
    if isinstance(value, dict) and "lower" in value:
        return (F(float(value["lower"])), math.inf if value["upper"] == "infinity" else F(float(value["upper"])))
    return value


def near(value, wanted):
    if isinstance(wanted, float) and math.isinf(wanted):
        return value[0] == value[1] == wanted
    slack = F(1, 10**5) * max(abs(wanted), F(1, 10**5))
    return (value[0] == -math.inf or value[0] - slack <= wanted) and (value[1] == math.inf or wanted <= value[1] + slack)


def agrees(value, expected, given, parameters):
    """Whether what Entail answers is what is recorded; nothing if that cannot be told."""
    if expected in ("true", "false"):
        return value == (expected == "true") if isinstance(value, bool) else None
    if expected == "NaN":
        return value == "undefined"
    if expected.startswith("[(") and isinstance(value, dict) and "points" in value:
        wanted = sorted(tuple(float(x) for x in re.findall(r"[-\d.eE]+", part)) for part in re.findall(r"\(([^)]*)\)", expected))
        have = sorted(tuple(float(F(x)) for x in point) for point in value["points"])
        return len(wanted) == len(have) and all(abs(x - y) <= 1e-3 * max(1, abs(x)) for p, q in zip(wanted, have) for x, y in zip(p, q))
    if parameters:
        if not isinstance(value, str):
            value, names = (lambda at: value[0]) if isinstance(value, tuple) else None, parameters
        else:
            text = value
            value, names = (lambda at: formula(text.replace(" ", ""), at)), parameters
        if value is None:
            return None
        places = [{n: F(3 + 2 * i + j, 29) for j, n in enumerate(names)} for i in range(4)]
        pairs = [(value(at), formula(expected, at) if number(expected) != math.inf else math.inf) for at in places]
        return None if any(None in pair for pair in pairs) else all(x == y for x, y in pairs)
    wanted = number(expected)
    if wanted is None:
        values = {}
        for name, text in given.items():
            value_of = formula(text, values)
            values |= {} if value_of is None else {name: value_of}
        wanted = formula(expected, values)
    if wanted is None or not isinstance(value, tuple):
        return None
    return near(value, wanted)


def model_of(props):
    """The file that a file of questions is about: its name without some last parts."""
    name = props
    while "." in os.path.basename(name):
        name = name.rsplit(".", 1)[0]
        if os.path.isfile(name):
            return name
    stem = os.path.join(os.path.dirname(props), os.path.basename(props).split(".")[0])
    if os.path.isfile(stem + ".tra"):
        return stem + ".tra"
    # One is called almost as its model is.
    others = [p for p in glob.glob(os.path.join(os.path.dirname(props), "*")) if re.search(r"\.(nm|pm|sm|prism)$", p)]
    return others[0] if len(others) == 1 else None


def ask(props):
    """All RESULT lines of a file, with their outcomes."""
    questions, loose = expectations(props)
    lines = [line for _, own in questions for line in own] + loose
    if not lines:
        return []
    model = model_of(props)
    if model is None:
        for line in lines:
            line.outcomes.append(("no model", ""))
        return lines
    text = re.sub(r"//.*", "", open(model, errors="replace").read())
    declared = (re.search(r"\b(dtmc|mdp|ctmc|probabilistic|nondeterministic|stochastic)\b", text) or ["", ""])[1]
    declared = {"probabilistic": "dtmc", "nondeterministic": "mdp", "stochastic": "ctmc"}.get(declared, declared)
    own = values_in(text) | values_in(open(props, errors="replace").read())
    runs = set()
    for first in options(model + ".args"):
        for second in options(props + ".args"):
            constants = ",".join(x for x in (first[0], second[0]) if x)
            for given in expanded(constants):
                runs.add((tuple(sorted(given.items())), first[1] or second[1], first[2] or second[2], first[3] or second[3]))
    for given, parameters, fair, kind in sorted(runs):
        given = dict(given)
        names = [x for x in parameters.split(",") if x]
        command = [a.entail, "check", model, "--properties", props, "--json", "--timeout", f"{a.timeout}s", "--threads", "1"]
        command += ["--const", ",".join(f"{n}={v}" for n, v in given.items())] if given else []
        command += ["--parametric", parameters] if parameters else []
        command += ["--fair"] if fair else []
        # Entail reads a model as what it says it is.
        if kind not in ("", declared):
            continue
        known = given | own
        known |= given
        same = lambda a, b: a == b or formula(a, {}) == formula(b, {}) is not None
        applies = [line for line in lines if all(n in known and same(known[n], v) for n, v in line.constants.items())]
        # A line without constants counts where none of its question with constants does.
        for _, own_lines in questions:
            if any(line.constants and line in applies for line in own_lines):
                applies = [line for line in applies if line.constants or line not in own_lines]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=a.timeout * (len(questions) + 2))
            document = json.loads(done.stdout)
            report = document["properties"]
        except subprocess.TimeoutExpired:
            for line in applies:
                line.outcomes.append(("undecided", "the whole file"))
            continue
        except (json.JSONDecodeError, KeyError):
            document, report = {"reason": (done.stderr.strip() or "no message")[:150]}, []
        if not report:
            for line in applies:
                line.outcomes.append(("refused as PRISM does" if line.value.startswith("Error") else "refused", document.get("reason") or "no answer"))
            continue
        left = list(questions)
        for entry in report:
            value, text = answer(entry), re.sub(r"\s", "", entry["formula"])
            # Questions that could not be read come last in a report: go by the text.
            alone = lambda question: re.sub(r'^"[^"]*":', "", question).rstrip(";")
            exact = (i for i, (question, _) in enumerate(left) if alone(question) == text)
            found = next(exact, next((i for i, (question, _) in enumerate(left) if text in question), None))
            if found is None:
                continue
            for line in left.pop(found)[1]:
                if line not in applies:
                    continue
                reason = entry.get("reason") or ""
                if parameters and value is not None and "function" in entry:
                    value = entry["function"]
                if line.value == "?":
                    line.outcomes.append(("anything goes", ""))
                elif line.value.startswith("Error"):
                    line.outcomes.append(("refused as PRISM does", "") if entry["verdict"] == "unknown" else ("answered where PRISM refuses", str(value)))
                elif entry["verdict"] == "unknown":
                    line.outcomes.append(("undecided" if re.search(r"time|too near", reason) else "refused", reason))
                else:
                    same = agrees(value, line.value, known, names)
                    exact = isinstance(value, (bool, str, dict)) or isinstance(value, tuple) and value[0] == value[1]
                    checked = (entry.get("evidence") or {}).get("checked")
                    line.outcomes.append(("not compared" if same is None else "right" if same else "wrong", f"{value}, recorded {line.value}", exact, checked))
    return lines


ORDER = ["wrong", "answered where PRISM refuses", "right", "refused as PRISM does", "not compared", "undecided", "refused", "anything goes", "no model", "not asked"]
files = sorted(p for p in glob.glob(os.path.join(a.folder, "**", "*.props"), recursive=True) if a.only in p)
totals, reasons, exact, checked = collections.Counter(), collections.Counter(), 0, 0
with ThreadPoolExecutor(a.jobs) as pool:
    for lines in pool.map(ask, files):
        for line in lines:
            outcomes = line.outcomes or [("not asked", "no run has its constants, or no report has its question")]
            kind = min((o[0] for o in outcomes), key=ORDER.index)
            first = next(o for o in outcomes if o[0] == kind)
            totals[kind] += 1
            exact += kind == "right" and first[2]
            checked += kind == "right" and bool(first[3])
            if kind == "refused":
                reasons[re.sub(r"`[^`]*`|\d+", "…", first[1])] += 1
            if kind in shown:
                print(f"{kind:10} {line.place}  {line.question[:90]}  {first[1]}", flush=True)
for reason, count in reasons.most_common():
    print(f"{count:6} refused: {reason}")
print(f"{sum(totals.values())} RESULT lines: " + ", ".join(f"{totals[k]} {k}" for k in ORDER if totals[k]) + f"; of the right ones {exact} exact or verdicts, {checked} re-checked")
sys.exit(1 if totals["wrong"] else 0)
