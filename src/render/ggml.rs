//! Routes of ggml in blocks.

use super::block::{
    BandPart, BandRow, Bands, Block, Column, EdgeKind, ListLine, Map, MapNode, Table, TableCell,
};
use super::documents::{Document, Draw, Judged};
use super::findings;
use super::select::statement;
use super::style::{Style, Tone, iec, plural, thousands};
use super::{Drawn, Format, drawn};
use crate::isa::class::{CLASSES, TOTALS};
use crate::report::v1::{
    BlasAnswer, FamilyCell, FamilyReport, KernelPresence, RouteCell, RouteColumn, RouteKernel, RouteReport,
    RouteRule, RouteTableReport,
};
use rocm_audit_files::sorted_rows::SortedRows as _;

impl Document for FamilyReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

impl Document for RouteReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).naming([&self.library.path])
    }
}

impl Document for RouteTableReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).naming(self.columns.iter().map(|column| &column.library.path))
    }
}

impl Draw for RouteReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

/// Draws the table of routes.
pub fn table<'r>(report: &'r RouteTableReport, format: Format, style: &Style) -> Drawn<'r> {
    drawn(report, format, style, &|style| table_blocks(report, style))
}

/// Draws the families of kernels.
pub fn families<'r>(report: &'r FamilyReport, format: Format, style: &Style) -> Drawn<'r> {
    drawn(report, format, style, &|style| family_blocks(report, style))
}

fn family_blocks(report: &FamilyReport, style: &Style) -> Vec<Block> {
    let title = Block::Title("Kernels that can run, of all".into(), report.library.clone());
    let mut table = Table::new([Column::left("family"), Column::left("for")]);
    table.columns.extend(report.targets.iter().map(Column::right));
    let rows = report.rows.iter().map(|row| (row.family.as_str(), row.purpose.as_str(), &row.cells));
    for (family, purpose, tallies) in rows.chain([("TOTAL", "", &report.total)]) {
        let mut cells = vec![TableCell::new(family), TableCell::new(purpose)];
        cells.extend(tallies.iter().map(|cell: &FamilyCell| {
            let tone = match cell.real {
                0 if cell.kernels > 0 => Tone::Bad,
                _ if cell.stubs > 0 => Tone::Partial,
                _ => Tone::Plain,
            };
            let text = if cell.kernels == 0 {
                style.none().to_owned()
            } else {
                format!("{}/{}", cell.real, cell.kernels)
            };
            TableCell::toned(text, tone)
        }));
        table.row(cells);
    }
    table.total = true;
    let statements = report.statements.iter().map(statement).collect();
    let mut blocks = vec![title, Block::Space, Block::Table(table), Block::Space];
    blocks.extend(findings::items(&report.found.findings));
    blocks.push(Block::Items(statements));
    blocks
}

fn item(label: &str, text: impl Into<String>) -> ListLine {
    ListLine { tone: Tone::Plain, label: label.to_owned(), text: text.into() }
}

fn blocks(report: &RouteReport, style: &Style) -> Vec<Block> {
    let right = format!("{} ({}), ggml {}", report.target, report.class, report.library.version);
    let mut blocks = vec![Block::Title(format!("{}: {}", report.operation, report.query), right)];
    let tone = match (&report.kernel, report.route.as_str()) {
        (_, "UNSUPPORTED") => Tone::Bad,
        (Some(kernel), _) => presence_tone(kernel.presence),
        (None, _) => Tone::Plain,
    };
    let mut items = vec![ListLine { tone, label: "route".into(), text: report.route.clone() }];
    if let Some(rule) = &report.rule {
        items.extend(rule_items(rule));
    }
    items.push(item("library", report.library.path.clone()));
    blocks.push(Block::Items(items));
    blocks.push(Block::Map(way(report)));
    if let Some(kernel) = &report.kernel {
        blocks.extend(kernel_blocks(kernel, style));
    }
    if let Some(blas) = &report.blas {
        blocks.extend(blas_blocks(blas, style));
    }
    blocks.push(Block::Heading("Basis".into()));
    blocks.extend(findings::items(&report.found.findings));
    blocks.push(Block::Items(report.statements.iter().map(statement).collect()));
    blocks
}

