"""The binding against the program, other readers of Arrow, and users who press Ctrl-C."""

import doctest
import hashlib
import io
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import rocm_audit

ROOT = pathlib.Path(__file__).resolve().parents[3]
WHEEL = ROOT / "fixtures/containers/package/demo-1.0-py3-none-linux_x86_64.whl"
TREE = ROOT / "fixtures/rocm"
#: The program to compare this binding with; without it those tests are skipped.
PROGRAM = os.environ.get("ROCM_AUDIT", str(ROOT / "target/release/rocm-audit"))
#: Smallest request to a source with ranges, in bytes.
BLOCK = 64 << 10
#: A large library of a real package.
LARGE = os.environ.get("ROCM_AUDIT_LARGE", "")


def program(*words):
    return subprocess.run([PROGRAM, *map(str, words)], cwd=ROOT, stdout=subprocess.PIPE, check=False).stdout


class Ranges(io.RawIOBase):
    """A file object that counts what is read of it."""

    def __init__(self, path):
        self.file, self.read_bytes = open(path, "rb"), 0

    def seek(self, offset, whence=0):
        return self.file.seek(offset, whence)

    def tell(self):
        return self.file.tell()

    def read(self, size=-1):
        data = self.file.read(size)
        self.read_bytes += len(data)
        return data

    def close(self):
        self.file.close()


