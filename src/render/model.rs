//! The document of `model` in blocks.

use super::block::{Block, Column, ListLine, Strip, StripCell, Table, TableCell};
use super::claim;
use super::documents::{Document, Draw, Judged};
use super::select::statement;
use super::style::{Style, Tone, iec, plural, thousands};
use super::{Drawn, Format, drawn, findings};
use crate::report::v1::{
    KernelPresence, ModelAdvice, ModelBatchCost, ModelBound, ModelCard, ModelLayer, ModelLeast,
    ModelOperation, ModelPhase, ModelReached, ModelReport, ModelWay,
};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeMap;

impl Document for ModelReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).about(&self.model.files)
    }
}

impl Draw for ModelReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

/// Operations, one line of JSON each.
pub fn lines(report: &ModelReport) -> String {
    let mut text = String::new();
    for card in &report.cards {
        for phase in &card.phases {
            for operation in &phase.operations {
                let line = serde_json::json!({
                    "target": card.target,
                    "phase": phase.phase,
                    "operation": operation,
                });
                text.push_str(&super::json_line(&line));
            }
        }
    }
    text
}

fn blocks(report: &ModelReport, style: &Style) -> Vec<Block> {
    let model = &report.model;
    let name = model.name.clone().unwrap_or_else(|| model.files.first().cloned().unwrap_or_default());
    let mut blocks = Vec::new();
    for (place, card) in report.cards.iter().enumerate() {
        let left = format!("{}: {}", title(&name, card), card.verdict.text);
        let architecture = Some(model.architecture.as_str()).filter(|name| !name.is_empty());
        let blocks_of = plural(model.blocks, "block", "blocks");
        let right = format!("{}, {blocks_of}", architecture.unwrap_or("no architecture named"));
        if place > 0 {
            blocks.push(Block::Space);
        }
        blocks.push(Block::Title(left, right));
        if place == 0 {
            blocks.extend(claim::blocks(report.claim.as_ref()));
        }
        blocks.push(Block::Items(card.phases.iter().map(|phase| answer(phase, style)).collect()));
        blocks.extend(card.phases.iter().map(strip));
        blocks.extend(card.against_default.as_ref().map(against_default));
        blocks.extend(changes(card, style));
    }
    blocks.extend(ranking(report, style));
    blocks.extend(findings::incomplete(&report.found));
    blocks.push(Block::Space);
    blocks.push(Block::Items(facts(report)));
    blocks.extend(findings::section_without_waste(&report.found.findings, style));
    if style.full {
        for card in &report.cards {
            for phase in &card.phases {
                blocks.extend(table(card, phase, style));
            }
        }
    }
    blocks.push(Block::Heading("Basis".into()));
    blocks.push(Block::Items(report.statements.iter().map(statement).collect()));
    blocks
}

/// The subject of a card's answer.
pub(super) fn title(name: &str, card: &ModelCard) -> String {
    let quantization = card.quantization.as_ref().map(|ty| format!(" as {ty}")).unwrap_or_default();
    let beside = card.beside.as_ref().map(|paths| format!(", with {paths}")).unwrap_or_default();
    format!("{name}{quantization} on {} ({}){beside}", card.target, card.class)
}

pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        small if small > 0.0 && small < 0.05 => "below 0.1 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}

/// Most ways to name in an answer; the others are merged.
const WAYS: usize = 4;

/// Smallest share to name in an answer: what rounds to 0.1 %.
const SMALLEST: f64 = 0.0005;

/// The line on a phase: shares of what limits it, launches, and the limit.
fn answer(phase: &ModelPhase, style: &Style) -> ListLine {
    let is_prefill = phase.phase == "prefill";
    let share = |way: &ModelWay| if is_prefill { way.flops_share } else { way.bytes_share };
    let mut ways: Vec<String> = Vec::new();
    let named = phase.ways.iter().filter(|way| share(way) >= SMALLEST);
    let of = if is_prefill { " of the FLOPs" } else { " of the bytes" };
    for way in named.clone().take(WAYS) {
        let of = if ways.is_empty() { of } else { "" };
        ways.push(format!("{}{of} by {}", percent(share(way)), way.way));
    }
    let rest: f64 = named.skip(WAYS).map(share).sum();
    if rest >= SMALLEST {
        ways.push(format!("{} by others", percent(rest)));
    }
    let launches = match phase.ubatches {
        1 => format!("{} launches", thousands(phase.launches)),
        count => {
            let (least, most) = (phase.launches_least, phase.launches_most);
            let each = if least == most {
                thousands(most)
            } else {
                format!("{} to {}", thousands(least), thousands(most))
            };
            format!("{} launches in {count} ubatches, {each} each", thousands(phase.launches))
        }
    };
    let bound = match phase.bound {
        ModelBound::Arithmetic => format!("arithmetic bounds it: {}", flops(phase.flops)),
        ModelBound::Memory => format!("memory bounds it: {} are read", iec(phase.bytes)),
        ModelBound::Host => "the host bounds it, which waits and launches for each expert".to_owned(),
        ModelBound::NothingRuns => "a part of it cannot run".to_owned(),
    };
    let most = phase.least.as_ref().map(most).unwrap_or_default();
    let glyph = match phase.bound {
        ModelBound::NothingRuns => style.pick("✗", "x"),
        ModelBound::Host => style.pick("▲", "!"),
        _ => style.dot(),
    };
    let label = match phase.sequences {
        1 => phase.phase.clone(),
        count => format!("{count} sequences"),
    };
    let label = if is_prefill { format!("prefill of {}", phase.tokens) } else { label };
    ListLine {
        tone: tone(phase),
        label: format!("{glyph} {label}"),
        text: format!("{}; {launches}; {bound}{most}", ways.join(", ")),
    }
}

