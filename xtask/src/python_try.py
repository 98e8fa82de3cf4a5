"""What a wheel of rocm_audit does where Python is and nothing else: the argument is the folder of fixtures."""

import importlib.metadata
import importlib.util
import io
import pathlib
import sys
import tempfile

import rocm_audit

fixtures = pathlib.Path(sys.argv[1])
wheel = fixtures / "containers/package/demo-1.0-py3-none-linux_x86_64.whl"
assert sys.prefix != sys.base_prefix and rocm_audit.__file__.startswith(sys.prefix), rocm_audit.__file__
assert rocm_audit.TOOL.endswith(importlib.metadata.version("rocm-audit-py")), rocm_audit.TOOL
# fixtures/containers.json has these numbers from LLVM's tools.
assert rocm_audit.audit(wheel)["summary"]["code_objects"] == 5
assert rocm_audit.audit(io.BytesIO(wheel.read_bytes()))["summary"]["kernels"] == 5
assert type(rocm_audit.scan(wheel).__arrow_c_stream__()).__name__ == "PyCapsule"
with tempfile.TemporaryDirectory() as folder:
    assert rocm_audit.write_tables(wheel, folder)
    assert len(list(pathlib.Path(folder).glob("*/*.parquet"))) == len(rocm_audit.TABLES)
# Who passes on a library passes on its licences, and nothing of the machine that made it.
files = {file.name: file for file in importlib.metadata.files("rocm-audit-py")}
assert {"LICENSE-MIT", "LICENSE-APACHE", "LICENSES-THIRD-PARTY.txt", "rocm-audit-py.cdx.json"} <= set(files), sorted(files)
assert "pyo3" in files["LICENSES-THIRD-PARTY.txt"].read_text() and "file:" not in files["rocm-audit-py.cdx.json"].read_text()
typed = pathlib.Path(rocm_audit.__file__).parent
assert (typed / "py.typed").exists() and (typed / "report.py").exists() and (typed / "_native.pyi").exists()
for name in ["pyarrow", "maturin"]:
    assert importlib.util.find_spec(name) is None, f"{name} is here"
print(f"{rocm_audit.TOOL} runs in Python {sys.version.split()[0]}")
