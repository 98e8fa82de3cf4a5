#!/usr/bin/env python3
"""Peak memory of the program on files that take little space and stand for much: 67 cases, each with 1, 2, 8 and 64 threads.

    python3 oracles/memory.py PROGRAM [--only PART OF A NAME] [--first NUMBER] [--threads 1,2,8,64] [--keep FOLDER]

Prints a table in Markdown: MiB at most for each number of threads, the size of the case, processor seconds with one thread, and
the status. MiB are resident pages at most; where these are beyond the bound by pages of the files alone, which the system takes
back when it likes, the program's own stand behind them. Ends with 1 where the program's own are more than 256 MiB and the largest
file, and where a case is killed, takes longer than 2 s for each MB and 2 s, or prints another document with another number of
threads. Standard library only; Linux."""

import argparse
import gzip
import hashlib
import io
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
CASES = []
q = lambda *numbers: struct.pack(f"<{len(numbers)}Q", *numbers)


def case(name, call="-f json %"):
    """A function that fills a folder; `%` is the folder and `@` the first file in it."""
    def add(make):
        CASES.append((name, call, make))
        return make
    return add


def copies(name, content, numbers=(1, 8), call="-f json %"):
    """A file, once and several times: with as many threads as files they are read at the same time."""
    for number in numbers:
        def make(folder, number=number):
            data = content()
            for at in range(number):
                (folder / name.replace("*", str(at))).write_bytes(data)
        CASES.append((f"{name.replace('*', 'x')}: {content.__doc__}, {number} of it", call, make))


def bundle(first, count, name="hip-amdgcn-amd-amdhsa--x%06d"):
    out = [b"__CLANG_OFFLOAD_BUNDLE__", q(count)]
    for at in range(first, first + count):
        text = (name % at).encode()
        out += [q(0, 0, len(text)), text]
    return b"".join(out)


def names():
    """63 bundles of 4,096 names"""
    return b"".join(bundle(4096 * at, 4096) for at in range(63))


def empties():
    """131,072 empty bundles"""
    return bundle(0, 1, "host-x86_64--%d") * (1 << 17)


def binaries():
    """OffloadBinaries of 4,096 images that are not there"""
    return (b"\x10\xff\x10\xad" + struct.pack("<I", 2) + q(48, 32, 4096, 0)) * 64


def stored(content, name, count=1):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for at in range(count):
            archive.writestr(zipfile.ZipInfo(name.replace("*", str(at))), content)
    return out.getvalue()


def packed(content, name, count=1):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for at in range(count):
            archive.writestr(name.replace("*", str(at)), content)
    return out.getvalue()


def ar():
    """200,000 members that are code objects without content"""
    head = b"\x7fELF\x02\x01\x01\x40" + bytes(10) + b"\xe0\0" + bytes(44)
    member = f"{'o/':<16}{0:<12}{0:<6}{0:<6}{'644':<8}{len(head):<10}`\n".encode() + head
    return b"!<arch>\n" + member * 200_000


def pack(value):
    """A value of MessagePack."""
    if isinstance(value, int):
        return bytes([value]) if value < 128 else b"\xcf" + struct.pack(">Q", value)
    if isinstance(value, str):
        return b"\xda" + struct.pack(">H", len(value)) + value.encode()
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
    return b"\xdf" + struct.pack(">I", len(value)) + b"".join(pack(k) + pack(v) for k, v in value.items())


def kpack():
    """a table of 120,000 targets of one long key"""
    rows = {"lib/" + "k" * 240 + "#0": {f"{at:x}": {"ordinal": 0} for at in range(120_000)}}
    table = pack({"compression_scheme": "none", "gfx_arches": ["gfx906"], "blobs": [{"offset": 16, "size": 0}], "toc": rows})
    return b"KPAK" + struct.pack("<I", 1) + q(16) + table


def compressed(content):
    body = zlib.compress(content, 9)
    head = b"CCOB" + struct.pack("<HHI", 2, 0, 24 + len(body)) + struct.pack("<I", len(content))
    return head + hashlib.md5(content).digest()[:8] + body


def ccob():
    """a compressed bundle of 4,096 names and 32 MB of zeros"""
    inside = bundle(0, 4096)
    return compressed(inside + bytes(32 << 20))


