//! The document of `survey` in blocks: the four layers, what libraries choose, and dates; two processors side
//! by side.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::claim;
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural};
use super::verdict::{first_product, sign};
use super::{Drawn, Format, drawn, findings, survey_chart};
use crate::finding::evidence::Evidence;
use crate::report::v1::{Finding, GemmServed, SurveyFamily, SurveyReport, SurveyRouteHere, SurveySide};
use rocm_audit_files::sorted_rows::SortedRows as _;

/// Most solvers to name in a cell.
const SOLVERS: usize = 3;

impl Document for SurveyReport {
    fn judged(&self) -> Judged<'_> {
        Judged::new(self.complete, &self.findings).about(&self.roots)
    }
}

impl Draw for SurveyReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(report: &SurveyReport, style: &Style) -> Vec<Block> {
    let names: Vec<&str> = report.sides.iter().map(|side| side.processor.as_str()).collect();
    let mut blocks = vec![Block::Title(names.join(" beside "), report.roots.join(", "))];
    blocks.extend(claim::blocks(report.claim.as_ref()));
    for side in &report.sides {
        blocks.extend(layers(side, style));
    }
    blocks.push(Block::Map(survey_chart::chart(report, style)));
    if let [one, other] = &report.sides[..] {
        blocks.extend(bars(one, other, style));
    }
    blocks.extend(found(report, style));
    blocks.extend(gemms(report, style));
    blocks.extend(convolutions(report));
    blocks.extend(families(report, style));
    blocks.extend(routes(report, style));
    for side in &report.sides {
        blocks.extend(history(side));
    }
    blocks.push(Block::Heading("What this cannot show".into()));
    blocks.extend(report.not_shown.iter().map(|text| Block::Text(Tone::Dim, text.clone())));
    let text =
        "Bytes were read, nothing was run. -v: every solver that is refused, with the lines of source.";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, text.into())]);
    blocks
}

/// The files that could not be read; with -v all findings.
fn found(report: &SurveyReport, style: &Style) -> Vec<Block> {
    let is_damage = |id: &str| crate::finding::rules::of_id(id).is_some_and(|rule| rule.is_damage);
    let is_shown = |finding: &&Finding| style.verbose > 0 || is_damage(&finding.id);
    let shown: Vec<Finding> = report.findings.iter().filter(is_shown).cloned().collect();
    findings::section_without_waste(&shown, style)
}

/// The layers of a processor, each with its conclusion.
fn layers(side: &SurveySide, style: &Style) -> Vec<Block> {
    let (glyph, _, tone) = sign(side.answer, style);
    let product = first_product(&side.products);
    let assumed = if side.multiprocessors_assumed { "assumed, --cu names it" } else { "as the card has" };
    let of_two = if side.multiprocessors_are_pairs { " of two compute units each" } else { "" };
    let head = format!(
        "{glyph} {}{product}: {}; {} multiprocessors{of_two}, {assumed}",
        side.processor, side.headline, side.multiprocessors
    );
    let mut items: Vec<ListLine> = side
        .layers
        .iter()
        .map(|layer| {
            let (glyph, _, tone) = sign(layer.answer, style);
            let label = format!("{glyph} {}", layer.layer.name());
            // Some conclusions have two kinds of evidence and state them for each part.
            let text = match layer.conclusion.ends_with(']') {
                true => layer.conclusion.clone(),
                false => format!("{} [{}]", layer.conclusion, layer.evidence.name()),
            };
            ListLine { tone, label, text }
        })
        .collect();
    items.extend(side.blocked.iter().map(|blocked| ListLine {
        tone: Tone::Bad,
        label: "  blocked".into(),
        text: format!("{} [{}]", blocked.text, blocked.evidence.name()),
    }));
    // What upstream did says nothing of the files here, so it stands below what these show.
    items.extend(side.since.iter().map(|since| ListLine {
        tone: Tone::Dim,
        label: "  upstream".into(),
        text: format!("taken out {since} [{}]", Evidence::Code.name()),
    }));
    vec![Block::Space, Block::Text(tone, head), Block::Space, Block::Items(items)]
}

