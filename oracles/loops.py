#!/usr/bin/env python3
"""Compare the least cycles of loops with LLVM's scheduling models, by llvm-mca.

    oracles/loops.py PROGRAM LLVM_MCA TARGET KERNELS FILE...

Loops of one block in the kernels whose names match KERNELS are given to llvm-mca as they are, each as a region. Where a
loop has no slow instructions (LLVM's models give these a latency and no lower rate), the slots of LLVM's vector unit and of
its matrix unit have to be ours, and our least must never be above the cycles that llvm-mca simulates.
"""
import collections
import json
import re
import subprocess
import sys

ITERATIONS = 64
# LLVM's models count these as one slot of the vector unit, whatever their rate.
SLOW = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos|mfma_f64|fma_f64|add_f64|mul_f64|max_f64|min_f64|fmac_f64|wmma|swmmac|\w+_f64)")
LEFT_OUT = re.compile(r"^s_c?branch|^s_endpgm|^s_setpc")


def loops(program, target, kernels, path):
    """Loops of one block: their instructions, and our least cycles."""
    call = [program, "fatbin", f"--isa={kernels}", "--inside", "--arch", target, "-f", "json", path]
    report = json.loads(subprocess.run(call, capture_output=True, text=True, check=False).stdout)
    for file in report["files"]:
        for kernel in file.get("kernel_instructions") or []:
            inside = kernel.get("inside") or {}
            ends = {block["offset"]: block["offset"] + block["bytes"] for block in inside.get("blocks", [])}
            for loop in inside.get("loops", []):
                if loop["blocks"] != 1 or not loop.get("least_cycles"):
                    continue
                begin, end = loop["offset"], ends[loop["offset"]]
                texts = [one["text"] for one in inside["instructions"] if begin <= one["offset"] < end]
                yield kernel["name"], begin, [text for text in texts if not LEFT_OUT.match(text)], loop["least_cycles"]


def simulated(mca, target, found):
    """Cycles of an iteration, and pressure by unit, of each loop."""
    regions = []
    for number, (_, _, texts, _) in enumerate(found):
        regions += [f"# LLVM-MCA-BEGIN r{number}", *texts, "# LLVM-MCA-END"]
    call = [mca, "-mtriple=amdgcn", f"-mcpu={target}", f"-iterations={ITERATIONS}", "-json"]
    output = subprocess.run(call, input="\n".join(regions) + "\n", capture_output=True, text=True, check=False)
    if not output.stdout:
        sys.exit(output.stderr[:2000])
    report = json.loads(output.stdout)
    names = report["TargetInfo"]["Resources"]
    for region in report["CodeRegions"]:
        rows = region["ResourcePressureView"]["ResourcePressureInfo"]
        count = len(region["Instructions"])
        units = {names[row["ResourceIndex"]]: row["ResourceUsage"] for row in rows if row["InstructionIndex"] == count}
        yield region["SummaryView"]["TotalCycles"] / ITERATIONS, units


def main():
    program, mca, target, kernels, *paths = sys.argv[1:]
    # A slot of LLVM's models of gfx9 is four cycles.
    slot = 4 if target.startswith("gfx9") else 1
    found = [one for path in paths for one in loops(program, target, kernels, path)]
    counts = collections.Counter()
    for (name, offset, texts, least), (cycles, units) in zip(found, simulated(mca, target, found)):
        counts["loops"] += 1
        own = max(least[unit] for unit in ("matrix", "vector", "issue"))
        is_slow = any(SLOW.match(text) for text in texts)
        if is_slow:
            counts["with slow instructions"] += 1
        else:
            # Two instructions in one are two slots of LLVM's unit, and issued in one cycle.
            pairs = sum(" :: " in text for text in texts)
            theirs = {"vector": units.get("HWVALU", 0) * slot - pairs, "matrix": units.get("HWXDL", 0) * slot}
            for unit, cycles_of_unit in theirs.items():
                same = "equal" if round(cycles_of_unit) == least[unit] else "DIFFERENT"
                counts[f"{unit} {same}"] += 1
                if same != "equal":
                    print(f"{name} +{offset:#x}: {unit} {least[unit]}, llvm-mca {cycles_of_unit}")
        is_below = own <= cycles * slot + 1e-6
        counts["not above llvm-mca" if is_below else "above with slow instructions" if is_slow else "ABOVE"] += 1
        if not is_below and not is_slow:
            print(f"{name} +{offset:#x}: at least {own}, llvm-mca {cycles * slot:.1f}")
    print(target, dict(counts))


if __name__ == "__main__":
    main()
