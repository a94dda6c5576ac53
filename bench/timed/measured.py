"""A command with what it used."""
import collections, json, os, subprocess, tempfile, threading, time

Used = collections.namedtuple("Used", "cpu wall megabytes text")


def measured(command, timeout):
    """CPU seconds, seconds, peak memory in MB, and what was printed; it is stopped ten seconds after its time."""
    with tempfile.TemporaryFile("w+") as out:
        begun = time.time()
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        killer = threading.Timer(timeout + 10, child.kill)
        killer.start()
        _, _, usage = os.wait4(child.pid, 0)
        wall = time.time() - begun
        killer.cancel()
        child.returncode = 0
        out.seek(0)
        return Used(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, out.read())


def first_answer(text):
    """The first property of what `--json` prints."""
    try:
        return json.loads(text)["properties"][0]
    except (ValueError, KeyError, IndexError):
        return {"verdict": "error"}
