//! Instructions in blocks: what the ISA has, and what the code uses.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::coverage::part_name;
use super::listing::listing;
use super::style::{Style, Tone, cut, iec, plural, thousands};
use crate::capability::instructions::TELLING;
use crate::finding::evidence::Evidence;
use crate::isa::class::{self, CLASSES, Class, TOTALS};
use crate::report::v1::{self, Body, Instructions, KernelInstructions};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// Mnemonics listed by default.
const MNEMONICS_SHOWN: usize = 24;

/// Most kernels listed individually.
const KERNELS_SHOWN: usize = 20;

/// Rows for an audit with several libraries: the most telling classes.
const OVERVIEW: [(&str, &str); 7] = [
    ("dot2", "dot2"),
    ("dot4", "dot4"),
    ("mfma", "mfma"),
    ("wmma", "wmma"),
    ("fma-mix", "mix"),
    ("packed", "packed"),
    ("fma", "fma"),
];

/// The requested classes; empty means all.
pub type Classes<'a> = &'a [&'static Class];

/// For each asked target: what its ISA has, and how much of each library's code uses it.
fn answers(answers: &[v1::ClassAnswer]) -> Vec<Block> {
    let used = |user: &v1::ClassUser| {
        let name = part_name(&user.part);
        let all = plural(user.of_code_objects, "code object", "code objects");
        match user.code_objects {
            0 => format!("{name} in none of {all}"),
            n => format!("{name} in {} of {all}", thousands(n)),
        }
    };
    let item = |answer: &v1::ClassAnswer| {
        let text: Vec<_> = answer.libraries.iter().map(used).collect();
        let tone = if answer.observed > 0 { Tone::Good } else { Tone::Partial };
        ListLine { tone, label: format!("{} has {}", answer.processor, answer.class), text: text.join("; ") }
    };
    if answers.is_empty() {
        return Vec::new();
    }
    vec![Block::Space, Block::Items(answers.iter().map(item).collect())]
}

/// The part of an audit.
pub(super) fn of_libraries(report: &v1::Report, style: &Style) -> Vec<Block> {
    let rows = &report.instructions;
    if rows.is_empty() {
        return Vec::new();
    }
    let columns =
        [Column::left("library"), Column::left("target"), Column::right("instr."), Column::right("stubs")];
    let classes = OVERVIEW.iter().map(|(_, title)| Column::right(*title));
    let mut table = Table::new(columns.into_iter().chain(classes));
    let mut last = String::new();
    for row in rows {
        let name = part_name(&row.part);
        let shown = if name == last { String::new() } else { name.clone() };
        last = name;
        let stubs = row.instructions.bodies.trap_stub;
        let tone = if stubs > 0 { Tone::Partial } else { Tone::Plain };
        let mut cells = vec![
            TableCell::new(shown),
            TableCell::new(&row.processor),
            TableCell::new(short(row.instructions.instructions)),
            TableCell::toned(style.number(stubs), tone),
        ];
        cells.extend(OVERVIEW.iter().map(|(class, _)| class_cell(&row.instructions, class, style, true)));
        table.row(cells);
    }
    let mut blocks = vec![
        Block::known("What the code is made of, by library and target", Evidence::Observed),
        Block::Table(table),
    ];
    let stubs = "stubs: kernels whose bodies can only trap. ";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, format!("{stubs}{}", legend(style)))]);
    blocks.extend(undecoded(report.totals.not_decoded));
    let unknown: Vec<_> = rows
        .iter()
        .filter(|row| row.instructions.unknown_words > 0)
        .map(|row| {
            format!(
                "{} {} {}",
                thousands(row.instructions.unknown_words),
                part_name(&row.part),
                row.processor
            )
        })
        .collect();
    if !unknown.is_empty() {
        let what = format!("Words that are no instruction of their target: {}.", unknown.join(", "));
        blocks.push(Block::Text(Tone::Partial, what));
    }
    blocks.extend(answers(&report.instruction_answers));
    blocks
}

