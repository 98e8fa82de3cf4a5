//! The document of `fatbin` on one file, in blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::documents::{Document, Judged};
use super::findings;
use super::instructions::{self, Classes};
use super::style::{Style, Tone, iec, plural, thousands};
use crate::finding::evidence::Evidence;
use crate::format::Format;
use crate::report::v1::{ByteClass, Fatbin, FatbinReport};
use rocm_audit_files::sorted_rows::SortedRows as _;

impl Document for FatbinReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).naming(self.files.iter().map(|file| &file.path))
    }
}

pub(super) fn blocks(file: &Fatbin, style: &Style) -> Vec<Block> {
    let mut blocks = vec![title(file, style)];
    let nothing = file.bundles.is_empty()
        && file.kpack.is_none()
        && file.total.code_objects == 0
        && file.targets.is_empty()
        && file.other_targets.is_empty();
    if nothing && file.not_examined.is_empty() && file.complete {
        let kind =
            if file.format == Format::Other.name() { String::new() } else { format!("{} ", file.format) };
        let what = format!("No AMD GPU code: this {kind}file holds no offload bundle and no code object.");
        blocks.push(Block::Text(Tone::Plain, what));
        return blocks;
    }
    blocks.extend(container(file));
    blocks.extend(kpack(file));
    if !file.bundles.is_empty() {
        blocks.extend(storage(file, style));
    }
    if !file.targets.is_empty() {
        blocks.push(Block::known("Code objects by target", Evidence::Observed));
        blocks.extend([targets(file, style), Block::Space]);
        blocks.push(Block::Text(
            Tone::Dim,
            format!("{REGISTERS} Code object version: {}.", file.total.abi.join(", ")),
        ));
        blocks.extend(descriptors(file));
    }
    blocks.extend(other_content(file, style));
    if !file.asked.is_empty() {
        let asked = file.asked.join(", ");
        let text = if file.targets.is_empty() {
            let here = file.other_targets.join(", ");
            let has = if here.is_empty() { String::new() } else { format!(" It has code for {here}.") };
            format!("Nothing in this file loads on {asked}.{has}")
        } else {
            format!("Shown is what loads on {asked}; bundles and bytes are of the whole file.")
        };
        blocks.extend([Block::Space, Block::Text(Tone::Plain, text)]);
    }
    let (stored, unpacked) = (&file.where_the_bytes_are, &file.where_the_unpacked_bytes_are);
    blocks.extend(bytes_with_total("Where the bytes are", stored, file.accounted_bytes, style));
    let total = file.accounted_unpacked_bytes;
    blocks.extend(bytes_with_total("Where the unpacked bytes are", unpacked, total, style));
    if let Some(sources) = &file.code_sources {
        blocks.extend(super::code_sources::blocks(sources, file, style));
    }
    if let Some(waits) = &file.waits {
        blocks.extend(super::missing_waits::blocks(waits, style));
    }
    blocks.extend(super::waste::blocks(&file.waste, style));
    if style.verbose > 0 {
        blocks.extend(entries(file));
    }
    blocks.extend(findings::section_without_waste(&file.findings, style));
    if !file.not_examined.is_empty() {
        let item = |what: &String| ListLine {
            tone: Tone::Partial,
            label: "not examined".into(),
            text: what.clone(),
        };
        blocks.push(Block::Items(file.not_examined.iter().map(item).collect()));
    }
    if !file.targets.is_empty() {
        let next = "Next: --list for offsets and URIs, --kernels [REGEX] for each kernel, --isa for its instructions, --extract DIR for the code objects.";
        blocks.push(Block::Space);
        blocks.push(Block::Text(Tone::Dim, next.into()));
    }
    blocks
}

/// Whether a file was read in full and nothing in it loads on the asked targets.
pub(super) fn has_nothing_asked(file: &Fatbin) -> bool {
    !file.asked.is_empty() && file.targets.is_empty() && !file.other_targets.is_empty() && file.complete
}

/// The text of `fatbin --isa` for files without code for the asked targets.
pub(super) fn without_asked(
    files: &[&Fatbin],
    classes: Classes<'_>,
    kernels: bool,
    style: &Style,
) -> Vec<Block> {
    match files {
        [one] => isa_blocks(one, classes, kernels, style),
        several => list_without_asked(several),
    }
}