/// The numbers of the layers with bars.
fn bars(one: &SurveySide, other: &SurveySide, style: &Style) -> Vec<Block> {
    let mut table = Table::new([
        Column::left("layer"),
        Column::left("what"),
        Column::right(&one.processor),
        Column::left(""),
        Column::right(&other.processor),
        Column::left(""),
    ]);
    for (layer, beside) in one.layers.iter().zip(&other.layers) {
        for (number, its) in layer.numbers.iter().zip(&beside.numbers) {
            let most = number.number.max(its.number).max(1) as f64;
            // A bar of a third of the usual length.
            let bar = |n: u64| style.bar(n as f64 / most / 3.0);
            table.row([
                TableCell::new(layer.layer.name()),
                TableCell::new(&number.what),
                TableCell::new(style.number(number.number)),
                TableCell::new(bar(number.number)),
                TableCell::new(style.number(its.number)),
                TableCell::new(bar(its.number)),
            ]);
        }
    }
    vec![Block::known("The layers side by side", Evidence::Code), Block::Table(table)]
}

fn gemms(report: &SurveyReport, style: &Style) -> Vec<Block> {
    if report.sides.iter().all(|side| side.gemms.is_empty()) {
        return Vec::new();
    }
    let single = report.sides.len() == 1;
    let sides = report.sides.iter().map(|side| Column::left(&side.processor));
    let mut table = Table::new([Column::left("type"), Column::left("what")].into_iter().chain(sides));
    if single {
        table.columns.push(Column::left("code object"));
    }
    let Some(longest) = report.sides.iter().max_by_key(|side| side.gemms.len()) else { return Vec::new() };
    for (at, row) in longest.gemms.iter().enumerate() {
        let mut cells = vec![TableCell::new(&row.ty), TableCell::new(&row.means)];
        for side in &report.sides {
            let (glyph, word, tone) = match side.gemms.get(at).map(|row| row.served) {
                None => (style.none(), "no catalog", Tone::Bad),
                Some(GemmServed::Tuned) => (style.pick("✓", "+"), "tuned", Tone::Good),
                Some(GemmServed::Fallback) => ("~", "fallback", Tone::Partial),
                Some(GemmServed::None) => (style.pick("✗", "x"), "none", Tone::Bad),
                Some(GemmServed::Fails) => (style.pick("✗", "x"), "the call fails", Tone::Bad),
                Some(GemmServed::Unknown) => ("?", "not known", Tone::Partial),
            };
            cells.push(TableCell::toned(format!("{glyph} {word}"), tone));
        }
        if single {
            cells.push(TableCell::new(
                row.code_object.clone().or_else(|| row.why.clone()).unwrap_or_default(),
            ));
        }
        table.row(cells);
    }
    vec![
        Block::known("Matrix products by rocBLAS: 4096 × 512 × 4096, TN", Evidence::Code),
        Block::Table(table),
    ]
}

fn convolutions(report: &SurveyReport) -> Vec<Block> {
    let Some(longest) = report.sides.iter().max_by_key(|side| side.convolutions.len()) else {
        return Vec::new();
    };
    if longest.convolutions.is_empty() {
        return Vec::new();
    }
    let sides = report.sides.iter().map(|side| Column::left(&side.processor));
    let mut table = Table::new(std::iter::once(Column::left("convolution")).chain(sides));
    for (at, row) in longest.convolutions.iter().enumerate() {
        let cell = |side: &SurveySide| match side.convolutions.get(at) {
            Some(row) => match &row.picked {
                Some(solver) => TableCell::toned(format!("{solver}, by the find-db"), Tone::Good),
                None if row.measured.is_empty() => TableCell::toned("nothing takes it", Tone::Bad),
                None => {
                    TableCell::toned(format!("no record; measured: {}", some(&row.measured)), Tone::Partial)
                }
            },
            None => TableCell::default(),
        };
        table.row(std::iter::once(TableCell::new(&row.means)).chain(report.sides.iter().map(cell)));
    }
    vec![Block::known("Convolutions by MIOpen", Evidence::Code), Block::Table(table)]
}

fn some(names: &[String]) -> String {
    let mut text = names.iter().take(SOLVERS).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SOLVERS {
        text.push_str(&format!(" and {} more", names.len() - SOLVERS));
    }
    text
}