class Reports(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(PROGRAM), "no program to compare with")
    def test_a_report_is_that_of_the_program(self):
        os.chdir(ROOT)
        for path in ["fixtures/rocm", str(WHEEL.relative_to(ROOT))]:
            self.assertEqual(rocm_audit.audit(path), json.loads(program("-f", "json", path)))
        self.assertEqual(
            rocm_audit.audit("fixtures/rocm", arch=["gfx900"])["verdicts"][0]["processor"], "gfx900"
        )
        self.assertEqual(rocm_audit.audit("fixtures/rocm", arch="RX 6600")["asked"], ["gfx1032"])

    def test_file_objects_are_read_in_place(self):
        with Ranges(WHEEL) as file:
            of_object = rocm_audit.audit(file)
            self.assertLessEqual(file.read_bytes, WHEEL.stat().st_size)
        of_path = rocm_audit.audit(WHEEL)
        for part in ["summary", "totals", "complete"]:
            self.assertEqual(of_object[part], of_path[part], part)
        for table in rocm_audit.TABLES:
            with Ranges(WHEEL) as file:
                rows = pyarrow.table(rocm_audit.scan(file, table, name=str(WHEEL)))
            self.assertEqual(rows.to_pylist(), pyarrow.table(rocm_audit.scan(WHEEL, table)).to_pylist(), table)
        self.assertEqual(rocm_audit.audit(io.BytesIO(WHEEL.read_bytes()))["summary"], of_path["summary"])

    def test_excluded_members_are_not_read(self):
        """Beside the library with code lies one that only looks as if it had some, of 4 MB that cannot be packed."""
        code = (TREE / "lib/librocrand.so.1.1").read_bytes()
        noise = b"".join(hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(1 << 17))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "demo-1.0-py3-none-any.whl"
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
                wheel.writestr("demo/libdemo_rocm.so", code)
                wheel.writestr("demo/libdemo_cuda.so", code + noise)
            kernels, read = {}, {}
            for exclude in [(), "*cuda*"]:
                with Ranges(path) as file:
                    kernels[exclude] = pyarrow.table(rocm_audit.scan(file, exclude=exclude, name="demo"))
                    read[exclude] = file.read_bytes
                with Ranges(path) as file:
                    self.assertEqual(rocm_audit.audit(file, exclude=exclude)["summary"]["kernels"], kernels[exclude].num_rows)
                    read[exclude] = max(read[exclude], file.read_bytes)
            self.assertGreater(read[()], len(noise))
            self.assertLess(read["*cuda*"], path.stat().st_size - len(noise) + 4 * BLOCK)
            self.assertEqual(set(kernels[()]["path"].to_pylist()), {"demo/libdemo_rocm.so", "demo/libdemo_cuda.so"})
            rest = [row for row in kernels[()].to_pylist() if "cuda" not in row["path"]]
            self.assertEqual(kernels["*cuda*"].to_pylist(), rest)
            self.assertGreater(len(rest), 0)

    def test_damage_is_raised_with_its_offset(self):
        whole = (TREE / "lib/codeobject/v4_gfx906.hsaco").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.hsaco"
            path.write_bytes(whole[:-500])
            self.assertFalse(rocm_audit.audit(path)["complete"])
            with self.assertRaises(rocm_audit.DamageError) as caught:
                rocm_audit.audit(path, on_damage="raise")
            error = pickle.loads(pickle.dumps(caught.exception))
            self.assertTrue(error.path.endswith("cut.hsaco"), error.path)
            self.assertIsInstance(error.offset, int)
            self.assertIn(str(error.offset), str(error))
            self.assertTrue(error.rule)
            self.assertFalse(error.report["complete"])

    def test_wrong_calls_are_refused(self):
        with self.assertRaises(FileNotFoundError):
            rocm_audit.audit("/nowhere/at/all")
        with self.assertRaises(TypeError):
            rocm_audit.audit(7)
        with self.assertRaisesRegex(ValueError, "gfx9000"):
            rocm_audit.audit(TREE, arch="gfx9000")
        with self.assertRaisesRegex(ValueError, "there are kernels, code_objects"):
            rocm_audit.scan(TREE, "banana")
        with self.assertRaisesRegex(ValueError, "no such scanner"):
            rocm_audit.audit(TREE, only="banana")
        with self.assertRaises(TypeError):
            rocm_audit.audit(TREE, banana=1)

    def test_what_a_file_object_raises_is_raised(self):
        class Broken(Ranges):
            def read(self, size=-1):
                raise ConnectionResetError("the store has gone")

        with Broken(WHEEL) as file, self.assertRaisesRegex(ConnectionResetError, "the store has gone"):
            rocm_audit.audit(file)
        with Broken(WHEEL) as file, self.assertRaisesRegex(Exception, "the store has gone"):
            pyarrow.table(rocm_audit.scan(file))

    def test_progress_is_told_and_can_end_a_run(self):
        heard = []
        rocm_audit.audit(TREE, progress=lambda done, all: heard.append((done, all)))
        self.assertTrue(heard and heard[-1][0] <= heard[-1][1], heard)
        self.assertGreater(heard[-1][1], 100_000)

        def end(done, all):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            rocm_audit.audit(TREE, progress=end)

    def test_threads_have_their_own_runs(self):
        expected, found = rocm_audit.audit(TREE), []
        threads = [threading.Thread(target=lambda: found.append(rocm_audit.audit(TREE))) for _ in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(found, [expected] * 8)

    def test_others_run_meanwhile(self):
        """The interpreter's lock is given up."""
        turns, done = 0, threading.Event()
        thread = threading.Thread(target=lambda: (rocm_audit.audit(TREE, isa=True), done.set()))
        thread.start()
        while not done.is_set():
            turns += 1
            time.sleep(0.001)
        self.assertGreater(turns, 3)

    @unittest.skipUnless(hasattr(os, "fork"), "nothing is forked here")
    def test_a_forked_process_can_audit(self):
        rocm_audit.audit(WHEEL)
        process = os.fork()
        if process == 0:
            signal.alarm(30)
            os._exit(0 if rocm_audit.audit(WHEEL)["summary"]["kernels"] else 1)
        self.assertEqual(os.waitpid(process, 0)[1], 0)


class Tables(unittest.TestCase):
    def test_every_reader_of_arrow_has_the_same_rows(self):
        for table in rocm_audit.TABLES:
            scan = rocm_audit.scan(WHEEL, table)
            by_pyarrow = pyarrow.table(scan)
            self.assertEqual(by_pyarrow.schema.names, [name for name, _, _ in rocm_audit.columns(table)])
            rows = by_pyarrow.to_pylist()
            self.assertEqual(polars.DataFrame(scan).to_dicts(), rows, table)
            self.assertEqual(duckdb.sql("from scan").to_arrow_table().to_pylist(), rows, table)
            frame = pandas.DataFrame.from_arrow(scan) if hasattr(pandas.DataFrame, "from_arrow") else None
            if frame is not None:
                self.assertEqual(len(frame), len(rows), table)
        self.assertGreater(len(pyarrow.table(rocm_audit.scan(WHEEL))), 0)

    @unittest.skipUnless(os.path.exists(PROGRAM), "no program to compare with")
    def test_a_stream_is_the_file_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for table in rocm_audit.TABLES:
                path = os.path.join(folder, f"{table}.parquet")
                program("-q", "--allow-incomplete", "-o", path, "--rows", table, TREE)
                import pyarrow.parquet as parquet

                own = pyarrow.table(rocm_audit.scan(TREE, table))
                self.assertEqual(own.to_pylist(), parquet.read_table(path).to_pylist(), table)

    @unittest.skipUnless(os.path.exists(PROGRAM), "no program to compare with")
    def test_files_of_tables_are_those_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            own, other = os.path.join(folder, "own"), os.path.join(folder, "other")
            self.assertTrue(rocm_audit.write_tables(WHEEL, own))
            self.assertFalse(rocm_audit.write_tables(WHEEL, own), "it is there")
            with open(WHEEL, "rb") as file:
                self.assertTrue(rocm_audit.write_tables(file, own, name=str(WHEEL), again=True))
            self.assertTrue(rocm_audit.has_tables(own, hashlib.sha256(WHEEL.read_bytes()).hexdigest()))
            program("tables", "--into", other, WHEEL)
            files = lambda root: {
                str(path.relative_to(root)): path.read_bytes() for path in pathlib.Path(root).rglob("*.parquet")
            }
            self.assertEqual(files(own), files(other))

    def test_a_stream_that_nobody_reads_on_ends(self):
        before = threading.active_count()
        for _ in range(20):
            reader = pyarrow.RecordBatchReader.from_stream(rocm_audit.scan(TREE))
            reader.read_next_batch()
            del reader
        self.assertEqual(threading.active_count(), before)


    def test_streams_do_not_wait_for_each_other(self):
        """More of them than threads, and none is read before the last: each has more rows than wait to be taken."""
        [whole] = (ROOT / "fixtures/hipblaslt/library").glob("*_HH_HH_HA_Bias_SAV_*gfx1151.co")
        code = whole.read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            # Several packages: what is found in one may take only so much memory.
            for place in range(6):
                with zipfile.ZipFile(os.path.join(folder, f"{place}.zip"), "w") as file:
                    for number in range(9_000):
                        file.writestr(f"{number}.co", code)
            words = [sys.executable, "-c", STREAMS, folder]
            run = subprocess.run(words, env={**os.environ, "RAYON_NUM_THREADS": "1"}, stdout=subprocess.PIPE, timeout=180)
            [first, *others] = json.loads(run.stdout)
            self.assertGreater(first[0], 2, "batches")
            self.assertEqual(others, [first] * 2)

    def test_rows_that_are_not_what_is_wanted_are_made_anew(self):
        digest = rocm_audit.digest(WHEEL)
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(rocm_audit.write_tables(WHEEL, folder, exclude="*.so"))
            self.assertFalse(rocm_audit.has_tables(folder, digest))
            self.assertTrue(rocm_audit.has_tables(folder, digest, exclude="*.so"))
            self.assertTrue(rocm_audit.write_tables(WHEEL, folder))
            self.assertTrue(rocm_audit.write_tables(WHEEL, folder, isa=True), "no code was decoded")
            decoded = next(pathlib.Path(folder, "kernels").iterdir())
            self.assertNotIn(None, pyarrow.parquet.read_table(decoded)["instructions"].to_pylist())
            self.assertFalse(rocm_audit.write_tables(WHEEL, folder, isa=True))
            self.assertFalse(rocm_audit.write_tables(WHEEL, folder), "it has more than is wanted")


STREAMS = """
import json, sys, pyarrow, rocm_audit
streams = [pyarrow.RecordBatchReader.from_stream(rocm_audit.scan(sys.argv[1])) for _ in range(3)]
read = lambda stream: [batch.num_rows for batch in stream]
print(json.dumps([[len(batches), sum(batches)] for batches in map(read, reversed(streams))]))
"""

INTERRUPTED = """
import os, sys, time, rocm_audit, pyarrow
class Slow:
    def __init__(self, path): self.file = open(path, "rb")
    def seek(self, *words): return self.file.seek(*words)
    def tell(self): return self.file.tell()
    def read(self, size=-1): time.sleep(0.05); return self.file.read(min(size, 4096))
what, source = sys.argv[1:]
source = Slow(source) if what.endswith("object") else source
print("begun", flush=True)
def run():
    if what.startswith("audit"):
        return rocm_audit.audit(source, isa=True)
    try:
        pyarrow.table(rocm_audit.scan(source, isa=True))
    except pyarrow.ArrowInvalid:
        pass  # Arrow's streams carry no exceptions: that of the user follows here.
try:
    while True:
        run()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_within_a_second_and_leaves_nothing(self):
        sources = [("audit", TREE), ("scan", TREE), ("audit-object", WHEEL), ("scan-object", WHEEL)]
        sources += [("audit", LARGE), ("scan", LARGE)] if LARGE else []
        for what, source in sources:
            with self.subTest(what=what, source=source), tempfile.TemporaryDirectory() as folder:
                run = subprocess.Popen(
                    [sys.executable, "-c", INTERRUPTED, what, str(source)],
                    stdout=subprocess.PIPE,
                    text=True,
                    env={**os.environ, "TMPDIR": folder},
                )
                self.assertEqual(run.stdout.readline(), "begun\n")
                time.sleep(0.5)
                sent = time.monotonic()
                run.send_signal(signal.SIGINT)
                self.assertEqual(run.stdout.readline(), "interrupted\n")
                self.assertLess(time.monotonic() - sent, 1.0)
                self.assertEqual(run.wait(5), 0)
                self.assertEqual(os.listdir(folder), [])
                run.stdout.close()


class Questions(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(PROGRAM), "no program to compare with")
    def test_each_answer_is_the_document_of_the_command(self):
        os.chdir(ROOT)
        wheels = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "fixtures/releases").glob("*.whl"))]
        message = "CUDA error: HIPBLAS_STATUS_UNKNOWN when calling `hipblasSgemm`"
        gguf, ggml, conv = "fixtures/model/small.gguf", "fixtures/ggml/plain", "fwd:fp32:n16:c64:h56:w56:k64:y3x3:p1"
        ask = rocm_audit
        pairs = [
            (ask.verdict("fixtures/rocm", "RX 6600"), ["-f", "verdict", "--gpu", "RX 6600", "fixtures/rocm"]),
            (
                ask.verdict("fixtures/rocm", "RX 6600", override="10.3.0"),
                ["-f", "verdict", "--gpu", "RX 6600", "--override", "10.3.0", "fixtures/rocm"],
            ),
            (ask.check(wheels[0], ["gfx906"]), ["check", wheels[0], "--require", "gfx906", "-f", "json"]),
            (
                ask.check("fixtures/rocm", "gfx906,gfx900".split(","), library="rocBLAS", per_file=True),
                ["check", "fixtures/rocm", "--require", "gfx906,gfx900", "--library", "rocBLAS", "--per-file", "-f", "json"],
            ),
            (ask.diff(*wheels, bigger=5), ["diff", *wheels, "--fail-on", "bigger=5%", "-f", "json"]),
            (ask.diff(*wheels, kernels=True), ["diff", *wheels, "--kernels", "-f", "json"]),
            (
                ask.diff("fixtures/rocm", targets=["gfx900", "gfx906"]),
                ["diff", "fixtures/rocm", "--targets", "gfx900,gfx906", "-f", "json"],
            ),
            (ask.manifest(wheels[0]), ["manifest", wheels[0], "-f", "json"]),
            (ask.choose(wheels, "RX 6600"), ["choose", *wheels, "--gpu", "RX 6600", "-f", "json"]),
            (ask.needs(wheels), ["needs", *wheels, "-f", "json"]),
            (ask.needs("fixtures/rocm", exclude="*.hsaco"), ["needs", "fixtures/rocm", "--exclude", "*.hsaco", "-f", "json"]),
            (ask.explain(message), ["explain", "--error", message, "-f", "json"]),
            (ask.explain(message, "fixtures/rocm"), ["explain", "--error", message, "fixtures/rocm", "-f", "json"]),
            (ask.explain_word("gfx1032"), ["explain", "gfx1032", "-f", "json"]),
            (
                ask.survey("fixtures/tensile", "Vega 64", vs="Radeon VII"),
                ["survey", "Vega 64", "--vs", "Radeon VII", "fixtures/tensile", "-f", "json"],
            ),
            (
                ask.select_gemm("fixtures/tensile", "gfx900", 64, 64, 64, type="HHS", trans="TN", multiprocessors=64),
                "select gemm -m 64 -n 64 -k 64 --type HHS --trans TN --arch gfx900 --cu 64 fixtures/tensile -f json".split(),
            ),
            (
                ask.select_conv("fixtures/miopen", "Vega 64", conv),
                ["select", "conv", conv, "--gpu", "Vega 64", "fixtures/miopen", "-f", "json"],
            ),
            (
                ask.model(gguf, "Vega 64", ggml, quantizations=["Q8_0"], vs="Radeon VII"),
                ["model", gguf, ggml, "--gpu", "Vega 64", "--quant", "Q8_0", "--vs", "Radeon VII", "-f", "json"],
            ),
            (
                ask.model("fixtures/model/small.onnx", "Vega 64"),
                ["model", "fixtures/model/small.onnx", "--gpu", "Vega 64", "-f", "json"],
            ),
        ]
        for own, words in pairs:
            with self.subTest(words[0], words=words):
                others = json.loads(program(*words))
                # The reason for failing depends on the program's options.
                for document in (own, others):
                    for field in ("failed_because", "passed"):
                        document.pop(field, None)
                self.assertEqual(own, others)

    def test_a_word_that_is_off_is_refused(self):
        calls = [
            (lambda: rocm_audit.verdict(TREE, "Banana"), "gpu Banana: no such"),
            (lambda: rocm_audit.verdict(TREE, "RX 6600", override="9.0.6"), "10.3.0"),
            (lambda: rocm_audit.check(TREE), "nothing is required"),
            (lambda: rocm_audit.check(TREE, "gfx906", library="Banana"), "no library of this name"),
            (lambda: rocm_audit.diff(TREE), "two trees are compared"),
            (lambda: rocm_audit.diff(TREE, targets="gfx900"), "two are compared, and 1"),
            (lambda: rocm_audit.select_gemm(TREE, "gfx900", 1, 1, 1, type="XX"), "type XX"),
            (lambda: rocm_audit.select_gemm(TREE, "Vega 64", 1, 1, 1, trans="AB"), "two letters"),
            (lambda: rocm_audit.select_gemm(TREE, "gfx906", 1, 1, 1), "multiprocessors"),
            (lambda: rocm_audit.explain_word("banana"), "no rule, cause"),
        ]
        for call, words in calls:
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()

    def test_a_file_object_is_asked_as_a_path_is(self):
        with open(WHEEL, "rb") as file:
            of_object = rocm_audit.check(file, "gfx906")
        of_path = rocm_audit.check(WHEEL, "gfx906")
        met = [[row["is_met"] for row in report["requirements"]] for report in (of_object, of_path)]
        self.assertEqual(*met)


class Documentation(unittest.TestCase):
    def test_the_page_prints_what_it_shows(self):
        os.chdir(ROOT)
        page = str(ROOT / "docs/python.md")
        failed, tried = doctest.testfile(page, module_relative=False, optionflags=doctest.ELLIPSIS)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 10)


if __name__ == "__main__":
    unittest.main()