/// One paragraph for all files without code for the asked targets, since a library folder has hundreds.
pub(super) fn list_without_asked(files: &[&Fatbin]) -> Vec<Block> {
    let Some(first) = files.first() else { return Vec::new() };
    let mut here: Vec<&str> = files.iter().flat_map(|f| &f.other_targets).map(String::as_str).collect();
    here.sort_rows_by_key(|id| (crate::target::Processor::rank(id.split(':').next().unwrap_or(id)), *id));
    here.dedup();
    let text = format!(
        "Nothing in {} loads on {}, such as {}; they have code for {}.",
        plural(files.len() as u64, "other file", "other files"),
        first.asked.join(", "),
        first.path,
        here.join(", ")
    );
    vec![Block::Space, Block::Text(Tone::Plain, text)]
}

/// The text of `fatbin --isa` on a file.
pub(super) fn isa_blocks(file: &Fatbin, classes: Classes<'_>, kernels: bool, style: &Style) -> Vec<Block> {
    let mut blocks = vec![title(file, style)];
    let found = match kernels {
        true => instructions::of_kernels(file, style),
        false => instructions::of_file(file, classes, style),
    };
    if found.is_empty() {
        let here: Vec<&str> = file.other_targets.iter().map(String::as_str).collect();
        let what = if !file.asked.is_empty() && file.targets.is_empty() && !here.is_empty() {
            format!("Nothing in this file loads on {}: it has {}.", file.asked.join(", "), here.join(", "))
        } else if kernels {
            "No kernel's name matches. KERNEL is a regular expression, found anywhere in a name as C++ has it, such as void f<(int)3>(float*), \
             or in the mangled one; --kernels lists all."
                .into()
        } else {
            "No machine code of an AMD GPU that could be decoded.".into()
        };
        blocks.push(Block::Text(Tone::Plain, what));
    }
    blocks.extend(found);
    blocks.extend(findings::section_without_waste(&file.findings, style));
    blocks
}

fn title(file: &Fatbin, style: &Style) -> Block {
    let mut parts = vec![file.format.clone(), iec(file.bytes)];
    parts.extend(file.soname.iter().map(|s| format!("soname {s}")));
    if !file.complete {
        parts.push("incomplete".into());
    }
    Block::Title(file.path.clone(), parts.join(style.dot()))
}

/// Sections and wrappers.
fn container(file: &Fatbin) -> Option<Block> {
    let mut items: Vec<ListLine> = Vec::new();
    let sections: Vec<_> = file.sections.iter().take(8).collect();
    for section in &sections {
        let mut text = format!("at {:#x}, {}", section.offset, iec(section.bytes));
        if section.align > 1 {
            text.push_str(&format!(", aligned to {}", section.align));
        }
        items.push(ListLine { tone: Tone::Plain, label: section.name.clone(), text });
    }
    if file.sections.len() > sections.len() {
        let text = format!(
            "{} more sections with device code",
            thousands((file.sections.len() - sections.len()) as u64)
        );
        items.push(ListLine { tone: Tone::Plain, label: String::new(), text });
    }
    if let Some(wrappers) = &file.wrappers {
        let moved = wrappers.magics.get("HIPK").copied().unwrap_or(0);
        let magics: Vec<_> = wrappers.magics.iter().map(|(m, n)| format!("{} {m}", thousands(*n))).collect();
        let count = if wrappers.count == 1 { "wrapper points" } else { "wrappers point" };
        let places = plural(wrappers.distinct, "bundle", "bundles");
        let places = if moved == wrappers.count { "kpack archives".into() } else { places };
        let mut text = format!("{} {count} at {places}", magics.join(", "));
        if !wrappers.dangling.is_empty() {
            text.push_str(&format!("; {} of these places hold no bundle", wrappers.dangling.len()));
        }
        if !wrappers.unreferenced.is_empty() {
            text.push_str(&format!("; {} bundles have no wrapper", wrappers.unreferenced.len()));
        }
        items.push(ListLine { tone: Tone::Plain, label: ".hipFatBinSegment".into(), text });
    }
    (!items.is_empty()).then_some(Block::Items(items))
}