/// The route of a product, step by step: the deciding rule, the route, its kernel, and what rocBLAS does.
fn way(report: &RouteReport) -> Map {
    let mut route = MapNode::new(format!("route {}", report.route), Tone::Good);
    if report.route == "UNSUPPORTED" {
        route.tone = Tone::Bad;
    }
    if let Some(rule) = &report.rule {
        route.by = rule.id.clone();
        route.lines.push(rule.source.clone());
    }
    if let Some(kernel) = &report.kernel {
        let tone = presence_tone(kernel.presence);
        let edge = if tone == Tone::Bad { EdgeKind::Blocked } else { EdgeKind::Taken };
        let lines = vec![kernel.presence.describe().to_owned()];
        route.children.push(MapNode {
            lines,
            edge,
            by: kernel.role.describe().to_owned(),
            ..MapNode::new(&kernel.name, tone)
        });
    }
    if let Some(blas) = &report.blas {
        let mut call = MapNode::new(format!("rocBLAS {} {} TN", blas.function, blas.ty), Tone::Good);
        if let Some(missing) = &blas.missing {
            let node = MapNode { edge: EdgeKind::Blocked, ..MapNode::new(missing, Tone::Bad) };
            call.children.push(node);
        }
        if let Some(answer) = &blas.answer {
            let (tone, words) = match (&answer.kernel, answer.fallback) {
                (None, _) => (Tone::Bad, "no solution"),
                (Some(_), true) => (Tone::Partial, "a kernel for every target"),
                (Some(_), false) => (Tone::Good, "a kernel for the target"),
            };
            let lines = answer.kernel.iter().cloned().collect();
            call.children.push(MapNode { lines, ..MapNode::new(words, tone) });
        }
        route.children.push(call);
    }
    let root = MapNode {
        lines: vec![format!("{} ({}), ggml {}", report.target, report.class, report.library.version)],
        children: vec![route],
        ..MapNode::new(format!("{}: {}", report.operation, report.query), Tone::Good)
    };
    Map { title: "The way that llama.cpp takes".to_owned(), root }
}

/// The routes of one target: a band for each type of weights, by the number of columns.
fn bands(report: &RouteTableReport, place: usize) -> Option<Block> {
    let column = report.columns.get(place)?;
    let mut found = Bands {
        title: format!("Routes on {} by type of the weights and columns (ne11)", column.target),
        ..Bands::default()
    };
    for row in &report.rows {
        let Some(cell) = row.cells.get(place) else { continue };
        let name = words(cell);
        let way = found.ways.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            let tone = if tone(cell) == Tone::Plain { Tone::Good } else { tone(cell) };
            found.ways.push((name, tone));
            found.ways.len() - 1
        });
        // An open range gets as much room as up to twice the largest examined column count.
        let to = row.to.unwrap_or(report.asked_to.saturating_mul(2).max(row.from));
        let part = BandPart { name: range(row.from, row.to), from: row.from, to, way };
        for ty in &row.types {
            match found.rows.iter_mut().find(|band| band.name == *ty) {
                Some(band) => band.parts.push(part.clone()),
                None => found.rows.push(BandRow { name: ty.clone(), parts: vec![part.clone()] }),
            }
        }
    }
    found.rows.iter_mut().for_each(|band| band.parts.sort_rows_by_key(|part| part.from));
    (!found.rows.is_empty()).then_some(Block::Bands(found))
}

fn rule_items(rule: &RouteRule) -> Vec<ListLine> {
    let known = if rule.is_documented { "read or observed there" } else { "carried over to this version" };
    let mut items = vec![
        item("rule", format!("{}, of {}: {known}", rule.id, rule.versions)),
        item("source", rule.source.clone()),
    ];
    items.extend(rule.note.iter().map(|note| item("note", note.clone())));
    items
}

fn presence_tone(presence: KernelPresence) -> Tone {
    match presence {
        KernelPresence::Real => Tone::Good,
        KernelPresence::TrapStub => Tone::Bad,
        _ => Tone::Partial,
    }
}

