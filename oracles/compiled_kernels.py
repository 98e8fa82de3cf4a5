#!/usr/bin/env python3
"""Compiles many small kernels with a stock clang, over all families of processors and levels of optimisation.

    compiled_kernels.py CLANG OUT [KERNELS]

Each file in OUT is a linked code object `PROCESSOR_LEVEL_NUMBER.co`. The kernels are made by a fixed sequence of
random numbers, so that each run makes the same: loops, branches, LDS and barriers, atomic operations, matrix and
dot products, divisions, DPP and other exchanges between lanes, half types, scratch, calls, wide stores, buffers,
images. What a processor does not have is left out.
"""
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

PROCESSORS = """gfx700 gfx801 gfx803 gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1151 gfx1201
gfx1250""".split()
LEVELS = ["-O1", "-O2", "-O3"]
IN_ONE_FILE = 24

HEAD = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f8 __attribute__((ext_vector_type(8)));
typedef float f16v __attribute__((ext_vector_type(16)));
typedef float f32v __attribute__((ext_vector_type(32)));
typedef double d4 __attribute__((ext_vector_type(4)));
typedef half h2 __attribute__((ext_vector_type(2)));
typedef half h4 __attribute__((ext_vector_type(4)));
typedef half h8 __attribute__((ext_vector_type(8)));
typedef half h16 __attribute__((ext_vector_type(16)));
typedef int i2 __attribute__((ext_vector_type(2)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef uint u4 __attribute__((ext_vector_type(4)));
typedef short s4 __attribute__((ext_vector_type(4)));
#define ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#define LANE ((int)__builtin_amdgcn_workitem_id_x())
#define SYNC __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); \\
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
float bits(int v) { return __builtin_bit_cast(float, v); }
int whole(float v) { return __builtin_bit_cast(int, v); }
__attribute__((noinline)) float other(float a, int b) { return b > 3 ? a * (float)b : a / (float)(b + 7); }
"""


class Family:
    """What a processor has."""

    def __init__(self, name):
        self.name = name
        digits = name[3:]
        self.major = int(digits[:-2])
        self.mfma = name in ("gfx908", "gfx90a", "gfx942", "gfx950")
        self.double_mfma = name in ("gfx90a", "gfx942", "gfx950")
        self.gfx940 = name in ("gfx942", "gfx950")
        self.wmma = name in ("gfx1100", "gfx1151")
        self.wmma12 = name == "gfx1201"
        self.dpp = self.major >= 8
        self.dots = name in ("gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1151", "gfx1201")
        self.permlane = self.major >= 10
        self.half = self.major >= 8


def statements(rng, family):
    """One piece of code on the floats `x`, `y`, the integers `n`, `i`, and the pointers."""
    k = rng.randrange
    pieces = [
        lambda: f"x = x * {k(9) + 1}.5f + y;",
        lambda: "x = x / (y + 1.25f);",
        lambda: "x += __builtin_amdgcn_rcpf(y); y = __builtin_amdgcn_rsqf(x * x + 1.0f);",
        lambda: "y = __builtin_amdgcn_sinf(x) + __builtin_amdgcn_cosf(y);",
        lambda: "x = __builtin_elementwise_sqrt(x * x + 2.0f);",
        lambda: "y = __builtin_amdgcn_exp2f(y) * __builtin_amdgcn_logf(x);",
        lambda: f"n = (n >> {k(7)}) ^ (i * {k(1000)});",
        lambda: f"n = n / (i + {k(5) + 2}) + n % (i + 3);",
        lambda: "m = m * (ulong)n + (ulong)i; n = (int)(m >> 17);",
        lambda: "d = d / (e + 1.5) + e; e = e * d;",
        lambda: "d = __builtin_elementwise_sqrt(d * d + 1.0); x += (float)d;",
        lambda: f"x += in[i + {k(64)}]; n += whole(in[n & 1023]);",
        lambda: f"out[i + {k(64) * 64}] = x; ",
        lambda: f"if (x > {k(9)}.0f) {{ y = x - y; n++; }} else {{ x = y * 3.0f; out[i & 1023] = y; }}",
        lambda: f"if (n & {1 << k(5)}) x = other(x, n);",
        lambda: f"for (int a = 0; a < (n & {k(30) + 1}); a++) {{ x += in[a * 64 + LANE]; y *= x; }}",
        lambda: f"for (int a = 0; a < count; a++) {{ f4 q = in4[a * 64 + LANE]; x += q.x * q.w; y -= q.y + q.z; }}",
        lambda: f"#pragma unroll\nfor (int a = 0; a < {k(8) + 2}; a++) {{ x += in[a * count + i]; out[a * 64 + i] = x + y; }}",
        lambda: f"shared[LANE & 255] = x; SYNC y += shared[(LANE + {k(63) + 1}) & 255]; SYNC",
        lambda: f"shared4[LANE & 63] = (f4)(x, y, x, y); SYNC {{ f4 q = shared4[(LANE * 3 + {k(9)}) & 63]; x += q.x + q.z; y += q.w; }} SYNC",
        lambda: "__scoped_atomic_fetch_add(ints + (n & 255), i, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);",
        lambda: "n += __scoped_atomic_fetch_max(ints + (n & 255), i, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);",
        lambda: "__scoped_atomic_fetch_add(out + (n & 255), x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);",
        lambda: "n += __scoped_atomic_fetch_add(counts + (n & 31), 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);",
        lambda: "{ int was = n; __scoped_atomic_compare_exchange_n(ints + 5, &was, i, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM); n ^= was; }",
        lambda: "__scoped_atomic_store_n(ints + 9, n, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE); n += __scoped_atomic_load_n(ints + 8, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);",
        lambda: "n += __builtin_amdgcn_readfirstlane(n);",
        lambda: "n ^= __builtin_amdgcn_readlane(n, __builtin_amdgcn_readfirstlane(i) & 31);",
        lambda: f"n += __builtin_amdgcn_ds_swizzle(n, {k(0x3ff)});",
        lambda: "in += __builtin_amdgcn_readfirstlane(n) & 63;",
        lambda: "out4[i] = (f4)(x, y, x + 1.0f, y + 2.0f); x = x * y + 3.0f; y = y + x;",
        lambda: "ints4[i + 64] = (i4)(n, i, n + 1, i + 2); n = n * 5 + i; ",
        lambda: f"spilled[n & 15] = x; spilled[(i + 1) & 15] = y; x += spilled[(n + {k(9)}) & 15];",
        lambda: "switch (n & 7) { case 0: x += 1.0f; break; case 1: y = x; break; case 3: x = y * y; n += 3; break; case 5: out[n & 511] = x; break; default: n--; }",
        lambda: "bytes[i] = (uchar)n; n += bytes[n & 2047] + shorts[i & 2047]; shorts[i] = (short)n;",
        lambda: "ushort_bits = (ushort)(n + ushort_bits * 3); x += (float)ushort_bits;",
        lambda: "{ int mask = x > y ? 1 : 0; while (mask < (n & 31)) { mask = mask * 2 + 1; x += in[mask]; if (x > 100.0f) break; } n += mask; }",
        lambda: "n += __builtin_popcount(n) + __builtin_clz(n | 1); n = __builtin_amdgcn_ubfe(n, 3, 9) + __builtin_amdgcn_alignbit(n, i, 7);",
        lambda: "x = __builtin_amdgcn_fmed3f(x, y, 0.5f) + __builtin_amdgcn_fractf(y); n += (int)__builtin_amdgcn_cvt_pkrtz(x, y).x;",
        lambda: "if (count > 3) { d += dbl[i]; dbl[i + 64] = d * e; }",
        lambda: "__builtin_amdgcn_s_setreg(2177, __builtin_amdgcn_readfirstlane(n) & 3); x = x * 1.5f + y; n += (int)__builtin_amdgcn_s_getreg(2177);",
    ]
    if family.half:
        pieces += [
            lambda: "h = h * (half)x + (half)1.5; x += (float)h;",
            lambda: "h = h / ((half)y + (half)2.0); halves[i] = h;",
            lambda: "hh = hh * hh + (h2)(h, (half)x); h += hh.x; hh.y = halves[n & 255];",
            lambda: "{ h4 q = ((global h4 *)halves)[i]; h += q.x * q.z; ((global h4 *)halves)[i + 64] = q + q; }",
        ]
    if family.dpp:
        pieces += [lambda: f"n += __builtin_amdgcn_ds_bpermute((LANE + {k(60)}) * 4, n);"]
        ctrl = rng.choice([0x101, 0x111, 0x112, 0x114, 0x118, 0x11f, 0x140, 0x141, 0x1b, 0x4e, 0xb1] + ([0x138, 0x142, 0x143] if family.major < 10 else [0x151, 0x161]))
        pieces += [
            lambda: f"n += __builtin_amdgcn_update_dpp(0, n, {ctrl}, 0xf, 0xf, 0);",
            lambda: f"x += bits(__builtin_amdgcn_update_dpp(whole(y), whole(x), {ctrl}, 0xf, 0x5, 1));",
            lambda: f"n = n + i * 3; n += __builtin_amdgcn_mov_dpp(n, {ctrl}, 0xf, 0xf, 1); y += bits(__builtin_amdgcn_update_dpp(whole(y), whole(y), {ctrl}, 0xf, 0xf, 0));",
        ]
    if family.permlane:
        pieces += [
            lambda: f"if (x > y) n += __builtin_amdgcn_permlane16(n, n, {k(99)}, {k(99)}, 0, 1);",
            lambda: f"n = __builtin_amdgcn_permlanex16(n, n, {k(99)}, {k(99)}, 1, 0);",
            lambda: f"n += __builtin_amdgcn_mov_dpp8(n, {k(1 << 24)});",
        ]
    if family.major >= 9:
        pieces += [
            lambda: "{ __amdgpu_buffer_rsrc_t r = __builtin_amdgcn_make_buffer_rsrc(out, 4, 4096, 0x27000); x += bits(__builtin_amdgcn_raw_buffer_load_b32(r, i * 4, __builtin_amdgcn_readfirstlane(n), 0)); __builtin_amdgcn_raw_buffer_store_b128((u4)(n, i, n, i), r, i * 16, 0, 0); n = n * 7 + 1; }",
        ]
    if family.dots:
        pieces += [
            lambda: "x = __builtin_amdgcn_fdot2(hh, (h2)(h, (half)x), x, 0);" if family.name != "gfx1250" else "x += y;",
        ]
        if family.major < 11:
            pieces += [lambda: "n = __builtin_amdgcn_sdot4(n, i, n, 0); x += (float)n;", lambda: "n = __builtin_amdgcn_udot8(n, i, 3, 0); n += i;"]
    if family.mfma:
        h = "(h4)(h, h, h, h)"
        pieces += [
            lambda: f"{{ f4 c = {{x, y, x, y}}; c = __builtin_amdgcn_mfma_f32_4x4x4f16({h}, {h}, c, 0, 0, 0); c = __builtin_amdgcn_mfma_f32_4x4x4f16({h}, {h}, c, 0, 0, 0); x += c.x + c.w; }}",
            lambda: f"{{ f4 c = {{x, y, x, y}}; for (int a = 0; a < count; a++) c = __builtin_amdgcn_mfma_f32_16x16x16f16(((global h4 *)halves)[a * 64 + LANE], {h}, c, 0, 0, 0); out4[i] = c; }}",
            lambda: f"{{ f16v c = acc; c = __builtin_amdgcn_mfma_f32_32x32x8f16({h}, {h}, c, 0, 0, 0); acc = c * x; x += c.s3; }}",
            lambda: "{ f16v c = acc; c = __builtin_amdgcn_mfma_f32_32x32x2f32(x, y, c, 0, 0, 0); acc = c; out[i] = c.s5; c.s2 = x; acc += c; }",
            lambda: "{ f4 c = {x, y, 0, 0}; c = __builtin_amdgcn_mfma_f32_16x16x4f32(x, y, c, 0, 0, 0); c = __builtin_amdgcn_mfma_f32_16x16x4f32(c.x, y, c, 0, 0, 0); y = c.y; }",
            lambda: "{ f4 c = {x, y, 0, 0}; c = __builtin_amdgcn_mfma_f32_4x4x1f32(x, y, c, 0, 0, 0); x = c.x; y += c.z; }",
            lambda: "{ f32v c = 0; c.s0 = x; c = __builtin_amdgcn_mfma_f32_32x32x1f32(x, y, c, 0, 0, 0); out[i] = c.s0 + c.sf; }".replace("c.sf", "c[31]"),
        ]
        if not family.gfx940:
            pieces += [lambda: "{ i4 c = {n, i, 0, 1}; c = __builtin_amdgcn_mfma_i32_16x16x16i8(n, i, c, 0, 0, 0); n += c.x; i4 q = c; ints4[i] = q; }"]
        else:
            pieces += [lambda: "{ i4 c = {n, i, 0, 1}; c = __builtin_amdgcn_mfma_i32_16x16x32_i8(m, (long)i, c, 0, 0, 0); n += c.x; ints4[i] = c; }",
                       lambda: f"{{ f4 c = {{x, y, x, y}}; h8 q = {{h, h, h, h, h, h, h, h}}; c = __builtin_amdgcn_smfmac_f32_16x16x32_f16({h}, q, c, n, 0, 0); x += c.x; out4[i] = c; }}"]
    if family.double_mfma:
        pieces += [
            lambda: "d = __builtin_amdgcn_mfma_f64_4x4x4f64(d, e, d, 0, 0, 0); e = d * e + 1.0;",
            lambda: "{ d4 c = {d, e, d, e}; c = __builtin_amdgcn_mfma_f64_16x16x4f64(d, e, c, 0, 0, 0); c = __builtin_amdgcn_mfma_f64_16x16x4f64(c.x, e, c, 0, 0, 0); d = c.x + e; dbl[i] = c.w; }",
        ]
    if family.wmma:
        pieces += [
            lambda: "{ h16 a = (h16)h, b = (h16)(half)y; f8 c = (f8)x; c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c); c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(b, a, c); x += c.s0; a = __builtin_convertvector((f16v)(c, c), h16); c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, a, c); y += c.s3; }",
            lambda: "{ h16 a = ((global h16 *)halves)[LANE], c = (h16)h; c = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(a, a, c, 0); c = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(c, a, c, 0); h += c.s0; }",
        ]
    if family.wmma12:
        pieces += [
            lambda: "{ h8 a = (h8)h, c = (h8)(half)y; c = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12(a, a, c); c = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12(c, a, c); h += c.s0; }",
            lambda: "{ h8 a = ((global h8 *)halves)[LANE]; f8 c = (f8)x; c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, a, c); x += c.s0 * c.s7; }",
        ]
    return rng.choice(pieces)()


def kernel(rng, family, number):
    shared = rng.random() < 0.6
    body = [statements(rng, family) for _ in range(rng.randrange(3, 14))]
    if not shared:
        body = [piece for piece in body if "shared" not in piece and "counts" not in piece] or ["x = y;"]
    if rng.random() < 0.4:
        head = rng.choice(["for (int step = 0; step < count; step++) {", "if (i < count) {", "do {"])
        tail = "} while (n > 5 && n-- < count);" if head == "do {" else "}"
        at = rng.randrange(len(body))
        safe = [piece for piece in body[at:] if "SYNC" not in piece]
        body = body[:at] + [head] + safe + [tail]
    group = rng.choice([64, 128, 256, 1024])
    lines = "\n".join("    " + piece for piece in body)
    return f"""
__attribute__((amdgpu_flat_work_group_size({group}, {group})))
kernel void k{number}(global float *in, global float *out, global int *ints, global uchar *bytes,
    global short *shorts, global half *halves, global double *dbl, int count) {{
    {'local float shared[256]; local f4 shared4[64]; local int counts[32];' if shared else ''}
    global f4 *in4 = (global f4 *)in; global f4 *out4 = (global f4 *)(out + 4096); global i4 *ints4 = (global i4 *)(ints + 1024);
    int i = ID, n = ints[i]; float x = in[i], y = in[i + 64]; ulong m = n; double d = x, e = y; ushort ushort_bits = n;
    float spilled[16]; spilled[0] = x; spilled[15] = y;
    half h = halves[LANE]; h2 hh = {{h, h}}; f16v acc = x;
{lines}
    out[i] = x + y + (float)n + (float)d + (float)e + (float)h + (float)m + acc.s0 + acc.s9 + (float)hh.x + (float)hh.y;
}}
"""


def compile_one(clang, out, family, level, number, text):
    name = os.path.join(out, f"{family.name}_{level[2:]}_{number:04}")
    with open(name + ".cl", "w", encoding="utf-8") as file:
        file.write(text)
    call = [clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + family.name, "-nogpulib",
            "-Xclang", "-finclude-default-header", "-w", level, name + ".cl", "-o", name + ".co"]
    done = subprocess.run(call, capture_output=True, text=True)
    if done.returncode:
        return f"{name}: " + "\n".join(line for line in done.stderr.splitlines() if "error" in line)[:400]
    return None


def main():
    clang, out = sys.argv[1:3]
    kernels = int(sys.argv[3]) if len(sys.argv) > 3 else 5000
    os.makedirs(out, exist_ok=True)
    rng = random.Random(42)
    jobs, made, number = [], 0, 0
    while made < kernels:
        family = Family(PROCESSORS[number % len(PROCESSORS)])
        level = LEVELS[number // len(PROCESSORS) % len(LEVELS)]
        text = HEAD + "".join(kernel(rng, family, at) for at in range(IN_ONE_FILE))
        jobs.append((family, level, number, text))
        made, number = made + IN_ONE_FILE, number + 1
    with ThreadPoolExecutor(max_workers=2) as pool:
        failed = [what for what in pool.map(lambda job: compile_one(clang, out, *job), jobs) if what]
    print(f"{len(jobs) - len(failed)} of {len(jobs)} files with {IN_ONE_FILE} kernels each in {out}")
    for what in failed:
        print(what)


if __name__ == "__main__":
    main()