/// Device content that is not yet a code object: bitcode, SPIR-V.
fn other_content(file: &Fatbin, style: &Style) -> Vec<Block> {
    if file.other_content.is_empty() {
        return Vec::new();
    }
    let columns =
        [Column::left("content"), Column::left("target"), Column::right("entries"), Column::right("bytes")];
    let mut table = Table::new(columns);
    for row in &file.other_content {
        table.row([
            TableCell::new(&row.content),
            TableCell::new(&row.target_id),
            TableCell::new(style.number(row.entries)),
            TableCell::new(style.size(row.bytes)),
        ]);
    }
    let note = "Bitcode becomes code objects when a program is linked, SPIR-V when it runs.";
    vec![
        Block::known("Device content that is no code object", Evidence::Observed),
        Block::Table(table),
        Block::Space,
        Block::Text(Tone::Dim, note.into()),
    ]
}

/// Where to find the device code that was moved out of the file.
fn kpack(file: &Fatbin) -> Vec<Block> {
    let Some(kpack) = &file.kpack else { return Vec::new() };
    let mut blocks = vec![Block::known("Device code in kpack archives", Evidence::Observed)];
    let paths = kpack.search_paths.join(", ");
    blocks.push(Block::Text(Tone::Plain, format!("{} is looked for in {paths}.", kpack.kernel_name)));
    if !kpack.looked_for_archives {
        let what = "It is a member of a package; the archives, if there are any, are members beside it.";
        blocks.push(Block::Text(Tone::Plain, what.into()));
    } else if kpack.targets.is_empty() {
        blocks.push(Block::Text(
            Tone::Bad,
            "No such archive is there: what was moved is not found on any GPU.".into(),
        ));
    } else {
        let columns = [Column::left("target"), Column::right("bundles"), Column::left("archives")];
        let mut table = Table::new(columns);
        for row in &kpack.targets {
            let tone = if row.units < kpack.units { Tone::Partial } else { Tone::Plain };
            let mut archives = row.archives.join(", ");
            if row.behind_a_miss > 0 {
                archives.push_str(&format!(
                    " ({} behind an archive that lacks them; loaders before rocm-systems 9953 stop there)",
                    row.behind_a_miss
                ));
            }
            let units = format!("{} of {}", thousands(row.units), thousands(kpack.units));
            table.row(vec![
                TableCell::new(row.target_id.clone()),
                TableCell { tone, ..TableCell::new(units) },
                TableCell::new(archives),
            ]);
        }
        blocks.extend([Block::Table(table), Block::Space]);
        let note = "The archives themselves are files like any other: name them to see their kernels.";
        blocks.push(Block::Text(Tone::Dim, note.into()));
    }
    blocks
}

/// Storage forms of the bundles, equal ones merged.
fn storage(file: &Fatbin, style: &Style) -> Vec<Block> {
    let compressed = file.storage.iter().any(|row| row.unpacked_bytes > 0);
    let mut columns = vec![
        Column::left("stored as"),
        Column::right("bundles"),
        Column::right("entries"),
        Column::right("bytes"),
    ];
    if compressed {
        columns.extend([Column::right("unpacked"), Column::right("hash fits")]);
    }
    let mut table = Table::new(columns);
    for row in &file.storage {
        let mut cells = vec![
            TableCell::new(row.storage.describe(row.version, row.method.as_deref())),
            TableCell::new(style.number(row.bundles)),
            TableCell::new(style.number(row.entries)),
            TableCell::new(style.size(row.bytes)),
        ];
        if compressed {
            let packed = row.unpacked_bytes > 0;
            let fits = match packed {
                true => format!("{} of {}", thousands(row.verified), thousands(row.bundles)),
                false => String::new(),
            };
            let tone = if packed && row.verified < row.bundles { Tone::Bad } else { Tone::Plain };
            cells.extend([TableCell::new(style.size(row.unpacked_bytes)), TableCell::toned(fits, tone)]);
        }
        table.row(cells);
    }
    vec![Block::known("Bundles", Evidence::Observed), Block::Table(table)]
}

