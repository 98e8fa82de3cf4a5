"""Runs the notebooks of docs and compares what they print with what they show.

    python -m unittest tests/test_notebooks.py     # fails where a cell fails, or prints something else
    python tests/test_notebooks.py --write         # stores what they print
"""

import copy
import difflib
import pathlib
import re
import sys
import unittest

import nbclient
import nbformat

ROOT = pathlib.Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
#: A notebook lies in the repository: pictures of a few KiB.
LARGEST = 64 << 10


def executed(path, stored):
    """The notebook with what its cells print now. A cell that fails is raised."""
    notebook = copy.deepcopy(stored)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    place = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=120, resources=place).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    return notebook


def said(notebook):
    """What the cells print, and the words in their pictures, since lines are drawn otherwise by other versions."""
    lines = []
    for at, cell in enumerate(notebook.cells):
        outputs = cell.get("outputs", [])
        # On a slow machine one print comes in several parts.
        printed = "".join(output.text for output in outputs if output.output_type == "stream")
        lines += [f"cell {at}: {line.rstrip()}" for line in printed.splitlines()]
        for output in outputs:
            if output.output_type == "stream":
                continue
            if "image/svg+xml" in output.data:
                words = re.findall(r"<text[^>]*>\s*([^<]*[A-Za-z][^<]*?)\s*</text>", output.data["image/svg+xml"])
                lines += [f"cell {at}, picture: {word}" for word in words]
            else:
                lines.append(f"cell {at}: {output.data['text/plain']}")
    return lines


def compared(stored, now):
    """What differs, as lines."""
    return list(difflib.unified_diff(said(stored), said(now), "shown", "printed now", lineterm="", n=0))


class Notebooks(unittest.TestCase):
    def test_they_print_what_they_show(self):
        self.assertTrue(NOTEBOOKS)
        for path in NOTEBOOKS:
            with self.subTest(path.name):
                stored = nbformat.read(path, as_version=4)
                nbformat.validate(stored)
                self.assertGreater(len(said(stored)), 20)
                self.assertLess(path.stat().st_size, LARGEST)
                differs = compared(stored, executed(path, stored))
                self.assertEqual(differs, [], "\n".join(differs))

    def test_a_cell_that_is_wrong_is_seen(self):
        path = ROOT / "docs/notebooks/releases.ipynb"
        stored = nbformat.read(path, as_version=4)
        asked = [cell for cell in stored.cells if "old.vgprs as before" in cell.source]
        self.assertEqual(len(asked), 1)
        right = asked[0].source
        asked[0].source = right.replace("now > before", "now < before")
        self.assertNotEqual(compared(stored, executed(path, stored)), [])
        asked[0].source = right.replace("old.vgprs as before", "old.banana as before")
        with self.assertRaisesRegex(nbclient.exceptions.CellExecutionError, "banana"):
            executed(path, stored)

    def test_registers_and_targets_are_those_that_llvm_sees(self):
        """fixtures/releases/expected.tsv is what llvm-readelf says of the two wheels."""
        import pyarrow
        import rocm_audit

        folder, found = ROOT / "fixtures/releases", []
        for wheel in sorted(folder.glob("*.whl")):
            for row in pyarrow.table(rocm_audit.scan(wheel)).to_pylist():
                found.append("\t".join(str(row[name]) for name in ["version", "processor", "name", "vgprs"]))
        expected = (folder / "expected.tsv").read_text().splitlines()[1:]
        self.assertEqual(sorted(found), sorted(expected))


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for own in NOTEBOOKS:
        nbformat.write(executed(own, nbformat.read(own, as_version=4)), own)
