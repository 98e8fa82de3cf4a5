#!/usr/bin/env python3
"""Asks LLVM how far apart pairs of instructions have to be.

    hazard_pairs.py LLVM_BIN > crates/amdgpu-kernel/src/hazards/pairs.tsv

Each pair is written as assembly, which llvm-mc encodes, and as machine code of the compiler, which `llc
-run-pass=post-RA-hazard-rec` keeps apart. The two spellings are held together by this list alone.
"""
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

OLD = ["gfx600", "gfx700", "gfx803", "gfx900", "gfx908", "gfx90a", "gfx942", "gfx950"]
NEW = ["gfx1010", "gfx1030", "gfx1100", "gfx1151", "gfx1201", "gfx1250"]
SINCE8 = OLD[2:]
SINCE9 = OLD[3:]
MATRIX = OLD[4:]
ONE = "implicit $exec"
MODE = "implicit $mode, implicit $exec"


def regs(file, first, count):
    return "$" + "_".join(f"{file}{at}" for at in range(first, first + count))


def asm(letter, first, count):
    return f"{letter}{first}" if count == 1 else f"{letter}[{first}:{first + count - 1}]"


READ_FIRST = ("v_readfirstlane_b32 s0, v0", f"$sgpr0 = V_READFIRSTLANE_B32 $vgpr0, {ONE}")
S_MOV = ("s_mov_b32 s0, 0", "$sgpr0 = S_MOV_B32 0")
V_MOV0 = ("v_mov_b32_e32 v0, 0", f"$vgpr0 = V_MOV_B32_e32 0, {ONE}")
READ0 = ("v_mov_b32_e32 v9, v0", f"$vgpr9 = V_MOV_B32_e32 $vgpr0, {ONE}")
WRITE0 = ("v_mov_b32_e32 v0, v9", f"$vgpr0 = V_MOV_B32_e32 $vgpr9, {ONE}")
M0 = ("s_mov_b32 m0, 0", "$m0 = S_MOV_B32 0")
BUFFER = ("buffer_load_dword v1, off, s[0:3], 0",
          f"$vgpr1 = BUFFER_LOAD_DWORD_OFFSET $sgpr0_sgpr1_sgpr2_sgpr3, 0, 0, 0, 0, {ONE}")
DPP = ("v_mov_b32_dpp v1, v0 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf",
       f"$vgpr1 = V_MOV_B32_dpp $vgpr1, $vgpr0, 0, 15, 15, 0, {ONE}")
CMPX = ("v_cmpx_eq_i32_e64 exec, v4, v5", f"$exec = V_CMPX_EQ_I32_e64 $vgpr4, $vgpr5, implicit-def $exec, {ONE}")
CMP_VCC = ("v_cmp_eq_i32_e64 vcc, v1, v2", f"$vcc = V_CMP_EQ_I32_e64 $vgpr1, $vgpr2, {ONE}")
FMAS = ("v_div_fmas_f32 v0, v1, v2, v3",
        "$vgpr0 = V_DIV_FMAS_F32_e64 0, $vgpr1, 0, $vgpr2, 0, $vgpr3, 0, 0, implicit $mode, implicit $vcc, implicit $exec")
READLANE = ("v_readlane_b32 s4, v4, s0", "$sgpr4 = V_READLANE_B32 $vgpr4, $sgpr0")
WRITELANE = ("v_writelane_b32 v4, 0, s0", "$vgpr4 = V_WRITELANE_B32 0, $sgpr0, $vgpr4")
SETREG = ("s_setreg_b32 1, s0", "S_SETREG_B32 $sgpr0, 1, implicit-def $mode, implicit $mode")
GETREG = ("s_getreg_b32 s1, 1", "$sgpr1 = S_GETREG_B32 1, implicit $mode")
GETREG2 = ("s_getreg_b32 s1, 2", "$sgpr1 = S_GETREG_B32 2, implicit $mode")
STORE4 = ("flat_store_dwordx4 v[0:1], v[2:5]",
          "FLAT_STORE_DWORDX4 $vgpr0_vgpr1, $vgpr2_vgpr3_vgpr4_vgpr5, 0, 0, implicit $exec, implicit $flat_scr")