fn targets(file: &Fatbin, style: &Style) -> Block {
    let spilled_and_scratch = file.targets.iter().any(|t| t.max_agprs > 0);
    let mut columns = vec![
        Column::left("target"),
        Column::right("objects"),
        Column::right("kernels"),
        Column::right("bytes"),
        Column::right("code"),
        Column::right("VGPR"),
    ];
    if spilled_and_scratch {
        columns.push(Column::right("AGPR"));
    }
    columns.extend([Column::right("LDS"), Column::right("scratch"), Column::right("spill")]);
    let mut table = Table::new(columns);
    for t in &file.targets {
        let mut cells = vec![
            TableCell::new(&t.target_id),
            TableCell::new(style.number(t.code_objects)),
            TableCell::new(style.number(t.kernels)),
            TableCell::new(style.size(t.bytes)),
            TableCell::new(style.size(t.code_bytes)),
            TableCell::new(style.number(t.max_vgprs)),
        ];
        if spilled_and_scratch {
            cells.push(TableCell::new(style.number(t.max_agprs)));
        }
        cells.extend([
            TableCell::new(style.size(t.max_lds)),
            TableCell::new(style.size(t.max_scratch)),
            TableCell::new(style.number(t.spilling_kernels)),
        ]);
        table.row(cells);
    }
    if file.targets.len() > 1 {
        let total = &file.total;
        let mut cells = vec![
            TableCell::new("TOTAL"),
            TableCell::new(style.number(total.code_objects)),
            TableCell::new(style.number(total.kernels)),
            TableCell::new(style.size(total.bytes)),
            TableCell::new(style.size(total.code_bytes)),
        ];
        cells.resize(table.columns.len() - 1, TableCell::default());
        cells.push(TableCell::new(style.number(total.spilling_kernels)));
        table.row(cells);
        table.total = true;
    }
    Block::Table(table)
}

/// Explains the columns of registers.
const REGISTERS: &str =
    "VGPR, AGPR, LDS and scratch are the largest of any kernel; spill counts kernels that spill registers.";

/// Says that metadata and descriptors disagree on the number of kernels.
fn descriptors(file: &Fatbin) -> Option<Block> {
    let differ =
        file.targets.iter().filter_map(|t| t.descriptors.filter(|d| *d != t.kernels).map(|d| (t, d)));
    let item = |(t, descriptors): (&crate::report::v1::FatbinTarget, u64)| ListLine {
        tone: Tone::Partial,
        label: t.target_id.clone(),
        text: format!(
            "metadata names {}, the symbol tables hold {}",
            plural(t.kernels, "kernel", "kernels"),
            plural(descriptors, "kernel descriptor", "kernel descriptors")
        ),
    };
    let items: Vec<ListLine> = differ.map(item).collect();
    (!items.is_empty()).then_some(Block::Items(items))
}

/// Classes of bytes with bars, and their sum.
pub(super) fn bytes_table(heading: &str, classes: &[ByteClass], style: &Style) -> Vec<Block> {
    bytes_with_total(heading, classes, classes.iter().map(|c| c.bytes).sum(), style)
}

fn bytes_with_total(heading: &str, classes: &[ByteClass], total: u64, style: &Style) -> Vec<Block> {
    if total == 0 {
        return Vec::new();
    }
    let mut sorted: Vec<&ByteClass> = classes.iter().collect();
    sorted.sort_rows_by_key(|c| std::cmp::Reverse(c.bytes));
    let mut table =
        Table::new([Column::left("what"), Column::right("bytes"), Column::right("share"), Column::left("")]);
    for class in sorted {
        let share = class.bytes as f64 / total as f64;
        table.row([
            TableCell::new(&class.title),
            TableCell::new(iec(class.bytes)),
            TableCell::new(format!("{:.1} %", share * 100.0)),
            TableCell::toned(style.bar(share), Tone::Dim),
        ]);
    }
    table.row([
        TableCell::new("TOTAL"),
        TableCell::new(iec(total)),
        TableCell::new("100.0 %"),
        TableCell::default(),
    ]);
    table.total = true;
    vec![Block::known(heading, Evidence::Observed), Block::Table(table)]
}

/// Every entry with its location.
fn entries(file: &Fatbin) -> Vec<Block> {
    let mut lines = Vec::new();
    for bundle in &file.bundles {
        for entry in &bundle.entries {
            let object = entry.code_object.as_ref();
            let name = entry.id.as_ref().or(bundle.member.as_ref()).or(object.map(|o| &o.target_id));
            let kernels = object.and_then(|o| o.kernels).map(|n| plural(n, "kernel", "kernels"));
            let parts = [name.cloned(), kernels, object.map(|o| o.abi.clone()), Some(entry.uri.clone())];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            lines.push(format!("{:>12}  {}", thousands(entry.bytes), parts.join("  ")));
        }
    }
    let what = plural(lines.len() as u64, "entry", "entries");
    vec![Block::Heading(format!("Evidence: {what}")), Block::Lines(lines)]
}
