#!/usr/bin/env python3
"""Compare the bounds of `model` with published runs of llama-bench.

    oracles/bounds.py PROGRAM HEADERS [--write]

Each row of oracles/llama_bench.tsv is a run on one card with its source. PROGRAM is asked for the same model, card and
test; the bound must not be below what was measured. HEADERS is a folder with headers of GGUF files; headers of other
models are written there from the dimensions below, whose number of weights is compared with the one that llama-bench prints.
The shares of the bound that runs reach are printed by the route that makes most of a test; --write writes them to
src/answers/model/reached.tsv, and a plot of all rows to docs/bounds.svg.
"""
import collections
import csv
import json
import pathlib
import re
import statistics
import struct
import subprocess
import sys

ROWS = pathlib.Path(__file__).parent / "llama_bench.tsv"
ROOT = pathlib.Path(__file__).parent.parent
# Runs of a group from which quartiles are taken.
LEAST = 4


def table(name):
    """The rows of a table beside this file."""
    lines = (pathlib.Path(__file__).parent / name).read_text().splitlines()
    return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


MODELS = {row["model"]: row for row in table("llama_models.tsv")}
TYPES = {row["printed"]: None if row["type"] == "-" else row["type"] for row in table("llama_types.tsv")}


def header(name, path, ty):
    """Write the header of a model, with matrices as f16 or bf16, experts of gpt-oss as mxfp4."""
    arch = MODELS[name]["architecture"]
    dimensions = "blocks width heads kv_heads head unit tokens tied experts used".split()
    blocks, width, heads, kv, size, unit, tokens, tied, experts, used = (int(MODELS[name][one]) for one in dimensions)
    number = {"f16": (1, 2, 1), "bf16": (30, 2, 1), "f32": (0, 4, 1), "mxfp4": (39, 17, 32), "q8_0": (8, 34, 32)}
    expert_type = "mxfp4" if arch == "gpt-oss" else ty
    own = "q8_0" if arch == "gpt-oss" else ty
    tensors = [("token_embd.weight", own, [width, tokens]), ("output_norm.weight", "f32", [width])]
    if not tied:
        tensors.append(("output.weight", own, [width, tokens]))
    for block in range(blocks):
        of = lambda role, kind, shape: tensors.append((f"blk.{block}.{role}.weight", kind, shape))
        of("attn_norm", "f32", [width])
        of("attn_q", own, [width, heads * size])
        of("attn_k", own, [width, kv * size])
        of("attn_v", own, [width, kv * size])
        of("attn_output", own, [heads * size, width])
        if arch.startswith("qwen3"):
            of("attn_q_norm", "f32", [size])
            of("attn_k_norm", "f32", [size])
        if experts:
            of("post_attention_norm" if arch == "gpt-oss" else "ffn_norm", "f32", [width])
            of("ffn_gate_inp", "f32", [width, experts])
            of("ffn_gate_exps", expert_type, [width, unit, experts])
            of("ffn_up_exps", expert_type, [width, unit, experts])
            of("ffn_down_exps", expert_type, [unit, width, experts])
        else:
            of("ffn_norm", "f32", [width])
            of("ffn_gate", own, [width, unit])
            of("ffn_up", own, [width, unit])
            of("ffn_down", own, [unit, width])
    keys = {"general.architecture": arch, "general.name": name, f"{arch}.block_count": blocks, f"{arch}.embedding_length": width,
            f"{arch}.feed_forward_length": unit, f"{arch}.attention.head_count": heads, f"{arch}.attention.head_count_kv": kv,
            f"{arch}.attention.key_length": size, f"{arch}.attention.value_length": size, f"{arch}.vocab_size": tokens}
    if experts:
        keys |= {f"{arch}.expert_count": experts, f"{arch}.expert_used_count": used, f"{arch}.expert_feed_forward_length": unit}
    out = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)))
    text = lambda word: struct.pack("<Q", len(word)) + word.encode()
    for key, value in keys.items():
        out += text(key)
        out += struct.pack("<I", 8) + text(value) if isinstance(value, str) else struct.pack("<II", 4, value)
    at = 0
    for tensor, kind, shape in tensors:
        index, size_of, values = number[kind]
        count = 1
        for dimension in shape:
            count *= dimension
        out += text(tensor) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", one) for one in shape)
        out += struct.pack("<IQ", index, at)
        at += (count // values * size_of + 31) // 32 * 32
    weights = 0
    for _, _, shape in tensors:
        count = 1
        for dimension in shape:
            count *= dimension
        weights += count
    stated = float(MODELS[name]["weights"]) * 1e9
    assert abs(weights / stated - 1) < 0.01, (name, weights, stated)
    path.write_bytes(out)


def asked(program, folder, row):
    """The name of the model, its file type, and the answer for the row; nothing for a model that is not here."""
    named = [own for own in MODELS.values() if any(row["model"].startswith(one) for one in own["printed"].split(";"))]
    types = {ty for printed, ty in TYPES.items() if row["model"].endswith(f" {printed}")}
    if not named or not types:
        return None
    if stated := re.match(r"([\d.]+) ?B", row["params"]):
        named.sort(key=lambda own: abs(float(own["weights"]) - float(stated[1])))
    name, (ty,) = named[0]["model"], types
    base = "bf16" if ty == "bf16" else "f16"
    path = folder / f"{name}-{base}-dimensions.gguf"
    if not path.exists():
        header(name, path, base)
    kind, tokens = re.match(r"(pp|tg)(\d+)", row["test"]).groups()
    tokens = int(tokens)
    depth = int(row["depth"] or 0)
    prompt = tokens if kind == "pp" else max(depth, 1)
    words = [program, "model", path, "--gpu", row["card"], "--prompt", str(prompt), "-u", str(max(prompt, 512)), "--sequences", "1", "-f", "json"]
    if ty not in (None, "bf16", "mxfp4"):
        words += ["--quant", ty]
    found = subprocess.run(words, capture_output=True, text=True)
    if not found.stdout:
        sys.exit(f"{' '.join(map(str, words))}: {found.stderr}")
    card = json.loads(found.stdout)["cards"][-1]
    phase = next(one for one in card["phases"] if one["phase"] == ("prefill" if kind == "pp" else "decode"))
    return name, card, phase


def plot(shares):
    """All runs by phase, route and class: a dot for each, at its share of the bound."""
    rows = sorted(key for key in shares if key[2] != "-")
    left, right, step = 190, 700, 18
    height = step * len(rows) + 50
    x = lambda share: left + (right - left) * share
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + 40} {height}" font-family="sans-serif" font-size="11">',
           '<title>Shares of the bound that published runs of llama-bench reach</title>',
           f'<rect width="{right + 40}" height="{height}" fill="white"/>']
    for tenth in range(0, 11, 2):
        at = x(tenth / 10)
        out.append(f'<line x1="{at}" y1="20" x2="{at}" y2="{height - 25}" stroke="#ddd"/>')
        out.append(f'<text x="{at}" y="{height - 10}" text-anchor="middle">{tenth * 10} %</text>')
    for place, key in enumerate(rows):
        y = 32 + place * step
        colour = "#b5480f" if key[0] == "prefill" else "#1f5fa8"
        out.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{key[0]}, {key[1]}, {key[2]}</text>')
        out += [f'<circle cx="{x(share):.1f}" cy="{y}" r="3.5" fill="{colour}" fill-opacity="0.5"/>' for share in shares[key]]
    return "\n".join(out) + "\n</svg>\n"


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    shares = collections.defaultdict(list)
    cards, above, count, left = collections.Counter(), [], 0, collections.Counter()
    rows = csv.DictReader((line for line in open(ROWS) if not line.startswith("#")), delimiter="\t")
    for row in rows:
        found = asked(program, folder, row)
        if found is None:
            left[row["model"]] += 1
            continue
        name, card, phase = found
        if phase["least"] is None:
            left[f"no bound: {row['card']}"] += 1
            continue
        most, measured = phase["least"]["tokens_per_second"], float(row["tokens_per_second"])
        share = measured / most
        count += 1
        cards[row["card"]] += 1
        is_prefill = phase["phase"] == "prefill"
        way = max(phase["ways"], key=lambda way: way["flops_share" if is_prefill else "bytes_share"])
        note = row["note"]
        if share > 1:
            above.append((share, row, most))
        # What a model of experts reaches depends on how tokens choose them.
        if not note and MODELS[name]["experts"] == "0":
            shares[(phase["phase"], way["route"].split(":")[0], card["class"])].append(share)
        print(f"{row['card']:24} {row['model']:28} {row['test']:8} {measured:10.1f} {most:10.1f} {share:6.1%} {way['route']:8} {card['class']:8} {note}")
    print(f"{count} rows on {len(cards)} cards; above the bound: {len(above)}; left out: {dict(left)}")
    for (phase, route, _), values in list(shares.items()):
        shares[(phase, route, "-")] += values
    table = ["# Written by oracles/bounds.py from the runs in oracles/llama_bench.tsv; do not edit. Columns: phase, route that makes most of",
             "# it, class of the card or - for all, runs, lower and upper quartile of the share of the bound that they reach, in percent.", "# Models of experts are left out."]
    for key, values in sorted(shares.items()):
        values.sort()
        quarter = statistics.quantiles(values, n=4) if len(values) >= LEAST else [values[0], 0, values[-1]]
        print(*key, f"{len(values)} rows: quartiles {quarter[0]:.0%} and {quarter[2]:.0%}, {values[0]:.0%} to {values[-1]:.0%}")
        if len(values) >= LEAST:
            table.append("\t".join([*key, str(len(values)), f"{quarter[0] * 100:.0f}", f"{quarter[2] * 100:.0f}"]))
    if "--write" in sys.argv:
        (ROOT / "src/answers/model/reached.tsv").write_text("\n".join(table) + "\n")
        (ROOT / "docs/bounds.svg").write_text(plot(shares))
    for share, row, most in above:
        print("ABOVE", f"{share:.2f}", row, most)
    sys.exit(bool(above))


if __name__ == "__main__":
    main()
