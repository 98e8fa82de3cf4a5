//! Results of memory that kernels use before they are there, in blocks.

use super::block::{Block, ListLine};
use super::style::{Style, Tone, cut, plural};
use crate::finding::evidence::Evidence;
use crate::report::v1::{CloseInstructions, ClosePair, KernelWaits, MissingKernelWait, WhenMissing};

/// Kernels without `-v`, and those of them where a wait is missing along some way only.
const SHOWN: usize = 12;
const WAYS_SHOWN: usize = 4;

/// Longest name on a screen, in characters.
const NAME_SHOWN: usize = 48;

/// The part of `fatbin --waits`.
pub(super) fn blocks(waits: &KernelWaits, style: &Style) -> Vec<Block> {
    let mut blocks = vec![Block::known("Waits for results of memory", Evidence::Observed)];
    let text = |tone, text: String| Block::Text(tone, text);
    let undecided: u64 = waits.undecided.values().sum();
    let decided = waits.kernels.saturating_sub(undecided);
    let tone = match (waits.missing_each_time, waits.missing_along_a_way) {
        (0, 0) => Tone::Good,
        (0, _) => Tone::Partial,
        _ => Tone::Bad,
    };
    blocks.push(text(tone, summary(waits, decided, style)));
    if waits.empty_sums > 0 {
        let what = format!(
            "Not counted with them: {} scaled, moved or stored without a wait for the read that clears it, in {}, along ways that \
             add nothing to it (K = 0, or a part of K without a step).",
            plural(waits.empty_sums, "sum is", "sums are"),
            plural(waits.kernels_with_empty_sums, "kernel", "kernels"),
        );
        blocks.push(text(Tone::Dim, what));
    }
    if waits.functions > 0 {
        let functions =
            plural(waits.functions, "function that is no kernel", "functions that are no kernels");
        let size = style.size(waits.function_bytes);
        let what = format!("Not looked at: {functions}, {size} of code that kernels may call.");
        blocks.push(text(Tone::Partial, what));
    }
    for (why, count) in &waits.undecided {
        let what =
            format!("Not decided, or not to the end: {} with {why}.", plural(*count, "kernel", "kernels"));
        blocks.push(text(Tone::Dim, what));
    }
    blocks.extend(waits.problems.iter().map(|what| text(Tone::Partial, format!("Not looked into: {what}."))));
    blocks.extend(missing_blocks(waits, style));
    blocks.extend(close_blocks(&waits.close, style));
    blocks
}

fn missing_blocks(waits: &KernelWaits, style: &Style) -> Vec<Block> {
    let (mut blocks, text) = (Vec::new(), |tone, text: String| Block::Text(tone, text));
    if waits.missing.is_empty() {
        return blocks;
    }
    let is_long = style.verbose > 0;
    let most = match waits.missing_each_time {
        _ if is_long => usize::MAX,
        0 => WAYS_SHOWN,
        _ => SHOWN,
    };
    let shown: Vec<ListLine> = waits
        .missing
        .chunk_by(|one, next| !is_long && one.symbol == next.symbol)
        .filter_map(|of_kernel| of_kernel.first())
        .take(most)
        .map(line)
        .collect();
    let all = waits.missing_each_time + waits.missing_along_a_way;
    let more = all.saturating_sub(shown.len() as u64);
    blocks.extend([Block::Space, Block::Items(shown)]);
    if more > 0 {
        let what = format!("{} more: -v and -f json have up to 4 of each kernel.", style.number(more));
        blocks.push(text(Tone::Dim, what));
    }
    let what = "each time: no branch lies between the two. along a way: some way through the kernel has no wait between them; \
        conditions that bytes do not tell may rule it out, and a result that comes soon enough does no harm.";
    blocks.extend([Block::Space, text(Tone::Dim, what.to_owned())]);
    blocks
}