/// The most tokens a second, and what runs reach of that.
fn most(least: &ModelLeast) -> String {
    let most = least.tokens_per_second;
    let reached = |reached: &ModelReached| {
        let whose = if reached.of_class { "such cards" } else { "other cards" };
        let shares = format!("{:.0} to {:.0} %", reached.low * 100.0, reached.high * 100.0);
        let range = format!("{} to {}", rounded(most * reached.low), rounded(most * reached.high));
        format!(" (published runs on {whose} reach {shares} of that: {range})")
    };
    let reached = least.reached.as_ref().map(reached).unwrap_or_default();
    format!("; at most {} tokens/s{reached}", rounded(most))
}

/// A number of tokens, with three digits that count.
fn rounded(number: f64) -> String {
    match number {
        small if small < 10.0 => format!("{small:.2}"),
        small if small < 100.0 => format!("{small:.1}"),
        large => {
            let unit = 10_f64.powf((large.log10().floor() - 2.0).max(0.0));
            thousands(((large / unit).ceil() * unit) as u64)
        }
    }
}

/// The blocks of a phase, coloured by way.
fn strip(phase: &ModelPhase) -> Block {
    let of = if phase.phase == "prefill" { "FLOPs" } else { "bytes" };
    let name = match phase.sequences {
        1 => phase.phase.clone(),
        count => format!("{count} sequences"),
    };
    let cell = |layer: &ModelLayer| StripCell {
        name: layer.block.map_or("outside of blocks".to_owned(), |block| format!("block {block}")),
        apart: layer.block.is_none(),
        parts: layer
            .ways
            .iter()
            .map(|part| (usize::try_from(part.way).unwrap_or(usize::MAX), part.share))
            .collect(),
    };
    Block::Strip(Strip {
        title: format!("{name}: {of} of each block, and of the output behind them, by way"),
        ways: phase.ways.iter().map(|way| (way.way.clone(), way_tone(&way.kind))).collect(),
        cells: phase.layers.iter().map(cell).collect(),
    })
}

fn way_tone(kind: &str) -> Tone {
    match kind {
        "own-kernel" | "rocblas-tuned" => Tone::Good,
        "rocblas" => Tone::Plain,
        "rocblas-fallback" | "expert-loop" | "cpu" => Tone::Partial,
        _ => Tone::Bad,
    }
}

fn tone(phase: &ModelPhase) -> Tone {
    let worst = |kinds: &[&str]| phase.ways.iter().any(|way| kinds.contains(&way.kind.as_str()));
    match phase.bound {
        ModelBound::NothingRuns => Tone::Bad,
        ModelBound::Host => Tone::Partial,
        _ if worst(&["rocblas-fallback", "cpu"]) => Tone::Partial,
        _ => Tone::Good,
    }
}

/// Variables as `NAME=VALUE`; `None` without any.
pub(super) fn listed(variables: &BTreeMap<String, String>) -> Option<String> {
    let all: Vec<String> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

pub(super) fn flops(number: u64) -> String {
    const UNITS: [&str; 5] = ["FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP"];
    let mut value = number as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS.get(unit).copied().unwrap_or_default())
}

/// What the batch size costs beside the default, in a line.
fn against_default(cost: &ModelBatchCost) -> Block {
    let text = format!(
        "the prompt reads {} instead of {}, takes {} launches instead of {}, and computes {} instead of {}",
        iec(cost.bytes),
        iec(cost.bytes_default),
        thousands(cost.launches),
        thousands(cost.launches_default),
        flops(cost.flops),
        flops(cost.flops_default),
    );
    let label = format!("-ub {}, not {}", cost.ubatch, cost.ubatch_default);
    Block::Items(vec![ListLine { tone: Tone::Plain, label, text }])
}

