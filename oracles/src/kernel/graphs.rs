//! Compares blocks, edges, loops, calls and registers in use of real kernels, value by value.

use super::HeldPart;
use super::rows::ListedKernel;
use anyhow::{Context as _, Result, bail};
use rocm_audit::bytes::elf::Elf;
use rocm_audit::codeobject::{descriptor, text_section};
use rocm_audit::isa::{Correction, Decoder, Mode};
use rocm_audit::kernel::{Code, Graph, Liveness, Peaks, Registers, Rule};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

const SHOWN: usize = 12;

/// Compares the kernels of two lists whose code objects are in a folder.
pub fn run(graphs: &str, lives: &str, objects: &str, part: HeldPart) -> Result<()> {
    let live: HashMap<(String, String, String), ListedKernel> = ListedKernel::read(lives)?
        .into_iter()
        .map(|row| ((row.object.clone(), row.kernel.clone(), row.cpu.clone()), row))
        .collect();
    // Counts of equal values, different ones, and those that differ because LLVM lists an extra register as
    // read.
    let mut tally: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let (mut kernels, mut absent, mut shown) = (0, 0, 0);
    for row in ListedKernel::read(graphs)?.iter().filter(|row| part.has(&row.kernel)) {
        let path = Path::new(objects).join(format!("{}.co", row.object));
        let Ok(bytes) = std::fs::read(&path) else {
            absent += 1;
            continue;
        };
        kernels += 1;
        let key = (row.object.clone(), row.kernel.clone(), row.cpu.clone());
        let live = live.get(&key).context("a kernel without registers in use")?;
        let (all, is_corrected) = compared(&bytes, row, live).with_context(|| row.kernel.clone())?;
        for (name, expected, found) in all {
            let is_of_registers = name.starts_with("strong") || name.starts_with("weak");
            let kind = match expected == found {
                true => 0,
                false if is_corrected && is_of_registers => 2,
                false => 1,
            };
            tally.entry(name).or_default()[kind] += 1;
            if kind == 1 && shown < SHOWN {
                shown += 1;
                println!(
                    "{} {} {}: {name}: expected {expected}, found {found}",
                    row.lib, row.cpu, row.kernel
                );
            }
        }
    }
    println!("{kernels} kernels, {absent} whose code objects are not there");
    for (name, [equal, different, corrected]) in &tally {
        println!(
            "{name:<24} {equal:>6} equal {different:>6} different {corrected:>6} by a correction of what LLVM says"
        );
    }
    let different: usize = tally.values().map(|[_, different, _]| different).sum();
    if different > 0 || kernels == 0 { bail!("{different} values differ") } else { Ok(()) }
}

type Compared = (&'static str, Value, Value);

fn compared(bytes: &[u8], row: &ListedKernel, live: &ListedKernel) -> Result<(Vec<Compared>, bool)> {
    let processor = row.cpu.split('/').next().unwrap_or_default();
    let decoder = Decoder::for_processor(processor, Mode::Correct).context("no such processor")?;
    let elf = Elf::open(bytes, 0).map_err(|error| anyhow::anyhow!("{error}"))?;
    let (texts, _) = text_section::sections(&elf, usize::MAX).map_err(|error| anyhow::anyhow!("{error}"))?;
    let descriptors = descriptor::read_all(bytes, 0).map_err(|error| anyhow::anyhow!("{error}"))?;
    let own = descriptors.iter().find(|own| own.symbol().strip_suffix(".kd") == Some(row.kernel.as_str()));
    let own = own.context("no descriptor")?;
    let inside = |text: &&text_section::TextSection<'_>| {
        (text.address..text.address + text.bytes.len() as u64).contains(&own.entry())
    };
    let text = texts.iter().find(inside).context("no section")?;
    let start = (own.entry() - text.address) as usize;
    let size = row.get("size").as_u64().context("a size")? as usize;
    let lanes = if own.is_wave32() && processor.starts_with("gfx1") { 32 } else { 64 };
    let code = Code::new(decoder, text.bytes, start..start + size, lanes);
    let graph = Graph::from_code(&code);
    let mut all = flow(row, &graph);
    for (name, rule) in [("strong", Rule::EveryWrite), ("weak", Rule::FullMask)] {
        let found = Liveness::from_graph(&graph, rule);
        let expected = live.get(name);
        let is_strong = rule == Rule::EveryWrite;
        let pick = |strong, weak| if is_strong { strong } else { weak };
        let part = |name: &str| expected.get(name).cloned().unwrap_or_default();
        all.push((pick("strong live_in", "weak live_in"), part("live_in"), peaks(found.before())));
        all.push((pick("strong live_at", "weak live_at"), part("live_at"), peaks(found.at())));
        let entry = found.entry();
        all.push((
            pick("strong entry", "weak entry"),
            part("entry"),
            json!([entry.vgprs(), entry.agprs(), entry.sgprs()]),
        ));
        if is_strong {
            all.push(("top", live.get("top").clone(), registers(found.highest())));
            all.push(("used", live.get("used").clone(), registers(found.named())));
            let is_indexed = graph.names_registers_by_index();
            all.push(("index mode", live.get("index_mode").clone(), json!(is_indexed)));
        }
    }
    let corrected = |correction| matches!(correction, Correction::AllLanes | Correction::PairResult);
    let found = graph.each().filter_map(|(offset, ..)| code.instruction(offset));
    let is_corrected = found.into_iter().any(|one| one.corrections().any(corrected));
    Ok((all, is_corrected))
}

