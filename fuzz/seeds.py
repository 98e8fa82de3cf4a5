#!/usr/bin/env python3
"""Writes fuzz/seeds: small first inputs of the fuzz targets, from the fixtures. Run it without arguments; what it writes is in the
repository."""

import json
import pathlib
import random
import sqlite3
import struct
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
SEEDS = HERE / "seeds"
# A target's seeds together, in bytes.
MOST = 16 << 10


def write(target, seeds):
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    total = 0
    for number, seed in enumerate(seeds):
        total += len(seed)
        if total > MOST:
            break
        (folder / f"{number:02}").write_bytes(seed)


def choices(target, count, length, firsts, more=()):
    """Bytes that are read as choices: small numbers make what is valid, some have a field beyond its limit."""
    made = []
    for number in range(count):
        chance = random.Random(f"{target} {number}")
        body = [chance.randrange(216) if chance.random() < 0.97 else chance.randrange(256) for _ in range(length)]
        made.append(bytes([firsts[number % len(firsts)]] + body))
    write(target, made + list(more))


def text(path, lines=None):
    all_lines = (FIXTURES / path).read_bytes().splitlines(keepends=True)
    return b"".join(all_lines if lines is None else all_lines[:lines])


def database(statements):
    """A database of small pages, without the header that the target puts before it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.db"
        base = sqlite3.connect(path)
        base.execute("PRAGMA page_size=512")
        for statement, rows in statements:
            base.executemany(statement, rows) if rows else base.execute(statement)
        base.commit()
        base.close()
        return path.read_bytes()[16:]


def databases():
    numbers = ("spatial_dim in_channels in_h in_w in_d fil_h fil_w fil_d out_channels batchsize pad_h pad_w pad_d conv_stride_h "
               "conv_stride_w conv_stride_d dilation_h dilation_w dilation_d bias group_count").split()
    columns = ", ".join(f"{name} INT NOT NULL" for name in numbers)
    config = f"CREATE TABLE config (id INTEGER PRIMARY KEY ASC, {columns}, layout TEXT NOT NULL, data_type TEXT NOT NULL, direction TEXT NOT NULL)"
    perf = "CREATE TABLE perf_db (id INTEGER PRIMARY KEY ASC, solver TEXT NOT NULL, config INTEGER NOT NULL, params TEXT NOT NULL)"
    row = [2, 64, 55, 55, 1, 3, 1, 1, 16, 2, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, "NCHW", "FP16", "B"]
    marks = ", ".join("?" * (len(row) + 1))
    perf_db = database([
        (config, None), (perf, None),
        (f"INSERT INTO config VALUES ({marks})", [[1, *row], [2, *row[:-1], "F"]]),
        ("INSERT INTO perf_db VALUES (?, ?, ?, ?)", [[1, "ConvAsm1x1U", 1, "1,2"], [2, "CK", 2, "x"], [3, "X", 7, "lost"]]),
    ])
    kernel_db = database([
        ("CREATE TABLE kern_db (id INTEGER PRIMARY KEY ASC, kernel_name TEXT NOT NULL, kernel_args TEXT NOT NULL, "
         "kernel_blob BLOB NOT NULL, kernel_hash TEXT NOT NULL, uncompressed_size INT NOT NULL)", None),
        ("INSERT INTO kern_db VALUES (?, ?, ?, ?, ?, ?)", [[1, "a.s.o", "-mcpu=gfx900", b"BZh9", "0" * 32, 700]]),
    ])
    cache = database([
        ("CREATE TABLE cache_v1 (kernel_name TEXT NOT NULL, arch TEXT NOT NULL, hip_version INTEGER NOT NULL, "
         "generator_sum BLOB NOT NULL, code BLOB NOT NULL, timestamp INTEGER NOT NULL, "
         "PRIMARY KEY (kernel_name, arch, hip_version, generator_sum))", None),
        ("INSERT INTO cache_v1 VALUES (?, ?, ?, ?, ?, ?)", [["f", "gfx906", 6, b"\0", b"\x7fELF\2\1\1\x40", 1]]),
    ])
    return [b"\0" + perf_db, b"\1" + kernel_db, b"\2" + cache]


def files():
    """The number of a name, and content that it has."""
    pe = (FIXTURES / "containers/pe/kernels.dll").read_bytes()[:1024]
    elf = (FIXTURES / "containers/decoy/plain.so").read_bytes()
    return [
        b"\0" + b"6.4.1-83\n",
        b"\1" + b"#define ROCM_VERSION_MAJOR 6\n#define ROCM_VERSION_MINOR 4\n#define ROCM_VERSION_PATCH 1\n",
        b"\2" + b"__version__ = '2.5'\nhip: str = '6.2.1'\n",
        b"\3" + bytes(0x28) + b"\x40\0\0\0" + bytes(0x24) + b"$PS1" + bytes(0x60),
        b"\4" + text("miopen/gfx1030_36.HIP.fdb.txt", 3),
        b"\5" + text("miopen/gfx900_56.db.txt", 3),
        b"\6" + b"{}",
        b"\7" + b"AKS2" + bytes(60),
        b"\x08" + b"\x82\xa9solutions\x90\xa7library\x82\xa4type\xa8Hardware\xa4rows\x90",
        b"\x0a" + b"\x81\xa6gfx906\x81\xa7Softmax\x81\xa5Float\x91\x82\xa9func_name\xa1k\xa7co_path\xa1c",
        b"\x0b" + elf,
        b"\x0c" + elf,
        b"\x0e" + (FIXTURES / "containers/ar/thin.a").read_bytes(),
        b"\x0f" + pe,
    ]



def installed():
    """The number of a file of an install, and content that it has."""
    triton = FIXTURES / "triton/ALWJN3HO5UWIOU2SDA7IGFOR64EPPWWD6LETSAY3KYTRPQQCZLYA"
    return [
        b"\0" + b'torch/lib/liba.so,sha256=x,3496\n"torch/lib/b,.so",,\n../../../lib/libmiddle.so.1,,\n',
        b"\1" + b"/.\n/lib\n/lib/libmiddle.so.1\n",
        b"\2" + b"Package: librocblas4\nStatus: install ok installed\nArchitecture: amd64\nVersion: 6.4.0-2\nDepends: a,\n b\n\n",
        b"\3" + b'{"name":"rocrand","version":"7.0","files":["lib/libmiddle.so.1"]}',
        b"\4" + (triton / "add_kernel.json").read_bytes(),
        b"\5" + (triton / "add_kernel.hsaco").read_bytes(),
        b"\6" + (FIXTURES / "containers/decoy/plain.so").read_bytes(),
        b"\x86",
        b"\x86" + bytes([0x40, 1, 1]) * 4,
        b"\7" + (FIXTURES / "containers/pe/kernels.dll").read_bytes()[:4096],
    ]


def models():
    """A config.json with its length before it, and the header of a safetensors file behind it."""
    made = []
    for name in ("llama", "qwen3moe", "gemma3", "deepseek2", "gptq", "novel"):
        folder = FIXTURES / "model" / "hf" / name
        path = sorted(folder.glob("*.safetensors"))[0]
        config = json.dumps(json.loads((folder / "config.json").read_text()), separators=(",", ":")).encode()
        header = json.loads(path.read_bytes()[8:].decode())
        header.pop("__metadata__", None)
        # One of each kind of name.
        kept = {}
        for tensor, entry in header.items():
            kept.setdefault("".join(c for c in tensor if not c.isdigit()), (tensor, entry))
        header = json.dumps(dict(list(kept.values())[:14]), separators=(",", ":")).encode()
        made.append(struct.pack("<H", len(config)) + config + struct.pack("<Q", len(header)) + header)
    return made


def main():
    whole = lambda folder, most: [b"\xff" + path.read_bytes() for path in sorted((FIXTURES / folder).iterdir())
                                  if path.is_file() and path.stat().st_size < most]
    choices("bundles", 8, 700, [0], whole("containers/ccob", 2000) + [b"\xff" + (FIXTURES / "containers/decoy/plain.so").read_bytes()])
    choices("kpack", 8, 700, [0, 1, 2, 3])
    choices("code_object_fields", 8, 500, [0, 1, 2])
    choices("elf_agrees_with_object", 12, 500, list(range(1, 6)))
    small = whole("containers/package", 6000)
    choices("packages_agree", 8, 500, [0], small)
    choices("rendered_text", 10, 160, list(range(10)))
    choices("msgpack_agrees", 6, 200, [0, 4])
    catalogs = [b"\1" + bytes([kind]) for kind in range(2)]
    catalogs += [b"\0" + text("tensile/yaml/" + path.name)[:6000] for path in sorted((FIXTURES / "tensile/yaml").iterdir())[:1]]
    for number in range(8):
        chance = random.Random(number)
        catalogs.append(bytes([2] + [chance.randrange(256) for _ in range(200)]))
    write("tensile_catalogs", catalogs)
    keys = [b"64-55-55-3x1-16-55-57-2-1x0-1x1-1x1-0-NCHW-FP16-B",
            b"576-4-4-1x1-192-4-4-8-0x0-1x1-1x1-0-NHWC-NCHW-NCHW-FP32-F_g2",
            b"2x64x55x55x1x3x1x1x16x2x1x0x0x1x1x0x1x1x0x0x1xNCHWxFP16xBxTF32",
            b"fwd:fp16:n32:c256:h56:w56:k64:y3x3:s1:p1", b"wrw:fp32:n2:c8:d4:h9:w9:k8:y3x3x3:s1x2x1:p1:l1:g2:ncdhw",
            b"gfx900_56.HIP.3_3_0_1234.ufdb.txt", b"gfx90878.db", b"gfx942130_xnack.HIP.fdb.txt", b"gfx906_60.kdb"]
    write("miopen_text", [b"\0" + key for key in keys]
          + [b"\3" + text("miopen/gfx900_64.HIP.fdb.txt", 4), b"\3" + text("miopen/gfx900_56.db.txt", 4),
             b"\1" + text("miopen/gfx1030_36.HIP.fdb.txt", 2) * 2, b"\2\1\1\x40\0"])
    words = [b"gfx90a:sramecc+:xnack-", b"gfx906+xnack+sram-ecc", b"gfx10-3-generic", b"amdgcnspirv", b"mach_0x4d",
             b"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"]
    names = [b"TensileLibrary_Type_HH_Contraction_l_Ailk_Bljk_Cijk_Dijk_fallback_gfx90a.hsaco", b"librocblas.so.4.4",
             b"Cijk_Ailk_Bljk_SB_MT64x64x8_SE_GSU1_WG16_8_2", b"file:///a%20b#member=c&offset=1&size=2&unpacked-offset=3&unpacked-size=4"]
    other = [b"HHS", b"q4_K", b"0.9.11", b"mm f32 K4096 N4096 ne11=1 prec=0", b"fa f16 D128 DV128 nq=1 nh=32 nkv=8 kv=1024 mask=1",
             b"mmid q4_K K1024 N512 ne=8 used=2 tok=4", b"3.3.0"]
    products = [b"RX 6600 XT", b"0x73ff", b"1002:744c", b"MI300X", b"vega 56"]
    write("words", [b"\x3f" + w for w in words] + [b"\x15" + w for w in names] + [b"\1" + w for w in other] + [b"\0" + w for w in products])
    mangled = [b"L13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0EEvPKvS2_", b"L1fIJEEv15HIP_vector_typeIjLj3EEDpT_", b"N2ck6kernelIfLi3EEEvv"]
    write("demangler", [b"\0" + name for name in mangled] + [b"\1" + bytes(range(64)), b"\2\x08" + bytes([0, 7, 3, 23, 23, 24, 30, 31])])
    log = text("explain/ollama.log").splitlines(keepends=True)
    write("log_messages", [b"".join(log[at:at + 6])[:1500] for at in range(0, len(log), 6)][:8]
          + [b"rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1032\n"
             b" List of available TensileLibrary Files : \n",
             b"HIP error: invalid device function\n", b"RuntimeError: CUDA error: no kernel image is available\n",
             b"MIOpen(HIP): Warning [SQLiteBase] Missing system database file: gfx1030_40.kdb\n"])
    problems = text("tensile/problems.jsonl").splitlines()
    write("questions", [b"\0" + line for line in problems[:8]]
          + [b"\1" + bytes([n, 56, 0]) + bytes(10) + key for n, key in enumerate(keys[:5])]
          + [b"\2gfx906\t" + line for line in other[3:6]])
    write("sqlite", databases())
    write("files", files())
    write("installed", installed())
    write("safetensors", models())
    write("source_lines", [(FIXTURES / "lines" / name).read_bytes() for name in ["lines_gfx1100.co", "lines_gfx906.co"]])
    log = text("workload/program.log").splitlines(keepends=True)
    write("workload", log[1:-1] + text("workload/calls.jsonl").splitlines(keepends=True) + [b"".join(log[3:6])])


main()