GSTORE4 = ("global_store_dwordx4 v[0:1], v[2:5], off",
           f"GLOBAL_STORE_DWORDX4 $vgpr0_vgpr1, $vgpr2_vgpr3_vgpr4_vgpr5, 0, 0, {ONE}")
BSTORE4 = ("buffer_store_dwordx4 v[2:5], off, s[0:3], 0",
           f"BUFFER_STORE_DWORDX4_OFFSET_exact $vgpr2_vgpr3_vgpr4_vgpr5, $sgpr0_sgpr1_sgpr2_sgpr3, 0, 0, 0, 0, {ONE}")
BSTORE4S = ("buffer_store_dwordx4 v[2:5], off, s[0:3], s4",
            f"BUFFER_STORE_DWORDX4_OFFSET_exact $vgpr2_vgpr3_vgpr4_vgpr5, $sgpr0_sgpr1_sgpr2_sgpr3, $sgpr4, 0, 0, 0, {ONE}")
BSTORE2 = ("buffer_store_dwordx2 v[2:3], off, s[0:3], 0",
           f"BUFFER_STORE_DWORDX2_OFFSET_exact $vgpr2_vgpr3, $sgpr0_sgpr1_sgpr2_sgpr3, 0, 0, 0, 0, {ONE}")
WRITE3 = ("v_mov_b32_e32 v3, 0", f"$vgpr3 = V_MOV_B32_e32 0, {ONE}")
RCP = ("v_rcp_f32_e32 v0, v1", f"$vgpr0 = V_RCP_F32_e32 $vgpr1, {MODE}")
RCP_NEXT = ("v_rcp_f32_e32 v2, v0", f"$vgpr2 = V_RCP_F32_e32 $vgpr0, {MODE}")
SDWA = ("v_add_u16_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:BYTE_3",
        f"$vgpr0 = V_ADD_U16_sdwa 0, $vgpr1, 0, $vgpr2, 0, 1, 0, 3, 3, {ONE}")
SDWA_WHOLE = ("v_add_u16_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:BYTE_3",
              f"$vgpr0 = V_ADD_U16_sdwa 0, $vgpr1, 0, $vgpr2, 0, 6, 0, 3, 3, {ONE}")
USE_S0 = ("v_mov_b32_e32 v4, s0", f"$vgpr4 = V_MOV_B32_e32 $sgpr0, {ONE}")
CNDMASK = ("v_cndmask_b32_e32 v4, 0, v3, vcc", f"$vgpr4 = V_CNDMASK_B32_e32 0, $vgpr3, implicit $vcc, {ONE}")
DOT = ("v_dot2_f32_f16 v0, v40, v41, v42", f"$vgpr0 = V_DOT2_F32_F16 8, $vgpr40, 8, $vgpr41, 8, $vgpr42, 0, 0, 0, 0, 0, {MODE}")
DOT_SUM = ("v_dot2_f32_f16 v1, v40, v41, v0", f"$vgpr1 = V_DOT2_F32_F16 8, $vgpr40, 8, $vgpr41, 8, $vgpr0, 0, 0, 0, 0, 0, {MODE}")
DOT_FACTOR = ("v_dot2_f32_f16 v1, v0, v41, v42", f"$vgpr1 = V_DOT2_F32_F16 8, $vgpr0, 8, $vgpr41, 8, $vgpr42, 0, 0, 0, 0, 0, {MODE}")
STORE0 = ("global_store_dword v[2:3], v0, off", f"GLOBAL_STORE_DWORD $vgpr2_vgpr3, $vgpr0, 0, 0, {ONE}")
SWAP = ("v_permlane16_swap_b32_e32 v0, v1", f"$vgpr0, $vgpr1 = V_PERMLANE16_SWAP_B32_e32 killed $vgpr0, killed $vgpr1, {ONE}")
ACC_W = ("v_accvgpr_write_b32 a0, v0", f"$agpr0 = V_ACCVGPR_WRITE_B32_e64 $vgpr0, {ONE}")
ACC_R = ("v_accvgpr_read_b32 v0, a0", f"$vgpr0 = V_ACCVGPR_READ_B32_e64 $agpr0, {ONE}")