fn kernel_blocks(kernel: &RouteKernel, style: &Style) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(format!("The kernel that {}", kernel.role.describe()))];
    blocks.push(Block::Lines(vec![kernel.name.clone()]));
    blocks.extend(kernel.symbol.iter().map(|symbol| Block::Lines(vec![symbol.clone()])));
    if style.verbose > 0 {
        blocks.extend(kernel.demangled.iter().map(|name| Block::Lines(vec![name.clone()])));
    }
    let mut presence = kernel.presence.describe().to_owned();
    if kernel.code_objects > 0 {
        presence.push_str(&format!(", in {}", plural(kernel.code_objects, "code object", "code objects")));
    }
    if let Some(offset) = kernel.code_object_offset.filter(|_| style.verbose > 0) {
        presence.push_str(&format!(" at {offset:#x}"));
    }
    let tone = presence_tone(kernel.presence);
    let mut items = vec![ListLine { tone, label: "presence".into(), text: presence }];
    if let (Some(instructions), Some(bytes)) = (kernel.instructions, kernel.bytes) {
        let text = format!("{}, {}", plural(instructions, "instruction", "instructions"), iec(bytes));
        items.push(item("body", text));
    }
    if let (Some(vgprs), Some(sgprs)) = (kernel.vgprs, kernel.sgprs) {
        let number = |value: Option<u64>| value.filter(|n| *n > 0);
        let mut parts = vec![format!("{vgprs} VGPR"), format!("{sgprs} SGPR")];
        parts.extend(number(kernel.agprs).map(|n| format!("{n} AGPR")));
        parts.extend(number(kernel.vgpr_spills).map(|n| format!("{n} VGPR spilled")));
        parts.extend(number(kernel.sgpr_spills).map(|n| format!("{n} SGPR spilled")));
        items.push(item("registers", parts.join(style.dot())));
        let size = |name: &str, value: Option<u64>| format!("{name} {}", iec(value.unwrap_or(0)));
        let parts = [size("LDS", kernel.lds), size("scratch", kernel.scratch)];
        items.push(item("memory", parts.join(style.dot())));
    }
    let (totals, kinds) =
        (CLASSES.iter().skip(CLASSES.len() - TOTALS), CLASSES.iter().take(CLASSES.len() - TOTALS));
    for (label, classes) in [("classes", kinds.collect::<Vec<_>>()), ("all of it", totals.collect())] {
        let has = classes.iter().filter_map(|class| Some((class.id, kernel.classes.get(class.id)?)));
        let text: Vec<_> = has.map(|(id, count)| format!("{id} {}", thousands(*count))).collect();
        if !text.is_empty() {
            items.push(item(label, text.join(style.dot())));
        }
    }
    blocks.extend([Block::Space, Block::Items(items)]);
    blocks
}

fn blas_blocks(blas: &BlasAnswer, style: &Style) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(format!("What rocBLAS does: {} {} TN", blas.function, blas.ty))];
    let mut items = Vec::new();
    if let Some(rule) = blas.rule.as_ref() {
        items.push(item("types", format!("{}, {}", rule.id, rule.source)));
        items.extend(rule.note.iter().map(|note| item("", note.clone())));
    }
    let assumed = if blas.multiprocessors_assumed { ", assumed; --cu names others" } else { "" };
    items.push(item("device", format!("{} multiprocessors{assumed}", blas.multiprocessors)));
    if let Some(missing) = &blas.missing {
        items.push(ListLine { tone: Tone::Bad, label: "no answer".into(), text: missing.clone() });
    }
    blocks.push(Block::Items(items));
    if let Some(answer) = &blas.answer {
        blocks.push(Block::Space);
        blocks.extend(super::select::answer(answer, style));
        blocks.extend(findings::items(&answer.found.findings));
        let told = answer.statements.iter().filter(|_| style.verbose > 0);
        let told: Vec<ListLine> = told.map(statement).collect();
        if !told.is_empty() {
            blocks.extend([Block::Space, Block::Items(told)]);
        }
    }
    blocks
}

fn table_blocks(report: &RouteTableReport, style: &Style) -> Vec<Block> {
    let heads: Vec<String> = report
        .columns
        .iter()
        .map(|c| format!("{} ({}), ggml {}", c.target, c.class, c.library.version))
        .collect();
    let mut blocks = vec![Block::Title("Routes of dense products by ne11".into(), heads.join(" against "))];
    let mut paths: Vec<&String> = report.columns.iter().map(|column| &column.library.path).collect();
    paths.dedup();
    blocks.push(Block::Lines(paths.into_iter().cloned().collect()));
    blocks.extend((0..report.columns.len()).filter_map(|place| bands(report, place)));
    blocks.push(Block::Space);
    match &report.columns[..] {
        [_] => blocks.push(one_target(report, style)),
        columns => {
            blocks.push(several_targets(report, columns, style));
            let differ = report.rows.iter().filter(|row| row.differs).count() as u64;
            let text = format!(
                "{} of {} differ in route or presence.",
                differ,
                plural(report.rows.len() as u64, "row", "rows")
            );
            blocks.extend([Block::Space, Block::Text(Tone::Plain, text)]);
        }
    }
    let asked = thousands(report.asked_to);
    let note = format!("Asked for 1 to {asked} columns; + goes on beyond. Kernels are counted per type.");
    blocks.extend([Block::Space, Block::Text(Tone::Dim, note)]);
    blocks.push(Block::Heading("Basis".into()));
    blocks.extend(findings::items(&report.found.findings));
    blocks.push(Block::Items(report.statements.iter().map(statement).collect()));
    blocks
}