fn summary(waits: &KernelWaits, decided: u64, style: &Style) -> String {
    let looked = format!(
        "looked at {} of {} ({} with code of their own, {} of memory)",
        style.number(decided),
        plural(waits.kernels, "kernel", "kernels"),
        style.number(waits.different),
        plural(waits.results, "result", "results"),
    );
    match (waits.missing_each_time, waits.missing_along_a_way) {
        (0, 0) => format!("No wait is missing; {looked}."),
        (0, ways) => format!(
            "{} missing along some way, in {}; {looked}.",
            plural(ways, "wait is", "waits are"),
            plural(waits.kernels_with_missing, "kernel", "kernels"),
        ),
        (each, ways) => format!(
            "{} missing each time, {} along some way, in {}; {looked}.",
            plural(each, "wait is", "waits are"),
            style.number(ways),
            plural(waits.kernels_with_missing, "kernel", "kernels"),
        ),
    }
}

fn line(one: &MissingKernelWait) -> ListLine {
    let place = place(&one.target_id, &one.kernel, one.alike);
    labelled(one.when, Tone::Bad, format!("{place}: {}", one.sentence("`")))
}

fn labelled(when: WhenMissing, each_time: Tone, text: String) -> ListLine {
    let (label, tone) = match when {
        WhenMissing::EachTime => ("each time", each_time),
        WhenMissing::AlongAWay => ("along a way", Tone::Partial),
    };
    ListLine { tone, label: label.to_owned(), text }
}

fn place(target_id: &str, kernel: &str, alike: u64) -> String {
    let alike = if alike > 0 { format!(" (and {alike} with the same code)") } else { String::new() };
    let name = cut(kernel.strip_prefix("void ").unwrap_or(kernel), NAME_SHOWN);
    format!("{target_id} {name}{alike}")
}

/// Instructions that are too close to each other.
fn close_blocks(close: &CloseInstructions, style: &Style) -> Vec<Block> {
    let text = |tone, text: String| Block::Text(tone, text);
    let mut blocks = vec![Block::Space];
    let all = close.each_time + close.along_a_way;
    let judged =
        plural(close.judged, "instruction that needs a distance", "instructions that need a distance");
    if all == 0 {
        let what = format!("No two instructions are too close to each other; looked at {judged}.");
        blocks.push(text(Tone::Good, what));
    } else {
        let what = format!(
            "{} too close to each other, in {}; looked at {judged}.",
            plural(all, "pair of instructions is", "pairs of instructions are"),
            plural(close.kernels, "kernel", "kernels"),
        );
        blocks.push(text(Tone::Partial, what));
        let kinds: Vec<String> = close
            .hazards
            .iter()
            .map(|(hazard, count)| format!("{hazard} {}", style.number(*count)))
            .collect();
        blocks.push(text(Tone::Dim, format!("By hazard: {}.", kinds.join(", "))));
        let most = if style.verbose > 0 { usize::MAX } else { WAYS_SHOWN };
        let rows = close.pairs.chunk_by(|one, next| style.verbose == 0 && one.hazard == next.hazard);
        let shown: Vec<ListLine> =
            rows.filter_map(|alike| alike.first()).take(most).map(close_line).collect();
        blocks.extend([Block::Space, Block::Items(shown)]);
    }
    if style.verbose > 0 {
        blocks.extend(close.not_judged.iter().map(|what| text(Tone::Dim, format!("Not judged: {what}."))));
    } else if !close.not_judged.is_empty() {
        let what = format!(
            "{} not judged: -v names them.",
            plural(
                close.not_judged.len() as u64,
                "hazard of these processors is",
                "hazards of these processors are"
            )
        );
        blocks.push(text(Tone::Dim, what));
    }
    blocks
}

fn close_line(one: &ClosePair) -> ListLine {
    let place = place(&one.target_id, &one.kernel, one.alike);
    labelled(one.when, Tone::Partial, format!("{place}: {}", one.sentence("`")))
}