PAIRS = [
    (SINCE8 + NEW[:4], READ_FIRST, BUFFER), (SINCE8, S_MOV, BUFFER),
    (SINCE9, READ_FIRST, ("global_load_dword v1, v2, s[0:1]", f"$vgpr1 = GLOBAL_LOAD_DWORD_SADDR $sgpr0_sgpr1, $vgpr2, 0, 0, {ONE}")),
    (OLD, READ_FIRST, ("s_load_dword s4, s[0:1], 0x0", "$sgpr4 = S_LOAD_DWORD_IMM $sgpr0_sgpr1, 0, 0")),
    (SINCE8, V_MOV0, DPP), (SINCE8, CMPX, DPP), (SINCE8, ("s_mov_b64 exec, -1", "$exec = S_MOV_B64 -1"), DPP),
    (OLD, CMP_VCC, FMAS), (OLD, ("s_mov_b64 vcc, 0", "$vcc = S_MOV_B64 0"), FMAS),
    (OLD, READ_FIRST, READLANE), (OLD, READ_FIRST, WRITELANE), (OLD, S_MOV, READLANE),
    (OLD, SETREG, GETREG), (OLD, SETREG, GETREG2), (OLD, SETREG, SETREG),
    (OLD[1:] , STORE4, WRITE3), (SINCE9, GSTORE4, WRITE3), (OLD, BSTORE4, WRITE3), (OLD, BSTORE4S, WRITE3), (OLD, BSTORE2, WRITE3),
    (OLD, M0, ("s_sendmsg 3", "S_SENDMSG 3, implicit $exec, implicit $m0")),
    (["gfx803", "gfx900", "gfx908"], M0, ("ds_gws_barrier v0 gds", "DS_GWS_BARRIER $vgpr0, 0, implicit $m0, implicit $exec")),
    (SINCE9, M0, ("buffer_load_dword off, s[0:3], 0 lds",
                  "BUFFER_LOAD_DWORD_LDS_OFFSET $sgpr0_sgpr1_sgpr2_sgpr3, 0, 0, 0, 0, implicit $exec, implicit $m0")),
    (SINCE9, M0, ("buffer_load_dword v1, off, s[0:3], 0",
                  f"$vgpr1 = BUFFER_LOAD_DWORD_OFFSET $sgpr0_sgpr1_sgpr2_sgpr3, 0, 0, 0, 0, {ONE}")),
    (SINCE9, M0, ("ds_read_addtid_b32 v0", "$vgpr0 = DS_READ_ADDTID_B32 0, 0, implicit $m0, implicit $exec")),
    (SINCE9, M0, ("ds_read_b32 v0, v1", f"$vgpr0 = DS_READ_B32_gfx9 $vgpr1, 0, 0, {ONE}")),
    (SINCE9 + ["gfx1030", "gfx1100", "gfx1151", "gfx1201"], RCP, READ0), (SINCE9 + ["gfx1100"], RCP, RCP_NEXT),
    (SINCE9, SDWA, READ0), (SINCE9, SDWA_WHOLE, READ0),
    (SINCE9, READ_FIRST, USE_S0), (SINCE9, CMP_VCC, CNDMASK),
    (SINCE9, ("v_mov_b32_e32 v4, 0", f"$vgpr4 = V_MOV_B32_e32 0, {ONE}"), ("v_readlane_b32 s4, v4, 0", "$sgpr4 = V_READLANE_B32 $vgpr4, 0")),
    (SINCE9, V_MOV0, READ_FIRST), (SINCE9, CMPX, ("v_readlane_b32 s4, v4, 0", "$sgpr4 = V_READLANE_B32 $vgpr4, 0")), (SINCE9, CMPX, READ_FIRST),
    (["gfx908", "gfx90a", "gfx942", "gfx950"], DOT, READ0), (MATRIX, DOT, WRITE0), (MATRIX, DOT, STORE0), (["gfx908", "gfx90a"], DOT, DOT_SUM),
    (MATRIX, DOT, DOT_FACTOR), (["gfx950"], V_MOV0, SWAP), (["gfx950"], CMPX, SWAP),
    (["gfx908"], ACC_R, STORE0), (["gfx908"], ACC_W, ACC_R), (["gfx908"], V_MOV0, ACC_W), (["gfx908"], CMPX, ACC_W),
    (["gfx1010", "gfx1030", "gfx1100"], ("buffer_load_dword v1, off, s[0:3], 0", BUFFER[1]), ("s_mov_b32 s0, 0", "$sgpr0 = S_MOV_B32 0")),
    (["gfx1010", "gfx1030"], ("ds_read_b32 v0, v1", f"$vgpr0 = DS_READ_B32_gfx9 $vgpr1, 0, 0, {ONE}"), ("s_mov_b32 s0, 0", "$sgpr0 = S_MOV_B32 0")),
    (["gfx1010", "gfx1030", "gfx1100"], ("s_load_dword s4, s[0:1], 0x0", "$sgpr4 = S_LOAD_DWORD_IMM $sgpr0_sgpr1, 0, 0"), READ_FIRST),
    (["gfx1010", "gfx1030", "gfx1100"], ("s_mov_b32 s0, exec_lo", "$sgpr0 = S_MOV_B32 $exec_lo"),
     ("v_cmpx_eq_i32_e64 v4, v5", f"V_CMPX_EQ_I32_nosdst_e64 $vgpr4, $vgpr5, implicit-def $exec, {ONE}")),
    (["gfx1010", "gfx1030", "gfx1100", "gfx1151", "gfx1201"],
     ("v_cmpx_eq_i32_e64 v4, v5", f"V_CMPX_EQ_I32_nosdst_e64 $vgpr4, $vgpr5, implicit-def $exec, {ONE}"),
     ("v_permlane16_b32 v1, v0, s1, s2", f"$vgpr1 = V_PERMLANE16_B32_e64 0, $vgpr0, 0, $sgpr1, 0, $sgpr2, $vgpr1, 0, {ONE}")),
    (["gfx1010", "gfx1030"], ("global_atomic_fmin v[2:3], v0, off", f"GLOBAL_ATOMIC_FMIN $vgpr2_vgpr3, $vgpr0, 0, 0, {ONE}"),
     ("s_denorm_mode 0", "S_DENORM_MODE 0, implicit-def $mode, implicit $mode")),
    (["gfx1010", "gfx1030"],
     ("image_sample_c_d v[16:19], [v3, v6, v5, v8, v0, v9, v10], s[4:11], s[12:15] dmask:0xf dim:SQ_RSRC_IMG_2D" ,
      "$vgpr16_vgpr17_vgpr18_vgpr19 = IMAGE_SAMPLE_C_D_V4_V7_nsa_gfx10 $vgpr3, $vgpr6, $vgpr5, $vgpr8, $vgpr0, $vgpr9, $vgpr10, "
      "$sgpr4_sgpr5_sgpr6_sgpr7_sgpr8_sgpr9_sgpr10_sgpr11, $sgpr12_sgpr13_sgpr14_sgpr15, 15, 1, 0, 0, 0, 0, 0, 0, 0, implicit $exec :: (load (s128), addrspace 8)"),
     ("buffer_load_dword v1, off, s[0:3], 0 offset:6", f"$vgpr1 = BUFFER_LOAD_DWORD_OFFSET $sgpr0_sgpr1_sgpr2_sgpr3, 0, 6, 0, 0, {ONE}")),
]

