"""A command with what it used."""
import collections, json, os, resource, shutil, signal, subprocess, tempfile, threading, time

Used = collections.namedtuple("Used", "cpu wall megabytes text")
TIME = shutil.which("time")


def measured(command, timeout, processor=None):
    """CPU seconds, seconds, peak memory in MB, and what was printed; it is stopped ten seconds after its time, and when it has used so many seconds of a processor.

    The peak that the kernel reports of a child is at least what this script needs itself, since the child begins as a copy of it. GNU time needs next to nothing: it is asked where it is installed.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.NamedTemporaryFile("r") as peak:
        if TIME:
            command = [TIME, "-q", "-f", "%M", "-o", peak.name, *command]
        begun = time.time()
        limited = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 1))) if processor else None
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limited)
        killer = threading.Timer(timeout + 10, lambda: os.killpg(child.pid, signal.SIGKILL))
        killer.start()
        _, _, usage = os.wait4(child.pid, 0)
        wall = time.time() - begun
        killer.cancel()
        child.returncode = 0
        out.seek(0)
        said = peak.read().split()
        kilobytes = int(said[-1]) if said else usage.ru_maxrss
        return Used(usage.ru_utime + usage.ru_stime, wall, kilobytes / 1024, out.read())


def first_answer(text):
    """The first property of what `--json` prints."""
    try:
        return json.loads(text)["properties"][0]
    except (ValueError, KeyError, IndexError):
        return {"verdict": "error"}