fn legend(style: &Style) -> String {
    format!(
        "{} the target has no such instruction (by LLVM's description); {} it has, and this code uses none.",
        missing(style),
        style.none()
    )
}

fn undecoded(objects: u64) -> Option<Block> {
    let what =
        "not decoded: the processor is not in the tables, or the code object is compressed and too large";
    (objects > 0).then(|| {
        Block::Text(Tone::Partial, format!("{}: {what}.", plural(objects, "code object", "code objects")))
    })
}

/// The sign for something a target lacks.
fn missing(style: &Style) -> &'static str {
    style.pick("×", "x")
}

/// `111.6k`, `1.7M`: four significant places at most.
fn short(number: u64) -> String {
    let scaled = |unit: f64, name: &str| {
        let value = number as f64 / unit;
        if value < 99.95 { format!("{value:.1}{name}") } else { format!("{value:.0}{name}") }
    };
    match number {
        0..10_000 => thousands(number),
        10_000..999_500 => scaled(1e3, "k"),
        999_500..999_500_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

fn class_cell(counts: &Instructions, class: &str, style: &Style, brief: bool) -> TableCell {
    let Some(row) = counts.classes.iter().find(|row| row.class == class) else { return TableCell::default() };
    match row.observed {
        0 if !row.expected => TableCell::toned(missing(style), Tone::Dim),
        0 => TableCell::new(style.none()),
        n if brief => TableCell::toned(short(n), Tone::Good),
        n => TableCell::toned(thousands(n), Tone::Good),
    }
}

/// The part of `fatbin --isa`.
pub(super) fn of_file(file: &v1::Fatbin, classes: Classes<'_>, style: &Style) -> Vec<Block> {
    let targets: Vec<(&str, &Instructions)> = file
        .targets
        .iter()
        .filter_map(|target| Some((target.target_id.as_str(), target.instructions.as_ref()?)))
        .collect();
    if targets.is_empty() {
        return Vec::new();
    }
    let mut blocks =
        vec![Block::known("Machine code by target", Evidence::Observed), machine_code(&targets, style)];
    let bodies = "trap stubs: kernels whose bodies can only trap; empty: they end at once. unknown: words that are \
        no instruction of the target; zeros between functions are skipped.";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, bodies.into())]);
    blocks.extend(undecoded(targets.iter().map(|(_, t)| t.not_decoded).sum()));
    blocks.push(Block::known("Instructions by class and target", Evidence::Observed));
    blocks.push(match &targets[..] {
        [(target, counts)] => of_one_target(target, counts, classes, style),
        targets => by_class(targets, classes, style),
    });
    blocks.extend([Block::Space, Block::Text(Tone::Dim, legend(style))]);
    blocks.extend(by_mnemonic(&targets, classes, style));
    blocks.extend(absent(&targets));
    blocks
}

fn machine_code(targets: &[(&str, &Instructions)], style: &Style) -> Block {
    let mut table = Table::new([
        Column::left("target"),
        Column::right("objects"),
        Column::right("instructions"),
        Column::right("unknown"),
        Column::right("real").group("kernels"),
        Column::right("trap stubs").group(""),
        Column::right("empty").group(""),
        Column::right("unclear").group(""),
    ]);
    for (target, counts) in targets {
        let useless = |count: u64| {
            let tone = if count > 0 { Tone::Partial } else { Tone::Plain };
            TableCell::toned(style.number(count), tone)
        };
        let unknown = if counts.unknown_words > 0 { Tone::Bad } else { Tone::Plain };
        table.row([
            TableCell::new(*target),
            TableCell::new(style.number(counts.code_objects)),
            TableCell::new(style.number(counts.instructions)),
            TableCell::toned(style.number(counts.unknown_words), unknown),
            TableCell::new(style.number(counts.bodies.real)),
            useless(counts.bodies.trap_stub),
            useless(counts.bodies.empty),
            useless(counts.bodies.unclear),
        ]);
    }
    Block::Table(table)
}

