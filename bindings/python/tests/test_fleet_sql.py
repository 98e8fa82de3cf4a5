"""Runs the questions of docs/fleet.md with DuckDB, on the tables and manifests of fixtures."""

import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: The program that writes the tables; without it the test is skipped.
PROGRAM = os.environ.get("ROCM_AUDIT", str(ROOT / "target/release/rocm-audit"))
#: What the page tells to write as tables: two releases of a wheel, and a tree with libraries and catalogs.
WHEELS = sorted((ROOT / "fixtures/releases").glob("*.whl"))


def questions():
    """The statements of the page, each with the words above it."""
    page = (ROOT / "docs/fleet.md").read_text()
    blocks = re.findall(r"^```sql\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    statements = [part.strip() for block in blocks for part in re.split(r";\s*$", block, flags=re.MULTILINE)]
    return [statement for statement in statements if statement]


@unittest.skipUnless(os.path.exists(PROGRAM), "no program that writes tables")
class FleetQuestions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.before, cls.folder = os.getcwd(), tempfile.mkdtemp()
        os.chdir(cls.folder)

        def run(*words):
            done = subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, check=False)
            # 1 is a finding.
            assert done.returncode in (0, 1), words
            return done.stdout

        for folder in ("cards", "manifests"):
            os.mkdir(folder)
        lines = []
        with tarfile.open("tree.tar", "w") as tree:
            tree.add(ROOT / "fixtures/rocm", "rocm")
        for artifact in [*WHEELS, pathlib.Path("tree.tar")]:
            run("tables", "--into", "fleet", "--allow-incomplete", artifact)
            card = f"cards/{artifact.name}.parquet"
            run(artifact, "--quiet", "--allow-incomplete", "-o", card, "--rows", "verdicts", "--gpu", "RX 6600")
            if artifact.suffix == ".whl":
                manifest = run("manifest", "-f", "json", artifact).decode()
                pathlib.Path(f"manifests/{artifact.name}.rocm.json").write_text(manifest)
                lines.append(" ".join(manifest.split("\n")))
        pathlib.Path("manifests.jsonl").write_text("\n".join(lines) + "\n")
        run("tables", "--into", "fleet", "manifests")

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        shutil.rmtree(cls.folder)

    def test_every_question_is_answered(self):
        statements = questions()
        # So many questions the page had when this was written: the blocks are found.
        self.assertGreaterEqual(len(statements), 11)
        for statement in statements:
            with self.subTest(statement.splitlines()[0]):
                duckdb.sql(statement).fetchall()

    def test_both_ways_name_the_target_that_a_release_lost(self):
        # fixtures/releases/expected.tsv: gfx906 is in the first wheel only.
        asked = [statement for statement in questions() if "len(lost) > 0" in statement]
        self.assertEqual(len(asked), 2)
        for statement in asked:
            (row,) = duckdb.sql(statement).fetchall()
            before, artifact, lost = row
            self.assertIn("-1.0-", before)
            self.assertIn("-2.0-", artifact)
            self.assertEqual(lost, ["gfx906"])


if __name__ == "__main__":
    unittest.main()