WMMA = "v_wmma_f32_16x16x16_f16"


def wmma(processor):
    """The result of one is a factor of the next, or its sum."""
    if processor == "gfx1201":
        make = lambda d, a, c: (f"{WMMA} {asm('v', d, 8)}, {asm('v', a, 4)}, v[44:47], {asm('v', c, 8)}",
            f"early-clobber {regs('vgpr', d, 8)} = V_WMMA_F32_16X16X16_F16_w32_twoaddr 8, {regs('vgpr', a, 4)}, 8, {regs('vgpr', 44, 4)}, 8, {regs('vgpr', c, 8)}, 0, 0, {ONE}")
    else:
        make = lambda d, a, c: (f"{WMMA} {asm('v', d, 8)}, {asm('v', a, 8)}, v[48:55], {asm('v', c, 8)}",
            f"early-clobber {regs('vgpr', d, 8)} = V_WMMA_F32_16X16X16_F16_twoaddr_w32 8, {regs('vgpr', a, 8)}, 8, {regs('vgpr', 48, 8)}, 8, {regs('vgpr', c, 8)}, 0, 0, {ONE}")
    return [(make(0, 8, 0), make(16, 0, 16)), (make(0, 8, 0), make(0, 8, 0))]


PRODUCTS = {
    "x2": ("v_mfma_f32_4x4x4f16", "V_MFMA_F32_4X4X4F16", 4, 2), "x4": ("v_mfma_f32_16x16x16f16", "V_MFMA_F32_16X16X16F16", 4, 2),
    "x8": ("v_mfma_f32_16x16x4f16", "V_MFMA_F32_16X16X4F16", 16, 2), 
    "x16": ("v_mfma_f32_32x32x4f16", "V_MFMA_F32_32X32X4F16", 32, 2), "s2": ("v_mfma_f32_4x4x1f32", "V_MFMA_F32_4X4X1F32", 4, 1),
    "s8": ("v_mfma_f32_16x16x1f32", "V_MFMA_F32_16X16X1F32", 16, 1), "s16": ("v_mfma_f32_32x32x1f32", "V_MFMA_F32_32X32X1F32", 32, 1),
    "d4": ("v_mfma_f64_4x4x4f64", "V_MFMA_F64_4X4X4F64", 2, 2), "d16": ("v_mfma_f64_16x16x4f64", "V_MFMA_F64_16X16X4F64", 8, 2),
}