/// Whether to show a class: if it was requested or, without any request, if it is used or telling.
fn is_shown(
    class: &'static Class,
    number: usize,
    targets: &[(&str, &Instructions)],
    asked: Classes<'_>,
) -> bool {
    let rows = || targets.iter().filter_map(|(_, t)| t.classes.get(number));
    let telling = TELLING.contains(&class.id) && rows().any(|row| row.expected);
    match asked {
        [] => telling || rows().any(|row| row.observed > 0),
        asked => asked.contains(&class),
    }
}

/// The table for a single target, with room for more columns.
fn of_one_target(target: &str, counts: &Instructions, classes: Classes<'_>, style: &Style) -> Block {
    let mut table = Table::new([
        Column::left("class"),
        Column::right(target),
        Column::right("share"),
        Column::right("in objects"),
        Column::left("what"),
    ]);
    for (number, class) in CLASSES.iter().enumerate() {
        let Some(row) = counts.classes.get(number) else { continue };
        if !is_shown(class, number, &[(target, counts)], classes) {
            continue;
        }
        let share = row.observed as f64 / counts.instructions.max(1) as f64 * 100.0;
        let used = row.observed > 0;
        let text = |text: String| TableCell::new(if used { text } else { String::new() });
        table.row([
            TableCell::toned(class.id, tone_of(number)),
            class_cell(counts, class.id, style, false),
            text(if share < 0.05 { "<0.1 %".into() } else { format!("{share:.1} %") }),
            text(format!("{} of {}", thousands(row.code_objects), thousands(counts.code_objects))),
            TableCell::toned(class.title, Tone::Dim),
        ]);
    }
    Block::Table(table)
}

/// Makes totals stand out.
fn tone_of(number: usize) -> Tone {
    if number >= CLASSES.len() - TOTALS { Tone::Strong } else { Tone::Plain }
}

fn by_class(targets: &[(&str, &Instructions)], classes: Classes<'_>, style: &Style) -> Block {
    let mut table = columns("class", targets);
    for (number, class) in CLASSES.iter().enumerate() {
        if is_shown(class, number, targets, classes) {
            let cells = targets.iter().map(|(_, t)| class_cell(t, class.id, style, false));
            table.row(std::iter::once(TableCell::toned(class.id, tone_of(number))).chain(cells));
        }
    }
    Block::Table(table)
}

fn columns(first: &str, targets: &[(&str, &Instructions)]) -> Table {
    let columns = targets.iter().map(|(target, _)| Column::right(*target));
    Table::new(std::iter::once(Column::left(first)).chain(columns))
}

fn by_mnemonic(targets: &[(&str, &Instructions)], classes: Classes<'_>, style: &Style) -> Vec<Block> {
    let wanted = |mnemonic: &str| {
        let set = crate::isa::class::classes_of(mnemonic);
        let number = |class: &&'static Class| CLASSES.iter().position(|c| c == *class).unwrap_or(64);
        classes.is_empty()
            || classes.iter().any(|class| set.checked_shr(number(class) as u32).unwrap_or(0) & 1 == 1)
    };
    let mut counts: KeyMap<&str, Vec<u64>> = KeyMap::new();
    for (place, (_, target)) in targets.iter().enumerate() {
        for row in &target.mnemonics {
            let all = counts.entry(&row.mnemonic).or_insert_with(|| vec![0; targets.len()]);
            if let Some(slot) = all.get_mut(place) {
                *slot = row.count;
            }
        }
    }
    let mut rows: Vec<(&str, Vec<u64>)> = counts.into_iter().filter(|(name, _)| wanted(name)).collect();
    rows.sort_rows_by_key(|(_, counts)| std::cmp::Reverse(counts.iter().sum::<u64>()));
    if rows.is_empty() {
        let what = "No instruction of the classes that were asked for.".to_owned();
        return vec![Block::Space, Block::Text(Tone::Plain, what)];
    }
    let shown = if style.verbose > 0 || !classes.is_empty() { rows.len() } else { MNEMONICS_SHOWN };
    let more = rows.len().saturating_sub(shown);
    let mut table = columns("mnemonic", targets);
    for (mnemonic, counts) in rows.into_iter().take(shown) {
        let cells = counts.into_iter().map(|count| TableCell::new(style.number(count)));
        table.row(std::iter::once(TableCell::new(mnemonic)).chain(cells));
    }
    let mut blocks =
        vec![Block::known("Instructions by mnemonic and target", Evidence::Observed), Block::Table(table)];
    if more > 0 {
        let what = format!("{} more mnemonics: -v, --isa-class CLASS, or -f json.", thousands(more as u64));
        blocks.extend([Block::Space, Block::Text(Tone::Dim, what)]);
    }
    blocks
}

