"""What the first table of a process costs in Python, against the program that writes the same rows.

    python benches/first_scan.py ROCM_AUDIT FILE...

The time of a process that only imports is taken off from that of one that imports and reads; the program has all of its own. Runs take
turns, and medians are printed: wall time, and time of computing.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = int(os.environ.get("RUNS", "9"))
IMPORT = "import pyarrow, rocm_audit"
#: How a table is read, after what is imported before.
WAYS = {
    "RecordBatchReader.from_stream": (IMPORT, "pyarrow.RecordBatchReader.from_stream(SCAN).read_all()"),
    "pyarrow.table": (IMPORT, "pyarrow.table(SCAN)"),
    "pyarrow.table, pandas imported": (f"{IMPORT}, pandas", "pyarrow.table(SCAN)"),
    "polars.DataFrame": ("import polars, rocm_audit", "polars.DataFrame(SCAN)"),
    "duckdb": ("import duckdb, rocm_audit", "rows = SCAN; duckdb.sql('select count(*), max(vgprs) from rows').fetchall()"),
}


def run(words):
    """Wall time and time of computing."""
    began, before = time.perf_counter(), os.times()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    computing = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - began, computing


def main():
    program, *files = sys.argv[1:]
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            own = [program, "-q", "--allow-incomplete", "-o", os.path.join(folder, "kernels.parquet"), path]
            bare = {way: [sys.executable, "-c", first] for way, (first, _) in WAYS.items()}
            read = {
                way: [sys.executable, "-c", f"{first}; {then.replace('SCAN', 'rocm_audit.scan(' + repr(path) + ')')}"]
                for way, (first, then) in WAYS.items()
            }
            times = {"program": []} | {way: [] for way in WAYS}
            run(own)  # The file is in memory then.
            for _ in range(RUNS):
                times["program"].append(run(own))
                for way in WAYS:
                    times[way].append([with_it - without for with_it, without in zip(run(read[way]), run(bare[way]))])
        print(f"{os.path.basename(path)}, {os.stat(path).st_size / 1e6:.0f} MB, medians of {RUNS}")
        wall, computing = (statistics.median(column) for column in zip(*times.pop("program")))
        print(f"  {'program, -o kernels.parquet':32} {wall:6.2f} s        {computing:6.2f} s of computing")
        for way, found in times.items():
            own_wall, own_computing = (statistics.median(column) for column in zip(*found))
            print(f"  {way:32} {own_wall:6.2f} s  {own_wall / wall:4.2f}  {own_computing:6.2f} s of computing  {own_computing / computing:4.2f}")


if __name__ == "__main__":
    main()