def notes(kernels):
    """The metadata of a code object with so many kernels."""
    each = {".name": "k", ".symbol": "k.kd", ".vgpr_count": 1, ".sgpr_count": 1, ".kernarg_segment_size": 8}
    body = pack({"amdhsa.version": [1, 2], "amdhsa.target": "amdgcn-amd-amdhsa--gfx906", "amdhsa.kernels": []})
    count = struct.pack(">I", kernels)
    return body[:-4] + count + pack(each) * kernels


def code_object(note):
    """An ELF file for gfx906 with this note and nothing else."""
    note = struct.pack("<III", 7, len(note), 32) + b"AMDGPU\0\0" + note
    note += bytes(-len(note) % 4)
    head = b"\x7fELF\x02\x01\x01\x40\x03" + bytes(7) + struct.pack("<HHIQQQIHHHHHH", 3, 224, 1, 0, 64, 0, 0x2f, 64, 56, 1, 64, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(note), len(note), 4)
    return head + segment + note


def kernels():
    """a code object of 120,000 kernels"""
    return code_object(notes(120_000))


def sections():
    """an ELF library of 65,000 empty sections"""
    count = 65_000
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64, 0, 64, 56, 0, 64, count, 1)
    names = b"\0.shstrtab\0.hip_fatbin\0"
    at = 64 + 64 * count
    table = [bytes(64), struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, at, len(names), 0, 0, 1, 0)]
    table += [struct.pack("<IIQQQQIIQQ", 11, 1, 2, 0, 64, 0, 0, 0, 1, 0)] * (count - 2)
    return head + b"".join(table) + names


def catalog(kind):
    if kind == "numbers":
        solutions = b"\xdd" + struct.pack(">I", 12_000_000) + b"\x01" * 12_000_000
    elif kind == "maps":
        solutions = pack([{"index": 1, "name": "k"} for _ in range(300_000)])
    else:
        solutions = b"\x91" * 4_000_000 + b"\x01"
    return b"\x82" + pack("solutions") + solutions + pack("library") + pack({"type": "Hardware", "rows": []})


def tensile_numbers():
    """a catalog of 12 million numbers"""
    return catalog("numbers")


def tensile_maps():
    """a catalog of 300,000 solutions of nothing"""
    return catalog("maps")


def tensile_deep():
    """a catalog of 4 million brackets"""
    return catalog("deep")


def tensile_zlib():
    """a packed catalog of 200 MB of zeros"""
    return zlib.compress(b"\x82" + pack("solutions") + b"\xdd" + struct.pack(">I", 200 << 20) + bytes(200 << 20), 9)


def yaml_aliases():
    """a catalog in YAML whose aliases stand for much"""
    lines = ["solutions:", "- &a {" + ", ".join(f"k{at}: 1" for at in range(1000)) + "}"]
    return ("\n".join(lines + ["- *a"] * 100_000 + ["library: {type: Hardware, rows: []}"])).encode()


def find_db():
    """a find-db of 60,000 lines"""
    line = "576-4-4-1x1-192-4-4-%d-0x0-1x1-1x1-0-NHWC-NCHW-NCHW-FP32-F=ConvAsm1x1U:0.1,0,miopenConvolutionFwdAlgoDirect,x;" + "A:1,2,b,c;" * 20
    return "\n".join(line % at for at in range(60_000)).encode()


def perf_db():
    """a perf-db of 60,000 lines"""
    line = "2x64x55x55x1x3x1x1x16x%dx1x0x0x1x1x0x1x1x0x0x1xNCHWxFP16xB=ConvAsm1x1U:1,2;" + "CK:x;" * 30
    return "\n".join(line % at for at in range(60_000)).encode()


def database(statements):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.db"
        base = sqlite3.connect(path)
        for statement, rows in statements:
            base.executemany(statement, rows) if rows else base.execute(statement)
        base.commit()
        base.close()
        return path.read_bytes()


def kernel_db():
    """a kernel database of 100,000 rows"""
    made = ("CREATE TABLE kern_db (id INTEGER PRIMARY KEY ASC, kernel_name TEXT NOT NULL, kernel_args TEXT NOT NULL, "
            "kernel_blob BLOB NOT NULL, kernel_hash TEXT NOT NULL, uncompressed_size INT NOT NULL)")
    rows = [[at, f"{at}.s.o", "-mcpu=gfx900", b"BZh9", "0" * 32, 700] for at in range(100_000)]
    return database([(made, None), ("INSERT INTO kern_db VALUES (?, ?, ?, ?, ?, ?)", rows)])