/// Instructions that another processor lacks.
fn absent(targets: &[(&str, &Instructions)]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (target, counts) in targets {
        let Some(absent) = &counts.absent else { continue };
        if blocks.is_empty() {
            blocks.push(Block::known(
                &format!("Instructions that {} does not have", absent.processor),
                Evidence::Observed,
            ));
        }
        let share = absent.instructions as f64 / counts.instructions.max(1) as f64 * 100.0;
        let all = plural(counts.instructions, "instruction", "instructions");
        let text = match absent.instructions {
            0 => format!("none of its {all}: every encoding means the same on {}", absent.processor),
            n => format!("{} of its {all} ({share:.1} %)", thousands(n)),
        };
        let tone = if absent.instructions == 0 { Tone::Good } else { Tone::Bad };
        blocks.push(Block::Items(vec![ListLine { tone, label: (*target).to_owned(), text }]));
        let needs = absent.needs.iter().map(|need| ListLine {
            tone: Tone::Bad,
            label: (*target).to_owned(),
            text: super::absent::need_text(need, &absent.processor),
        });
        blocks.extend((!absent.needs.is_empty()).then(|| Block::Items(needs.collect())));
        if absent.mnemonics.is_empty() {
            continue;
        }
        let mut table = Table::new([
            Column::right("count"),
            Column::left("here"),
            Column::left(format!("on {}", absent.processor)),
            Column::left("first kernel"),
        ]);
        for row in absent.mnemonics.iter().take(MNEMONICS_SHOWN) {
            table.row([
                TableCell::new(thousands(row.count)),
                TableCell::new(&row.mnemonic),
                TableCell::new(super::absent::read_as(row, "no instruction")),
                TableCell::new(short_name(row)),
            ]);
        }
        blocks.push(Block::Table(table));
        let more = absent.mnemonics.len().saturating_sub(MNEMONICS_SHOWN);
        if more > 0 {
            let what = format!("{} more mnemonics: -f json.", thousands(more as u64));
            blocks.extend([Block::Space, Block::Text(Tone::Dim, what)]);
        }
    }
    blocks
}

/// A kernel's demangled name without type and arguments, shortened.
fn short_name(row: &v1::AbsentRow) -> String {
    let name = row.first_kernel_demangled.as_ref().or(row.first_kernel.as_ref());
    let name = name.map_or("", String::as_str);
    let name = name.strip_prefix("void ").unwrap_or(name);
    let mut depth = 0i32;
    let arguments = name.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '<') - i32::from(*c == '>');
        *c == '(' && depth == 0
    });
    let name = arguments.and_then(|(at, _)| name.get(..at)).unwrap_or(name);
    cut(name, NAME_SHOWN)
}

/// Longest kernel name in a table, in characters.
const NAME_SHOWN: usize = 36;

/// The part of `fatbin --isa KERNEL`.
pub(super) fn of_kernels(file: &v1::Fatbin, style: &Style) -> Vec<Block> {
    let mut blocks = Vec::new();
    for kernel in file.kernel_instructions.iter().take(KERNELS_SHOWN) {
        blocks.extend(of_kernel(kernel, style));
    }
    let listed = file.kernel_instructions.len();
    let more = (listed.saturating_sub(KERNELS_SHOWN)) as u64 + file.kernel_instructions_more;
    if more > 0 {
        let what = format!(
            "{} match and are not shown: -f json has them.",
            plural(more, "more kernel", "more kernels")
        );
        blocks.extend([Block::Space, Block::Text(Tone::Partial, what)]);
    }
    if file.listings_more > 0 {
        let without = plural(file.listings_more, "kernel has", "kernels have");
        let what =
            format!("{without} no listing: the first 64 of a code object have one; name fewer kernels.");
        blocks.extend([Block::Space, Block::Text(Tone::Partial, what)]);
    }
    blocks
}