def product(processor, kind, result, one, other, added):
    old = processor == "gfx908"
    file, letter, tail = ("agpr", "a", "_e64") if old else ("vgpr", "v", "_vgprcd_e64")
    name, opcode, wide, factors = PRODUCTS[kind]
    first_file, first_letter = ("agpr", "a") if old and one >= 64 else ("vgpr", "v")
    text = f"{name} {asm(letter, result, wide)}, {asm(first_letter, one, factors)}, {asm('v', other, factors)}, {asm(letter, added, wide)}"
    code = (f"{regs(file, result, wide)} = {opcode + tail} {regs(first_file, one, factors)}, {regs('vgpr', other, factors)}, "
            f"{regs(file, added, wide)}, 0, 0, 0, {MODE}")
    return text, code


def products(processor):
    kinds = [kind for kind in PRODUCTS if not (processor == "gfx908" and kind.startswith("d"))]
    for kind in kinds:
        first = product(processor, kind, 64, 0, 2, 64)
        apart = product(processor, kind, 128, 0, 2, 64)
        if processor == "gfx908":
            read = ("v_accvgpr_read_b32 v40, a64", f"$vgpr40 = V_ACCVGPR_READ_B32_e64 $agpr64, {ONE}")
            write = ("v_accvgpr_write_b32 a64, v40", f"$agpr64 = V_ACCVGPR_WRITE_B32_e64 $vgpr40, {ONE}")
            yield write, first
            yield write, product(processor, kind, 128, 64, 6, 160)
            users = [read, write]
        else:
            write = ("v_mov_b32_e32 v64, v40", f"$vgpr64 = V_MOV_B32_e32 $vgpr40, {ONE}")
            users = [("v_mov_b32_e32 v40, v64", f"$vgpr40 = V_MOV_B32_e32 $vgpr64, {ONE}"), write,
                     ("global_store_dword v[40:41], v64, off", f"GLOBAL_STORE_DWORD $vgpr40_vgpr41, $vgpr64, 0, 0, {ONE}"),
                     ("ds_write_b32 v40, v64", f"DS_WRITE_B32_gfx9 $vgpr40, $vgpr64, 0, 0, {ONE}"),
                     ("v_fma_f64 v[40:41], v[42:43], v[44:45], v[46:47]",
                      f"$vgpr40_vgpr41 = V_FMA_F64_e64 0, $vgpr42_vgpr43, 0, $vgpr44_vgpr45, 0, $vgpr46_vgpr47, 0, 0, {MODE}")]
            if kind in ("x2", "s16", "d4"):
                yield write, first
        for user in users:
            yield first, user
        yield apart, write
        yield ("v_mov_b32_e32 v0, v40", f"$vgpr0 = V_MOV_B32_e32 $vgpr40, {ONE}"), first
        if kind in ("x2", "d16"):
            yield CMPX, first
        for other in [kind for kind in ("x2", "x4", "x8", "s8", "d4", "d16") if kind in kinds]:
            yield first, product(processor, other, 64, 4, 6, 64)
            yield first, product(processor, other, 128, 4, 6, 66)
            yield first, product(processor, other, 128, 64, 6, 160)


