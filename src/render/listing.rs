//! Listings of machine code.

use super::style::{Style, Tone};
use crate::report::v1::{KernelSource, ListedInstruction, SourceFrame};
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// Bytes in groups of four.
pub(super) fn words(bytes: &str) -> String {
    let groups: Vec<&str> =
        (0..bytes.len()).step_by(8).filter_map(|at| bytes.get(at..(at + 8).min(bytes.len()))).collect();
    groups.join(" ")
}

/// Instructions in order: address, words as stored, text, and branch target. An instruction in the listing
/// that is a branch target gets a label.
///
/// With source lines, each place in the source stands before its code.
pub(super) fn listing(
    lines: &[ListedInstruction],
    source: Option<&KernelSource>,
    tone_of: impl Fn(&str) -> Tone,
    style: &Style,
) -> Vec<(Tone, String)> {
    let first = lines.first().map_or(0, |line| line.address);
    let longest = lines.iter().map(|line| words(&line.bytes).len()).max().unwrap_or(0);
    let targets: BTreeSet<u64> = lines.iter().filter_map(|line| line.target).collect();
    let labels: KeyMap<u64, usize> =
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
        let tone = line.mnemonic.map_or(Tone::Bad, &tone_of);
        shown.push((tone, format!("{:>8x}  {:<longest$}  {text}{arrow}", line.address, words(&line.bytes))));
    }
    shown
}