fn of_kernel(kernel: &KernelInstructions, style: &Style) -> Vec<Block> {
    let name = kernel.demangled.as_ref().unwrap_or(&kernel.name).clone();
    let (body, tone) = body(kernel.body);
    let parts =
        [body.to_owned(), plural(kernel.instructions, "instruction", "instructions"), iec(kernel.bytes)];
    let mut items = vec![ListLine { tone, label: kernel.target_id.clone(), text: parts.join(style.dot()) }];
    let of = |ids: &mut dyn Iterator<Item = &'static Class>| -> String {
        let has = ids
            .filter_map(|class| Some(format!("{} {}", class.id, thousands(*kernel.classes.get(class.id)?))));
        has.collect::<Vec<_>>().join(style.dot())
    };
    let plain = |text: String| ListLine { tone: Tone::Plain, label: String::new(), text };
    items.push(plain(of(&mut CLASSES.iter().skip(CLASSES.len() - TOTALS))));
    items.push(plain(of(&mut CLASSES.iter().take(CLASSES.len() - TOTALS))));
    let shown = if style.verbose > 0 { usize::MAX } else { MNEMONICS_SHOWN };
    let mnemonics = kernel.mnemonics.iter().take(shown);
    let mut list: Vec<_> =
        mnemonics.map(|row| format!("{} {}", row.mnemonic, thousands(row.count))).collect();
    if kernel.mnemonics.len() > shown {
        list.push(format!("{} more", kernel.mnemonics.len() - shown));
    }
    items.push(plain(list.join(", ")));
    items.retain(|item| !item.text.is_empty());
    let mut blocks = vec![Block::Heading(name), Block::Items(items)];
    if let Some(inside) = &kernel.inside {
        blocks.extend(super::inside::inside_blocks(inside, kernel, style));
    }
    if let Some(lines) = &kernel.listing {
        blocks.extend([
            Block::Space,
            Block::Listing(listing(lines, kernel.source.as_ref(), tone_of_mnemonic, style)),
        ]);
    }
    blocks
}

/// The kind of a body as a word.
pub(super) fn body(body: Body) -> (&'static str, Tone) {
    match body {
        Body::Real => ("real", Tone::Good),
        Body::Empty => ("empty", Tone::Bad),
        Body::TrapStub => ("trap stub", Tone::Bad),
        Body::Unclear => ("unclear", Tone::Bad),
    }
}

/// What an instruction is for, as a tone: matrix and dot products good, memory partial, scratch bad, branches
/// and ends strong, waits dim.
pub(super) fn tone_of_mnemonic(mnemonic: &str) -> Tone {
    const TONES: [(&[&str], Tone); 5] = [
        (&["mfma", "smfmac", "wmma", "swmmac", "dot"], Tone::Good),
        (&["wait"], Tone::Dim),
        (&["branch", "end", "barrier", "trap"], Tone::Strong),
        (&["scratch-load", "scratch-store"], Tone::Bad),
        (&["vmem", "smem", "lds"], Tone::Partial),
    ];
    let set = class::classes_of(mnemonic);
    let has = |id: &&str| Class::by_id(id).is_some_and(|(bit, _)| set >> bit & 1 == 1);
    TONES.iter().find(|(ids, _)| ids.iter().any(&has)).map_or(Tone::Plain, |(_, tone)| *tone)
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn short_numbers() {
        let texts: Vec<_> =
            [0, 9_999, 10_000, 111_648, 999_499, 999_500, 1_709_100, 42_910_942].map(short).into();
        assert_eq!(texts, ["0", "9,999", "10.0k", "112k", "999k", "1.0M", "1.7M", "42.9M"]);
    }
}