fn range(from: u64, to: Option<u64>) -> String {
    match to {
        None => format!("{from}+"),
        Some(to) if to == from => from.to_string(),
        Some(to) => format!("{from}-{to}"),
    }
}

fn one_target(report: &RouteTableReport, style: &Style) -> Block {
    let mut table = Table::new([
        Column::right("ne11"),
        Column::left("route"),
        Column::right("kernels"),
        Column::right("real"),
        Column::right("stubs"),
        Column::right("absent"),
        Column::left("types of the weights"),
    ]);
    for row in &report.rows {
        let Some(cell) = row.cells.first() else { continue };
        let bad = |count: u64| if count > 0 { Tone::Bad } else { Tone::Dim };
        table.row([
            TableCell::new(range(row.from, row.to)),
            TableCell::toned(format!("{}{}", cell.route, carried_over(cell)), tone(cell)),
            TableCell::new(style.number(cell.kernels)),
            TableCell::new(style.number(cell.real)),
            TableCell::toned(style.number(cell.stubs), bad(cell.stubs)),
            TableCell::toned(style.number(cell.absent), bad(cell.absent)),
            TableCell::new(row.types.join(" ")),
        ]);
    }
    Block::Table(table)
}

fn several_targets(report: &RouteTableReport, columns: &[RouteColumn], style: &Style) -> Block {
    let head = |column: &RouteColumn| Column::left(&column.target);
    let mut titles = vec![Column::right("ne11")];
    titles.extend(columns.iter().map(head));
    titles.extend([Column::left(""), Column::left("types of the weights")]);
    let mut table = Table::new(titles);
    for row in &report.rows {
        let mut cells = vec![TableCell::new(range(row.from, row.to))];
        cells.extend(row.cells.iter().map(|cell| TableCell::toned(words(cell), tone(cell))));
        let mark = if row.differs { style.pick("≠", "!=") } else { "" };
        cells.extend([TableCell::toned(mark, Tone::Partial), TableCell::new(row.types.join(" "))]);
        table.row(cells);
    }
    Block::Table(table)
}

fn tone(cell: &RouteCell) -> Tone {
    match (cell.no_code_object, cell.stubs + cell.absent) {
        (true, _) => Tone::Bad,
        _ if is_unknown(cell) => Tone::Partial,
        (false, 0) => Tone::Plain,
        (false, bad) if bad == cell.kernels => Tone::Bad,
        _ => Tone::Partial,
    }
}

/// Whether nothing is known about the kernels because the library could not be read in full.
fn is_unknown(cell: &RouteCell) -> bool {
    !cell.no_code_object && cell.kernels > 0 && cell.real + cell.stubs + cell.absent == 0
}

/// A route and its presence in a few words.
fn words(cell: &RouteCell) -> String {
    let state = match cell {
        _ if cell.no_code_object => "no code object".to_owned(),
        _ if cell.kernels == 0 => String::new(),
        _ if is_unknown(cell) => "not known".to_owned(),
        _ if cell.real == cell.kernels => "real".to_owned(),
        _ if cell.stubs == cell.kernels => "trap stub".to_owned(),
        _ if cell.absent == cell.kernels => "absent".to_owned(),
        _ => format!("{} of {} real", cell.real, cell.kernels),
    };
    let route = format!("{}{}", cell.route, carried_over(cell));
    format!("{route} {state}").trim_end().to_owned()
}

/// Says that a cell's rule was not read in its version; empty if it was.
fn carried_over(cell: &RouteCell) -> &'static str {
    if cell.carried_over { " (carried over)" } else { "" }
}
