//! Listings of machine code.

use super::instructions::words;
use super::style::{Style, Tone};
use crate::isa::class::{self, Class};
use crate::report::v1::{KernelSource, ListedInstruction, SourceFrame};
use std::collections::{BTreeMap, BTreeSet};

/// Instructions in order: address, words as stored, text, and branch target. An instruction in the listing
/// that is a branch target gets a label.
///
/// With source lines, each place in the source stands before its code.
pub(super) fn listing(
    lines: &[ListedInstruction],
    source: Option<&KernelSource>,
    style: &Style,
) -> Vec<(Tone, String)> {
    let first = lines.first().map_or(0, |line| line.address);
    let longest = lines.iter().map(|line| words(&line.bytes).len()).max().unwrap_or(0);
    let targets: BTreeSet<u64> = lines.iter().filter_map(|line| line.target).collect();
    let labels: BTreeMap<u64, usize> =
        lines.iter().map(|line| line.address).filter(|at| targets.contains(at)).zip(0..).collect();
    let mut shown = Vec::with_capacity(lines.len() + labels.len());
    let mut last: &[SourceFrame] = &[];
    for line in lines {
        let here = source.map_or(&[][..], |source| source.at(line.address - first));
        if !std::ptr::eq(here, last) && !here.is_empty() {
            let places: Vec<String> = here.iter().map(SourceFrame::short).collect();
            shown.push((Tone::Dim, format!("{:>10}; {}", "", places.join(style.pick(" ← ", " <- ")))));
        }
        last = here;
        if let Some(label) = labels.get(&line.address) {
            shown.push((Tone::Strong, format!("L{label}:")));
        }
        let arrow = line.target.map_or_else(String::new, |target| {
            // Within the kernel, readers look for offsets.
            let (way, distance) = match target.checked_sub(first) {
                Some(distance) => ('+', distance),
                None => ('-', first - target),
            };
            let label = labels.get(&target).map_or_else(String::new, |label| format!("L{label} "));
            format!("  {} {label}{target:x} ({way}{distance:#x})", style.pick("→", "->"))
        });
        let text = line.text.as_deref().or(line.mnemonic).unwrap_or("no instruction");
        let tone = line.mnemonic.map_or(Tone::Bad, tone_of_mnemonic);
        shown.push((tone, format!("{:>8x}  {:<longest$}  {text}{arrow}", line.address, words(&line.bytes))));
    }
    shown
}

/// What an instruction is for, as a tone: matrix and dot products good, memory partial, scratch bad, branches and ends strong, waits dim.
fn tone_of_mnemonic(mnemonic: &str) -> Tone {
    const TONES: [(&[&str], Tone); 5] = [
        (&["mfma", "smfmac", "wmma", "swmmac", "dot"], Tone::Good),
        (&["wait"], Tone::Dim),
        (&["branch", "end", "barrier", "trap"], Tone::Strong),
        (&["scratch-load", "scratch-store"], Tone::Bad),
        (&["vmem", "smem", "lds"], Tone::Partial),
    ];
    let set = class::classes_of(mnemonic);
    let has = |id: &&str| Class::by_id(id).is_some_and(|(bit, _)| set >> bit & 1 == 1);
    TONES.iter().find(|(ids, _)| ids.iter().any(|id| has(id))).map_or(Tone::Plain, |(_, tone)| *tone)
}