fn changes(card: &ModelCard, _style: &Style) -> Vec<Block> {
    let item = |advice: &ModelAdvice| {
        let in_ubatches = |launches: u64, ubatches: u64| match ubatches {
            1 => thousands(launches),
            count => format!("{} in {count} ubatches", thousands(launches)),
        };
        let mut text = match advice.weights.is_empty() {
            true => String::new(),
            false => format!("{}: ", advice.weights.join(", ")),
        };
        text.push_str(&format!(
            "own kernels make {} of the FLOPs of {}, now {}; launches: {}, now {}",
            percent(advice.own_share_then),
            advice.phase,
            percent(advice.own_share),
            in_ubatches(advice.launches_then, advice.ubatches_then),
            in_ubatches(advice.launches, advice.ubatches),
        ));
        if advice.ends_loop {
            text.push_str("; no loop over experts");
        }
        if advice.more_launches > 0 {
            let more = thousands(advice.more_launches);
            text.push_str(&format!("; it costs {more} launches more, and can be slower for it"));
        }
        for (place, tried) in advice.tried.iter().enumerate() {
            let before = if place == 0 { "; tried too: " } else { ", " };
            let loops = if tried.loops { " with the loop" } else { "" };
            text.push_str(&format!(
                "{before}-ub {}: {} in {} launches{loops}",
                tried.ubatch,
                percent(tried.own_share),
                thousands(tried.launches)
            ));
        }
        ListLine { tone: Tone::Plain, label: advice.change.clone(), text }
    };
    if card.advice.is_empty() {
        return Vec::new();
    }
    let items = card.advice.iter().map(item).collect();
    vec![Block::Heading("What can be changed [inferred]".into()), Block::Items(items)]
}

/// The file types beside each other, the cheapest first.
fn ranking(report: &ModelReport, style: &Style) -> Vec<Block> {
    if report.ranking.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("as"),
        Column::right("weights"),
        Column::left("fits"),
        Column::right("read a token"),
        Column::right("launches"),
        Column::right("tokens/s <="),
        Column::right("own kernels"),
        Column::right("of prefill"),
    ]);
    for row in &report.ranking {
        let (fits, tone) = match (row.runs, row.fits) {
            (false, _) => ("does not run", Tone::Bad),
            (true, Some(true)) => ("yes", Tone::Good),
            (true, Some(false)) => ("no", Tone::Bad),
            (true, None) => ("?", Tone::Dim),
        };
        table.row([
            TableCell::new(format!(
                "{} on {}",
                row.quantization.as_deref().unwrap_or("as it is"),
                row.target
            )),
            TableCell::new(iec(row.weights)),
            TableCell::toned(fits, tone),
            TableCell::new(iec(row.bytes_of_token)),
            TableCell::new(style.number(row.launches_of_token)),
            TableCell::new(row.tokens_per_second.map_or("?".to_owned(), rounded)),
            TableCell::new(percent(row.own_share_of_prefill)),
            TableCell::new(style.number(row.launches_of_prefill)),
        ]);
    }
    let text = "What runs and fits first, then by the bytes and launches of a token; the last two columns are of prefill. Quality is not compared.";
    vec![
        Block::Heading("File types by predicted cost [inferred]".into()),
        Block::Table(table),
        Block::Text(Tone::Dim, text.into()),
    ]
}