def states_and_others(lines):
    """Wait states that were put in, and other instructions."""
    states, others = 0, []
    for line in lines[1:-2]:
        nop = re.match(r"S_NOP (\d+)", line)
        depctr = re.match(r"S_WAITCNT_DEPCTR (\d+)", line)
        if nop:
            states += int(nop[1]) + 1
        elif depctr:
            others.append(f"s_waitcnt_depctr {depctr[1]}")
        elif line.startswith("V_NOP"):
            others.append("v_nop")
        elif "$sgpr_null = S_MOV_B32" in line:
            others.append("s_mov_b32 null, 0")
        elif "V_MOV_B32_e32" in line:
            register = re.search(r"\$vgpr(\d+)", line)[1]
            others.append(f"v_mov_b32_e32 v{register}, v{register}")
        else:
            raise SystemExit(f"not understood: {line}")
    return states, others


def kept_apart(llc, processor, pairs, folder):
    functions = "".join(
        f"---\nname: f{at}\nbody: |\n  bb.0:\n    {first[1]}\n    {second[1]}\n    S_ENDPGM 0\n...\n"
        for at, (first, second) in enumerate(pairs))
    path = Path(folder) / "pairs.mir"
    path.write_text(functions)
    done = subprocess.run([llc, "-mtriple=amdgcn", f"-mcpu={processor}", "-run-pass=post-RA-hazard-rec", str(path), "-o", "-"],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{processor}: {done.stderr[:2000]}")
    for part in re.split(r"\nname: +f\d+\n", done.stdout)[1:]:
        body = part.split("body:")[1]
        lines = [line.strip() for line in body.splitlines() if line.startswith("    ")]
        yield states_and_others([line for line in lines if line != "|"])


def encoded(llvm_mc, processor, texts):
    done = subprocess.run([llvm_mc, "-triple=amdgcn", f"-mcpu={processor}", "-show-encoding"], input="\n".join(texts),
                          capture_output=True, text=True)
    found = re.findall(r"encoding: \[([^\]]*)\]", done.stdout)
    if len(found) != len(texts):
        raise SystemExit(f"{processor}: {done.stderr[:2000]}")
    return ["".join(byte[2:] for byte in one.split(",")) for one in found]


def main():
    llvm = Path(sys.argv[1])
    print("# Wait states, and other instructions, that LLVM 22.1.8 puts between two instructions (oracles/hazard_pairs.py).")
    print("# processor\tstates\tother instructions\tfirst\tsecond")
    with TemporaryDirectory() as folder:
        for processor in OLD + NEW:
            pairs = [(first, second) for processors, first, second in PAIRS if processor in processors]
            if processor in MATRIX:
                pairs += products(processor)
            if processor in ("gfx1100", "gfx1151", "gfx1201"):
                pairs += wmma(processor)
            apart = list(kept_apart(llvm / "llc", processor, pairs, folder))
            texts = sorted({text for pair in pairs for text, _ in pair} | {text for _, others in apart for text in others})
            codes = dict(zip(texts, encoded(llvm / "llvm-mc", processor, texts)))
            for (first, second), (states, others) in zip(pairs, apart):
                between = "".join(codes[text] for text in others)
                print(processor, states, between, codes[first[0]], codes[second[0]], sep="\t")


if __name__ == "__main__":
    main()