/// Families of solvers: how many the processor allows, and why it refuses the others.
fn families(report: &SurveyReport, style: &Style) -> Vec<Block> {
    if report.sides.iter().all(|side| side.families.is_empty()) {
        return Vec::new();
    }
    let heading = "MIOpen's solvers by family, whatever the shape";
    let mut blocks = vec![Block::known(heading, Evidence::Code)];
    let sides = report.sides.iter().map(|side| Column::right(&side.processor));
    let single = report.sides.len() == 1;
    let mut table = Table::new(std::iter::once(Column::left("family")).chain(sides));
    if single {
        table.columns.push(Column::left("why others are refused"));
    }
    let Some(first) = report.sides.first() else { return Vec::new() };
    for row in &first.families {
        let mut cells = vec![TableCell::new(&row.name)];
        for side in &report.sides {
            let Some(own) = side.families.iter().find(|family| family.name == row.name) else { continue };
            let (admitted, all) = (own.admitted.len(), own.admitted.len() + own.refused.len());
            let tone = match (admitted, all - admitted) {
                (0, _) => Tone::Bad,
                (_, 0) => Tone::Good,
                _ => Tone::Partial,
            };
            cells.push(TableCell::toned(format!("{admitted} of {all}"), tone));
        }
        if single {
            cells.push(TableCell::new(reasons(row)));
        }
        table.row(cells);
    }
    blocks.push(Block::Table(table));
    if style.verbose > 0 {
        for side in &report.sides {
            let mut table =
                Table::new([Column::left("solver"), Column::left("why"), Column::left("read in")]);
            for refused in side.families.iter().flat_map(|family| &family.refused) {
                table.row([
                    TableCell::new(&refused.solver),
                    TableCell::new(&refused.because),
                    TableCell::new(&refused.source),
                ]);
            }
            blocks.push(Block::known(&format!("Solvers that refuse {}", side.processor), Evidence::Code));
            blocks.push(Block::Table(table));
        }
    }
    blocks
}

/// The two most frequent reasons for refusals.
fn reasons(family: &SurveyFamily) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for refused in &family.refused {
        match counted.iter_mut().find(|(because, _)| *because == refused.because) {
            Some((_, n)) => *n += 1,
            None => counted.push((&refused.because, 1)),
        }
    }
    counted.sort_rows_by_key(|(_, n)| std::cmp::Reverse(*n));
    let shown: Vec<String> = counted.iter().take(2).map(|(because, n)| format!("{n}: {because}")).collect();
    let more = counted.len().saturating_sub(2);
    let more = if more > 0 {
        format!("; {}", plural(more as u64, "other reason", "other reasons"))
    } else {
        String::new()
    };
    format!("{}{more}", shown.join("; "))
}

fn routes(report: &SurveyReport, style: &Style) -> Vec<Block> {
    let Some(first) = report.sides.first().filter(|side| !side.routes.is_empty()) else {
        return Vec::new();
    };
    let mut columns = vec![Column::left("weights")];
    for side in &report.sides {
        columns.push(Column::left(format!("{} 512 tokens", side.processor)));
        columns.push(Column::left(format!("{} 1 token", side.processor)));
    }
    let mut table = Table::new(columns);
    for (at, row) in first.routes.iter().enumerate() {
        let sides = report.sides.iter().filter_map(|side| side.routes.get(at));
        let cells = sides
            .flat_map(|row| [&row.prefill, &row.decode].map(|here| route(here, first.ggml.is_here, style)));
        table.row(std::iter::once(TableCell::new(&row.ty)).chain(cells));
    }
    let version = first.ggml.version.as_deref().unwrap_or("of a version that is not known");
    let whose = format!("llama.cpp by the rules of ggml {version}, whose library is here");
    vec![Block::known(&whose, Evidence::Code), Block::Table(table)]
}

fn route(here: &SurveyRouteHere, is_here: bool, style: &Style) -> TableCell {
    match here.presence.as_deref() {
        // ggml launches no kernel of its own: the whole product goes to the BLAS library.
        None if is_here && here.route == "BLAS" => TableCell::new("BLAS, by rocBLAS"),
        None => TableCell::new(&here.route),
        Some("real") => TableCell::toned(format!("{} {}", here.route, style.pick("✓", "+")), Tone::Good),
        Some(word @ "not known") => TableCell::toned(format!("{} ? {word}", here.route), Tone::Partial),
        Some(word) => TableCell::toned(format!("{} {} {word}", here.route, style.pick("✗", "x")), Tone::Bad),
    }
}

fn history(side: &SurveySide) -> Vec<Block> {
    if side.history.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("date"),
        Column::left("library"),
        Column::left(""),
        Column::left("where"),
        Column::left("commit"),
        Column::left("message"),
    ]);
    for event in &side.history {
        let which = if event.is_first { "first" } else { "last" };
        table.row([
            TableCell::new(&event.date),
            TableCell::new(&event.library),
            TableCell::new(which),
            TableCell::new(&event.place),
            TableCell::new(&event.commit),
            TableCell::new(&event.subject),
        ]);
    }
    let heading = format!(
        "{} in public histories: the first and the last change of a line that names it",
        side.processor
    );
    let other = "Only the files named under `where` were looked at; others may name it later. A repository's history \
                 ends where its code moved to another one.";
    vec![
        Block::known(&heading, Evidence::Code),
        Block::Table(table),
        Block::Text(Tone::Dim, other.to_owned()),
    ]
}