fn facts(report: &ModelReport) -> Vec<ListLine> {
    let item = |label: &str, text: String| ListLine { tone: Tone::Plain, label: label.to_owned(), text };
    let usage = &report.usage;
    let mut all = Vec::new();
    let mut names: Vec<&Option<String>> = Vec::new();
    // The ranking has the memory of each file type.
    let shown = if report.ranking.is_empty() { report.cards.len() } else { 1 };
    for card in report.cards.iter().take(shown) {
        if names.contains(&&card.quantization) {
            continue;
        }
        names.push(&card.quantization);
        let memory = &card.memory;
        let of = card.quantization.as_ref().map(|ty| format!("{ty}: ")).unwrap_or_default();
        let left = match (memory.of_card, memory.left) {
            (Some(all), Some(left)) if left < 0 => {
                format!("; {} more than the card's {}", iec(left.unsigned_abs()), iec(all))
            }
            (Some(all), Some(left)) => {
                format!("; {} of the card's {} are left", iec(left.unsigned_abs()), iec(all))
            }
            _ => String::new(),
        };
        let text = format!(
            "{of}{} of weights on the card, {} of {} cache for each sequence of {} tokens; {} of embedding with the CPU{left}",
            iec(memory.weights),
            iec(memory.cache),
            usage.cache_type,
            thousands(usage.context),
            iec(memory.weights_on_cpu),
        );
        all.push(item("memory", text));
        let types: Vec<String> =
            card.types.iter().map(|(name, bytes)| format!("{name} {}", iec(*bytes))).collect();
        all.push(item("weights", format!("{of}{}: {}", thousands(report.model.weights), types.join(", "))));
    }
    if let Some(conversion) = &report.model.conversion {
        let stored: Vec<String> =
            conversion.stored.iter().map(|(name, bytes)| format!("{name} {}", iec(*bytes))).collect();
        let quantized = conversion
            .quantized
            .as_ref()
            .map(|method| format!(", quantized by {method}"))
            .unwrap_or_default();
        let class = conversion.class.as_deref().unwrap_or("no class named");
        all.push(item("files", format!("{class}, stored as {}{quantized}", stored.join(", "))));
    }
    let mut said: Vec<(&str, String)> = Vec::new();
    for card in &report.cards {
        let library = match &card.library {
            Some(library) => format!("{}, ggml {}", library.path, library.version),
            None => {
                format!("rules of ggml {}; no library was named, so kernels were not looked for", card.rules)
            }
        };
        said.push(("ggml", library));
        let assumed = if card.multiprocessors_assumed { " (assumed)" } else { "" };
        let rocblas = match &card.rocblas {
            Some(folder) => format!("{folder}, for {} multiprocessors{assumed}", card.multiprocessors),
            None => "no catalogs for the device are here".to_owned(),
        };
        said.push(("rocBLAS", rocblas));
        let flash = if card.flash_attention { "on" } else { "off" };
        said.push(("flash attention", flash.to_owned()));
    }
    // Text that is equal for both cards is shown once.
    for (place, (label, text)) in said.iter().enumerate() {
        if !said.iter().take(place).any(|(_, before)| before == text) {
            all.push(item(label, text.clone()));
        }
    }
    all
}

fn table(card: &ModelCard, phase: &ModelPhase, style: &Style) -> Vec<Block> {
    let heading = format!("Operations of {} on {}", phase.phase, card.target);
    let mut table = Table::new([
        Column::left("weight"),
        Column::right("count"),
        Column::left("type"),
        Column::left("shape"),
        Column::right(if phase.phase == "prefill" { "FLOPs" } else { "bytes" }),
        Column::left("way"),
        Column::left("kernel"),
    ]);
    for operation in &phase.operations {
        let share = if phase.phase == "prefill" { operation.flops_share } else { operation.bytes_share };
        table.row([
            TableCell::new(&operation.role),
            TableCell::new(thousands(operation.count)),
            TableCell::new(&operation.ty),
            TableCell::new(&operation.shape),
            TableCell::new(percent(share)),
            TableCell::new(&operation.way),
            TableCell::new(launched(operation, style)),
        ]);
    }
    let mut blocks = vec![Block::Heading(heading), Block::Table(table)];
    if !phase.between.is_empty() {
        let mut between: Vec<(&String, &u64)> = phase.between.iter().collect();
        between.sort_rows_by_key(|(kernel, count)| (std::cmp::Reverse(**count), *kernel));
        let all: Vec<String> =
            between.iter().map(|(kernel, count)| format!("{} {kernel}", thousands(**count))).collect();
        blocks.push(Block::Text(Tone::Plain, format!("between them: {}", all.join(", "))));
    }
    blocks
}

/// The kernels launched, and what is known about them.
fn launched(operation: &ModelOperation, style: &Style) -> String {
    let mut parts = Vec::new();
    if operation.fusion.as_deref() == Some("part of up") {
        return "in the launch of up".to_owned();
    }
    for call in &operation.calls {
        let mut text = format!("{} {} {}x{}x{}", call.function, call.ty, call.m, call.n, call.k);
        if let Some(kernel) = call.kernel.as_ref().filter(|_| style.verbose > 0) {
            text.push_str(&format!(": {kernel}"));
        }
        parts.push(text);
    }
    for kernel in operation.kernels.iter().filter(|_| operation.calls.is_empty() || style.verbose > 0) {
        let mut text = kernel.name.clone();
        match kernel.presence {
            Some(KernelPresence::Real) | None => {}
            Some(other) => text.push_str(&format!(" ({})", other.describe())),
        }
        if let Some(vgprs) = kernel.vgprs {
            text.push_str(&format!(", {vgprs} VGPRs"));
        }
        if let Some(spills) = kernel.vgpr_spills.filter(|spills| *spills > 0) {
            text.push_str(&format!(", {spills} spilled"));
        }
        parts.push(text);
    }
    if operation.launches > 1 {
        parts.push(format!("{} each", plural(operation.launches, "launch", "launches")));
    }
    parts.join("; ")
}