fn registers(registers: Registers) -> Value {
    json!({ "v": registers.vgprs(), "a": registers.agprs(), "s": registers.sgprs() })
}

fn peaks(peaks: Peaks) -> Value {
    let [v, a, s] =
        [peaks.vgprs(), peaks.agprs(), peaks.sgprs()].map(|peak| [u32::from(peak.count()), peak.offset()]);
    json!({ "v": v, "a": a, "s": s })
}

fn flow(row: &ListedKernel, graph: &Graph) -> Vec<Compared> {
    let start = |block: u32| graph.blocks().get(block as usize).map_or(0, |block| block.start());
    let block = |block: &rocm_audit::kernel::Block| {
        let to: Vec<u32> = block.successors().iter().map(|to| start(*to)).collect();
        if block.goes_anywhere() {
            json!([block.start(), block.end(), to, 1])
        } else {
            json!([block.start(), block.end(), to])
        }
    };
    let one_loop = |own: &rocm_audit::kernel::Loop| {
        let parent = own.parent().and_then(|at| graph.loops().get(at as usize)).map(|parent| parent.offset());
        json!({ "header": own.offset(), "back": own.back(), "blocks": own.blocks(), "depth": own.depth(), "parent": parent })
    };
    let mut irreducible = graph.irreducible().to_vec();
    irreducible.sort_unstable();
    let mut expected: Vec<(u32, u32)> =
        serde_json::from_value(row.get("irreducible").clone()).unwrap_or_default();
    expected.sort_unstable();
    let through = |all: &[rocm_audit::kernel::Through]| {
        json!(all.iter().map(|one| json!([one.offset(), one.target()])).collect::<Vec<_>>())
    };
    let reachable = graph.blocks().iter().filter(|block| block.is_reachable()).count();
    let undecoded = row.get("undecoded").as_array().map_or(0, Vec::len);
    vec![
        ("instructions", row.get("instructions").clone(), json!(graph.instructions())),
        ("blocks", row.get("blocks").clone(), json!(graph.blocks().iter().map(block).collect::<Vec<_>>())),
        ("reachable", row.get("reachable").clone(), json!(reachable)),
        ("loops", row.get("loops").clone(), json!(graph.loops().iter().map(one_loop).collect::<Vec<_>>())),
        ("irreducible", json!(expected), json!(irreducible)),
        ("indirect", row.get("indirect").clone(), through(graph.indirect())),
        ("calls", row.get("calls").clone(), through(graph.calls())),
        ("external", row.get("external").clone(), json!(graph.external())),
        ("misplaced", json!(row.get("mid").as_array().map_or(0, Vec::len)), json!(graph.misplaced().len())),
        ("unknown words", json!(undecoded), json!(graph.unknown_words())),
    ]
}
