"""Runs the blocks of docs/fleet.md on two workers against a server with ranges, compares the rows, and kills workers.

    python bindings/python/tests/fleet.py [--program rocm-audit] [ARTIFACT...]
"""

import argparse
import collections
import http.server
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/fleet.md"
FIXTURES = ["containers/package/demo-1.0-py3-none-linux_x86_64.whl", "containers/package/demo.deb"]
FIXTURES += ["containers/package/demo_zst.deb", "rocm/lib/librocrand.so.1.1"]


class Ranges(http.server.BaseHTTPRequestHandler):
    """A server of files that answers requests for ranges, as stores of objects do, and counts what it sends."""

    protocol_version = "HTTP/1.1"
    files: dict = {}
    sent: collections.Counter = collections.Counter()

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, with_body):
        path = self.files.get(self.path.lstrip("/"))
        if path is None:
            return self.send_error(404)
        size = path.stat().st_size
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, last = (int(asked[1]), min(int(asked[2] or size - 1), size - 1)) if asked else (0, size - 1)
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(last - first + 1))
        self.send_header("Accept-Ranges", "bytes")
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        if with_body:
            with open(path, "rb") as file:
                file.seek(first)
                left = last - first + 1
                while left:
                    piece = file.read(min(left, 1 << 20))
                    try:
                        self.wfile.write(piece)
                    except OSError:
                        return  # a worker that was killed
                    left -= len(piece)
                    Ranges.sent[path.name] += len(piece)

    def log_message(self, *_):
        pass


def blocks():
    """The blocks of the page, by the name in their first line."""
    found = re.findall(r"```(?:python|sh)\n# (\S+)\n(.*?)```", PAGE.read_text(), re.S)
    return dict(found)


def rows(table):
    """The rows as a bag: engines have no order."""
    return collections.Counter(tuple(row.items()) for row in table.to_pylist())


def check(what, holds):
    print(f"  {'ok' if holds else 'NOT OK'}: {what}", flush=True)
    if not holds:
        sys.exit(1)


def files_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in pathlib.Path(folder).rglob("*") if p.is_file()}


def kill_dask(kernels, urls):
    """Kills one of two workers of Dask while they work."""
    import pyarrow
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:

        def slowly(url):
            time.sleep(0.5)
            return kernels(url)

        first = cluster.workers[0].pid
        futures = client.map(slowly, urls)
        time.sleep(0.8)
        os.kill(first, signal.SIGKILL)
        table = pyarrow.concat_tables(client.gather(futures))
        # The killed worker's process id must be gone; otherwise another process was killed.
        return table, first not in [worker.pid for worker in cluster.workers.values()]


WORKER = """
import sys, fsspec, rocm_audit
into, *urls = sys.argv[1:]
for url in urls:
    with fsspec.open(url, "rb", cache_type="none") as file:
        print(rocm_audit.write_tables(file, into, name=url), flush=True)
"""


def kill_writers(urls):
    """Two workers write to one folder, and one is killed again and again; then a run that completes it."""
    with tempfile.TemporaryDirectory() as clean, tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", WORKER, clean, *urls], check=True, stdout=subprocess.DEVNULL)
        expected, killed = files_of(clean), 0
        start = lambda order: subprocess.Popen([sys.executable, "-c", WORKER, folder, *order], stdout=subprocess.DEVNULL)
        for enough in [1, 4, 9, 11, 15, 17, 22, 26]:
            doomed, other = start(urls), start(urls[::-1]) if enough == 17 else None
            while len(files_of(folder)) < enough and doomed.poll() is None:
                time.sleep(0.001)
            doomed.kill()
            killed += doomed.wait() == -signal.SIGKILL
            halves = {path for path, data in files_of(folder).items() if data != expected.get(path)}
            check(f"killed at {enough} files: {len(files_of(folder))} are there, all whole", not halves)
            if other:
                other.wait()
        again = subprocess.run([sys.executable, "-c", WORKER, folder, *urls], check=True, stdout=subprocess.PIPE, text=True)
        check(f"{killed} workers were killed", killed > 2)
        check(f"completed: {again.stdout.split()}", True)
        check(f"{len(expected)} files, byte for byte those of a run without a kill", files_of(folder) == expected)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--program", default=os.environ.get("ROCM_AUDIT", "rocm-audit"))
    words.add_argument("--engines", default="threads,dask,ray,spark")
    words.add_argument("artifacts", nargs="*", type=pathlib.Path)
    words = words.parse_args()
    artifacts = words.artifacts or [ROOT / "fixtures" / name for name in FIXTURES]
    Ranges.files = {path.name: path.resolve() for path in artifacts}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    urls = [f"http://127.0.0.1:{server.server_port}/{path.name}" for path in artifacts]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    page, common = blocks(), types.ModuleType("__main__")
    exec(compile(page.pop("kernels.py"), "kernels.py", "exec"), common.__dict__)
    kernels, expected = common.__dict__["kernels"], None

    for engine in words.engines.split(","):
        own, began = {"kernels": kernels, "urls": urls, "__name__": "__main__"}, time.monotonic()
        Ranges.sent.clear()
        exec(compile(page[f"{engine}.py"], f"{engine}.py", "exec"), own)
        took = time.monotonic() - began
        found, sent = rows(own["table"]), sum(Ranges.sent.values())
        expected = expected or found
        all_bytes = sum(path.stat().st_size for path in artifacts)
        print(f"{engine}: {sum(found.values()):,} rows in {took:.1f} s, {sent / 1e6:.1f} of {all_bytes / 1e6:.1f} MB fetched")
        check("equal rows", found == expected)

    print("Dask, one of two workers killed")
    table, gone = kill_dask(kernels, urls)
    check("the worker is gone", gone)
    check("equal rows: nothing lost, nothing twice", rows(table) == expected)

    print("two workers that write to one folder")
    kill_writers(urls)

    print("an array of tasks")
    with tempfile.TemporaryDirectory() as folder:
        listed = "".join(f"{path.resolve()}\n" for path in artifacts)
        pathlib.Path(folder, "artifacts.txt").write_text(listed)
        bin_folder = pathlib.Path(folder, "bin")
        bin_folder.mkdir()
        bin_folder.joinpath("rocm-audit").symlink_to(pathlib.Path(words.program).resolve())
        for task in range(1, len(artifacts) + 1):
            env = {**os.environ, "SLURM_ARRAY_TASK_ID": str(task), "PATH": f"{bin_folder}:{os.environ['PATH']}"}
            subprocess.run(["sh", "-c", page["array.sh"]], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
        import pyarrow.parquet as parquet

        # The source of these rows is a path as given.
        table = parquet.read_table(os.path.join(folder, "fleet/kernels"))
        without = lambda bag: collections.Counter(
            {tuple((k, v) for k, v in row if k not in ("source", "digest")): n for row, n in bag.items()}
        )
        check("equal rows", without(rows(table)) == without(expected))
    server.shutdown()
    print("all equal")


if __name__ == "__main__":
    main()