def field(number, data):
    length, out = len(data), bytearray([number << 3 | 2])
    while length > 127:
        out.append(length & 127 | 128)
        length >>= 7
    out.append(length)
    return bytes(out) + data


def onnx(part, count):
    return b"\x08\x08" + field(7, part * count)


def tensors(count, name):
    header = "{" + ",".join(f'"{name(at)}":{{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}' for at in range(count)) + "}"
    return q(len(header)) + header.encode() + bytes(4)


def gguf(count):
    out = [b"GGUF" + struct.pack("<I", 3) + q(count, 0)]
    for at in range(count):
        name = f"{at:07}".encode()
        out.append(q(len(name)) + name + struct.pack("<I", 1) + q(32) + struct.pack("<I", 0) + q(128 * at))
    return b"".join(out)


def gguf_arrays(count=4000):
    out = [b"GGUF" + struct.pack("<I", 3) + q(0, count)]
    for at in range(count):
        name = f"{at:06}".encode()
        out.append(q(len(name)) + name + struct.pack("<II", 9, 0) + q(4096) + bytes([7]) * 4096)
    return b"".join(out)


def squashfs(folders, long, count):
    def blocks(raw):
        out, starts = bytearray(), []
        for at in range(0, len(raw), 8192):
            block = zlib.compress(raw[at:at + 8192], 9)
            starts.append(len(out))
            out += struct.pack("<H", len(block)) + block
        return bytes(out), starts

    def listing(names):
        out = bytearray()
        for at in range(0, len(names), 256):
            run = names[at:at + 256]
            out += struct.pack("<III", len(run) - 1, 0, 1)
            for name, inode in run:
                out += struct.pack("<HHHH", inode, 0, 1, len(name) - 1) + name
        return bytes(out)

    place = lambda at: 32 + 40 * at
    lists = [listing([(b"x", 0)] * count)] + [listing([(b"a" * long, place(at))]) for at in range(folders)]
    table, starts = blocks(b"".join(lists))
    inodes = struct.pack("<HHHH", 2, 0o644, 0, 0) + struct.pack("<IIIIII", 0, 1, 0, 0xffffffff, 0, 0)
    at = 0
    for one in lists:
        inodes += struct.pack("<HHHH", 8, 0o755, 0, 0)
        inodes += struct.pack("<IIIIII", 0, 2, 2, len(one) + 3, starts[at // 8192], 0)
        inodes += struct.pack("<HH", 0, at % 8192) + struct.pack("<I", 0xffffffff)
        at += len(one)
    inodes, _ = blocks(inodes)
    folders_at, end = 96 + len(inodes), 96 + len(inodes) + len(table)
    none = (1 << 64) - 1
    head = b"hsqs" + struct.pack("<IIII", folders + 2, 0, 1 << 17, 0) + struct.pack("<HHHHHH", 1, 17, 0, 1, 4, 0)
    return head + q(place(folders), end, end, none, 96, folders_at, none, none) + inodes + table + bytes(4096)


def image():
    """35 KB of squashfs, 255,000 names in four folders"""
    return squashfs(4, 1000, 255_000)


def zips():
    """30 zips of 30 zips of 30 wheels"""
    wheel = (FIXTURES / "containers/package/demo-1.0-py3-none-linux_x86_64.whl").read_bytes()
    return packed(packed(packed(wheel, "p*.whl", 30), "p*.zip", 30), "p*.zip", 30)


def long_names():
    """1,000 members of long names, 64 bundles in each"""
    content = (FIXTURES / "containers/ccob/v3-zstd.co").read_bytes() * 64
    return packed(content, "n" * 1000 + "*.co", 1000)


def broken_members():
    """a wheel of 200,000 broken code objects"""
    return stored(b"CCOB\x02\0\x01\0broken", "w/*.co", 200_000)


def cpio():
    """150,000 names of 200 bytes"""
    out = []
    for at in range(150_000):
        name = f"{'d' * 190}{at:08}.co".encode() + b"\0"
        fields = (at, 0o100644, 0, 0, 1, 0, 0, 0, 0, 0, 0, len(name), 0)
        head = b"070701" + b"".join(b"%08x" % number for number in fields)
        out.append(head + name + bytes(-(len(head) + len(name)) % 4))
    return b"".join(out)


def tar_names():
    """200,000 empty members of long names"""
    one = io.BytesIO()
    with tarfile.open(fileobj=one, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for at in range(200):
            archive.addfile(tarfile.TarInfo(f"{'n' * 80}{at}.co"))
    body = one.getvalue()[:200 * 512]
    return gzip.compress(body * 1000 + bytes(1024), 6)


def status():
    """a list of dpkg with 200,000 packages"""
    return b"".join(b"Package: p%d\nStatus: install ok installed\nVersion: 1\nDepends: a, b, c\n\n" % at for at in range(200_000))


def record():
    """a RECORD of 300,000 files"""
    return b"".join(b"torch/lib/lib%d.so,sha256=x,1\n" % at for at in range(300_000))


copies("*.hipfb", names, (1, 2, 8, 16))
copies("*.hipfb", empties)
copies("*.out", binaries)
copies("*.a", ar)
copies("*.kpack", kpack)
copies("*.co", ccob)
copies("*.hsaco", kernels)
copies("*.so", sections)
copies("*.squashfs", image, (1, 2, 6))
copies("*.zip", zips, (1, 4))
copies("*.zip", long_names, (1, 2))
copies("*.zip", long_names, (1,), "fatbin -f json @")
copies("*.zip", long_names, (1,), "fatbin @")
copies("*.whl", broken_members, (1, 4))
copies("*.cpio", cpio, (1, 8))
copies("*.tar.gz", tar_names, (1, 8))
copies("TensileLibrary_gfx906_*.dat", tensile_numbers)
copies("TensileLibrary_gfx906_*.dat", tensile_maps)
copies("TensileLibrary_gfx906_*.dat", tensile_deep, (8,))
copies("TensileLibrary_gfx906_*.dat.zlib", tensile_zlib)
copies("TensileLibrary_gfx906_*.yaml", yaml_aliases, (1, 4))
copies("gfx90*_60.HIP.fdb.txt", find_db)
copies("gfx90*_60.db.txt", perf_db)
copies("gfx90*_60.kdb", kernel_db, (1, 4))


@case("8 of the bundles of names in one stored zip")
def _(folder):
    (folder / "x.zip").write_bytes(stored(names(), "*.hipfb", 8))


@case("the same packed")
def _(folder):
    (folder / "x.zip").write_bytes(packed(names(), "*.hipfb", 8))


@case("8 such zips")
def _(folder):
    content = packed(names(), "*.hipfb", 2)
    for at in range(8):
        (folder / f"{at}.zip").write_bytes(content)


@case("8 bundles of names as Markdown", "-f md %")
def _(folder):
    for at in range(8):
        (folder / f"{at}.hipfb").write_bytes(names())


@case("a bundle of names, entries listed", "fatbin --list -f json @")
def _(folder):
    (folder / "x.hipfb").write_bytes(names())


@case("a bundle of names, described", "fatbin -f json @")
def _(folder):
    (folder / "x.hipfb").write_bytes(names())


@case("dpkg's list")
def _(folder):
    path = folder / "var/lib/dpkg/status"
    path.parent.mkdir(parents=True)
    path.write_bytes(status())


@case("a wheel's list")
def _(folder):
    path = folder / "torch-2.0.dist-info/RECORD"
    path.parent.mkdir(parents=True)
    path.write_bytes(record())


@case("20,000 broken files")
def _(folder):
    for at in range(20_000):
        (folder / f"{at}.co").write_bytes(b"CCOB\x02\0\x01\0broken")


def model(name, content, call="model --gpu gfx1100 -f json @"):
    @case(name, call)
    def _(folder):
        (folder / ("x" + name.split(":")[0])).write_bytes(content())


model(".onnx: 5 million empty nodes", lambda: onnx(field(1, b""), 5_000_000))
model(".onnx: 1 million products", lambda: onnx(field(1, field(4, b"MatMul") + field(1, b"a") + field(1, b"b") + field(2, b"c")), 1_000_000))
model(".onnx: 8 million empty constants", lambda: onnx(field(5, b""), 8_000_000))
model(".onnx: 4 million inputs of one name", lambda: onnx(field(11, field(1, b"x")), 4_000_000))
model(".safetensors: 1.5 million tensors", lambda: tensors(1_500_000, str))
model(".safetensors: 900 names of 100,000 bytes", lambda: tensors(900, lambda at: f"{at}" + "n" * 100_000))
model(".gguf: 2 million tensors", lambda: gguf(2_000_000))
model(".gguf: 4,000 arrays", gguf_arrays)


@case("12 parts of a GGUF model", "model --gpu gfx1100 -f json @")
def _(folder):
    content = gguf_arrays(1000)
    for at in range(1, 13):
        (folder / f"x-{at:05}-of-00012.gguf").write_bytes(content)


@case("a log of 64 MB of one message", "explain -f json --log @")
def _(folder):
    (folder / "x.log").write_bytes(b"rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1032\n" * 560_000)


def run(program, call, folder, threads, temporary):
    first = next((path for path in sorted(folder.rglob("*")) if path.is_file()), folder)
    words = [{"%": str(folder), "@": str(first)}.get(word, word) for word in call.split(" ")]
    began = time.monotonic()
    with open(temporary / "out", "wb") as out, open(temporary / "err", "wb") as errors:
        child = subprocess.Popen([program, "-j", str(threads), *words], stdout=out, stderr=errors, stdin=subprocess.DEVNULL)
        # What wait4 says of memory counts this process too, of which the child is a copy at first.
        memory, own, ended = 0, 0, 0
        while not ended:
            try:
                text = pathlib.Path(f"/proc/{child.pid}/status").read_text()
                sizes = {line.split()[0]: int(line.split()[1]) for line in text.splitlines() if line.endswith(" kB")}
                memory = max(memory, sizes.get("VmHWM:", 0))
                own = max(own, sizes.get("RssAnon:", 0) + sizes.get("RssShmem:", 0))
            except (OSError, ValueError):
                pass
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            time.sleep(0.003)
    with open(temporary / "out", "rb") as out:
        digest = hashlib.file_digest(out, "sha256").hexdigest()
    return {
        "memory": memory / 1024, "own": own / 1024, "cpu": usage.ru_utime + usage.ru_stime, "wall": time.monotonic() - began,
        "status": os.waitstatus_to_exitcode(status), "digest": digest,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    parser.add_argument("--first", type=int, default=0, help="the number of the case to begin with")
    parser.add_argument("--threads", default="1,2,8,64")
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    threads = [int(number) for number in given.threads.split(",")]
    work = pathlib.Path(tempfile.mkdtemp())
    wrong = []
    print("| case | MB | " + " | ".join(f"{number} thread{'s' * (number > 1)}" for number in threads) + " | CPU s | status |")
    print("| --- | ---: | " + "---: | " * len(threads) + "---: | ---: |", flush=True)
    for number, (name, call, make) in enumerate(CASES):
        title = name if call == "-f json %" else f"{name} (`{call.replace('%', 'DIR').replace('@', 'FILE')}`)"
        if given.only not in title or number < given.first:
            continue
        folder = (given.keep or work) / f"case-{number}"
        folder.mkdir(parents=True)
        make(folder)
        sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
        runs = [run(given.program, call, folder, count, work) for count in threads]
        most = 256 + max(sizes) / (1 << 20)
        faults = []
        if any(one["own"] > most for one in runs):
            faults.append("memory")
        if any(one["cpu"] > 2 + 2 * sum(sizes) / 1e6 for one in runs):
            faults.append("time")
        if any(one["status"] not in (0, 1, 2) for one in runs):
            faults.append("killed")
        if len({(one["digest"], one["status"]) for one in runs}) > 1:
            faults.append("threads")
        shown = lambda one: f"{one['memory']:.0f}" + (f" ({one['own']:.0f} own)" if one["memory"] > most else "")
        row = [shown(one) for one in runs] + [f"{runs[0]['cpu']:.1f}", str(runs[0]["status"])]
        print(f"| {title}{' **' + ', '.join(faults) + '**' if faults else ''} | {sum(sizes) / 1e6:.1f} | " + " | ".join(row) + " |", flush=True)
        wrong += faults
        if not given.keep:
            shutil.rmtree(folder)
    shutil.rmtree(work, ignore_errors=True)
    print(f"\n{len(CASES)} cases, {len(wrong)} beyond what is promised", file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
