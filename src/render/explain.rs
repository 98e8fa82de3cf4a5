//! What messages and words mean, in blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural};
use super::{Drawn, Format, code_places, drawn};
use crate::finding::evidence::Evidence;
use crate::locator::file_name;
use crate::report::v1::{
    ExplainBuilds, ExplainCause, ExplainCommit, ExplainCondition, ExplainDevice, ExplainKnownMessage,
    ExplainLibrary, ExplainMessage, ExplainNumber, ExplainReport, ExplainServed, ExplainTarget, ExplainTree,
    ExplainWordReport, MessageClass, TreeVerdict,
};

/// Causes and messages shown without -v.
const SHOWN: usize = 3;
/// Most libraries to name.
const NAMED: usize = 6;

impl Document for ExplainReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

impl Document for ExplainWordReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

impl Draw for ExplainReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

impl Draw for ExplainWordReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| word_blocks(self, style))
    }
}

fn item(label: impl Into<String>, text: impl Into<String>) -> ListLine {
    ListLine { tone: Tone::Strong, label: label.into(), text: text.into() }
}

fn class(class: MessageClass) -> &'static str {
    match class {
        MessageClass::File => "files",
        MessageClass::Application => "a list in the program",
        MessageClass::Harmless => "harmless",
        MessageClass::Environment => "device, driver, permissions or memory",
        MessageClass::Runtime => "compiled or run, and failed",
        MessageClass::Build => "a build",
        MessageClass::NotRocm => "not ROCm",
        MessageClass::Ambiguous => "ambiguous",
        MessageClass::Unknown => "unknown",
    }
}

fn sentence(cause: &ExplainCause) -> String {
    format!("{} ({}). {}", cause.what, cause.id, cause.tell)
}

fn blocks(report: &ExplainReport, style: &Style) -> Vec<Block> {
    let mut parts = vec![class(report.class).to_owned()];
    parts.extend(report.library.clone());
    parts.extend(report.target_id.clone());
    let name = report.message.clone().unwrap_or_else(|| "unknown message".to_owned());
    let mut blocks = vec![Block::Title(name, parts.join(style.dot()))];
    let mut items = vec![item("means", &report.meaning)];
    items.extend(report.of_another.iter().map(|what| ListLine {
        tone: Tone::Partial,
        label: "but".into(),
        text: format!("{what}."),
    }));
    items.extend(report.claim.iter().map(|claim| item("override", claim.sentences())));
    items.extend(report.tree.iter().flat_map(|tree| tree_items(tree, style)));
    let shown = if style.verbose > 0 { usize::MAX } else { SHOWN };
    // Causes that the files exclude need no more words.
    let confirmed = report.tree.as_ref().is_some_and(|tree| tree.verdict == TreeVerdict::Confirmed);
    let causes = if confirmed && style.verbose == 0 { 1 } else { shown };
    for (number, cause) in report.causes.iter().take(causes).enumerate() {
        let label =
            if report.causes.len() > 1 { format!("cause {}", number + 1) } else { "cause".to_owned() };
        items.push(item(label, sentence(cause)));
    }
    items.push(ListLine { tone: Tone::Good, label: "do".into(), text: report.advice.clone() });
    blocks.push(Block::Items(items));
    let where_it_stands = places(&report.messages, style);
    let mut more = Vec::new();
    if let Some(bytes) = &report.bytes {
        more.push(item("bytes", bytes));
    }
    if let Some(path) = &report.path {
        more.push(item("path", path));
    }
    // The title names it already, so it needs no line.
    let is_new = |device: &ExplainDevice| report.target.as_ref() != Some(&device.processor);
    if report.devices.len() > 1 || report.devices.iter().any(is_new) {
        more.push(item("GPUs", gpus(report)));
    }
    // Where it is judged above, it needs no line.
    if !report.overrides.is_empty() && report.claim.is_none() {
        more.push(item("override", format!("HSA_OVERRIDE_GFX_VERSION={}", report.overrides.join(", "))));
    }
    if report.target.is_none() && report.processors.len() > 1 {
        let names: Vec<&str> = report.processors.iter().map(String::as_str).take(NAMED).collect();
        more.push(item("targets", format!("the text names {}", names.join(", "))));
    }
    if report.causes.len() > causes {
        let left = plural((report.causes.len() - causes) as u64, "more cause", "more causes");
        more.push(item("more", format!("{left}: -v")));
    }
    if !more.is_empty() {
        blocks.extend([Block::Space, Block::Items(more)]);
    }
    if !where_it_stands.is_empty() {
        let text = format!("Where it stands, in {}", plural(report.lines, "line", "lines"));
        blocks.extend([Block::Heading(text), Block::Items(where_it_stands)]);
        let left = report.messages.len().saturating_sub(if style.verbose > 0 { usize::MAX } else { SHOWN });
        if left > 0 {
            let text = format!("{}: -v.", plural(left as u64, "more message", "more messages"));
            blocks.push(Block::Text(Tone::Dim, text));
        }
    }
    if !report.places.is_empty() {
        blocks.push(Block::Heading("Where waves were".to_owned()));
        blocks.extend(report.places.iter().take(shown).flat_map(|place| code_places::blocks(place, style)));
        let left = report.places.len().saturating_sub(shown);
        if left > 0 {
            blocks.push(Block::Text(
                Tone::Dim,
                format!("{}: -v.", plural(left as u64, "more place", "more places")),
            ));
        }
    }
    blocks
}

/// The GPUs in the text; marks the one in use.
fn gpus(report: &ExplainReport) -> String {
    let gpu = |device: &ExplainDevice| match (device.number, device.in_use) {
        (Some(number), true) => format!("{number}: {}, in use", device.processor),
        (Some(number), false) => format!("{number}: {}", device.processor),
        (None, _) => device.processor.clone(),
    };
    let gpus: Vec<String> = report.devices.iter().take(NAMED).map(gpu).collect();
    format!("the text states {}", gpus.join("; "))
}

fn tree_items(tree: &ExplainTree, style: &Style) -> Vec<ListLine> {
    let (word, tone) = match tree.verdict {
        TreeVerdict::Confirmed => ("confirmed", Tone::Bad),
        TreeVerdict::NotTheFiles => ("not the files", Tone::Good),
        TreeVerdict::NotDecided => ("not decided", Tone::Partial),
    };
    let mut items = vec![ListLine {
        tone,
        label: "tree".into(),
        text: format!("{word}: {} [{}]", tree.because, tree.known.name()),
    }];
    if !tree.lacking.is_empty() {
        items.push(item("lacking", libraries(&tree.lacking, style)));
    }
    // If a library has the target in only some of its files, names both kinds.
    let is_shared =
        tree.serving.iter().any(|one| tree.lacking.iter().any(|other| other.library == one.library));
    if !tree.serving.is_empty() && (is_shared || tree.lacking.is_empty() && style.verbose > 0) {
        items.push(item("serving", libraries(&tree.serving, style)));
    }
    items
}

fn libraries(list: &[ExplainLibrary], style: &Style) -> String {
    let name = |library: &ExplainLibrary| {
        let folder = if library.tensile { " (library folder)" } else { "" };
        let is_same = |other: &&ExplainLibrary| other.library == library.library && !other.tensile;
        let is_alone = list.iter().filter(is_same).count() < 2;
        match &library.path {
            Some(path) if style.verbose == 0 && !is_alone && !library.tensile => file_name(path).to_owned(),
            Some(path) if list.len() == 1 || style.verbose > 0 => {
                format!("{}{folder}: {path}", library.library)
            }
            _ => format!("{}{folder}", library.library),
        }
    };
    let shown = if style.verbose > 0 { usize::MAX } else { NAMED };
    let mut names: Vec<String> = list.iter().take(shown).map(name).collect();
    let left = list.len().saturating_sub(shown);
    if left > 0 {
        names.push(format!("{left} more (-v)"));
    }
    names.join(", ")
}

fn places(messages: &[ExplainMessage], style: &Style) -> Vec<ListLine> {
    let shown = if style.verbose > 0 { usize::MAX } else { SHOWN };
    let place = |message: &ExplainMessage| {
        let times = if message.count > 1 { format!(", {} times", message.count) } else { String::new() };
        let room = if style.verbose > 0 { 300 } else { 90 };
        let mut quote: String = message.quote.chars().take(room).collect();
        if message.quote.chars().count() > room {
            quote.push('…');
        }
        let text = format!("{}{times}: {quote}", message.id);
        ListLine { tone: Tone::Dim, label: format!("line {}", message.line), text }
    };
    messages.iter().take(shown).map(place).collect()
}

fn word_blocks(report: &ExplainWordReport, style: &Style) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !report.numbers.is_empty() {
        blocks.extend(number_blocks(report));
    }
    if let Some(rule) = &report.rule {
        blocks.push(Block::Title(rule.id.clone(), format!("rule{}{}", style.dot(), rule.severity.name())));
        blocks.push(Block::Items(vec![
            item("what", &rule.what),
            item("then", &rule.effect),
            item("do", &rule.advice),
            item("known", rule.known.name()),
        ]));
        for text in &rule.page {
            blocks.extend([Block::Space, Block::Text(Tone::Plain, text.clone())]);
        }
    }
    if let Some(cause) = &report.cause {
        blocks.push(Block::Title(cause.id.clone(), "cause of messages".to_owned()));
        let mut items = vec![
            item("what", &cause.what),
            item("tell", &cause.tell),
            item("do", &cause.advice),
            item("bytes", bytes_word(cause)),
        ];
        if !report.found_by.is_empty() {
            items.push(item("rules", report.found_by.join(", ")));
        }
        blocks.push(Block::Items(items));
        let list = report.messages.iter().map(|message| item(&message.id, &message.meaning)).collect();
        blocks.extend([Block::Heading("Messages that can have it".into()), Block::Items(list)]);
    } else {
        blocks.extend(report.messages.iter().flat_map(|message| known_message(message, style)));
    }
    blocks.extend(report.target.iter().flat_map(|target| target_blocks(target, style)));
    if let Some(solver) = &report.solver {
        let mut parts = vec![format!("solver of MIOpen, number {}", solver.id)];
        parts.extend(solver.algorithm.clone());
        parts
            .extend(solver.dynamic.map(|dynamic| if dynamic { "dynamic" } else { "not dynamic" }.to_owned()));
        blocks.push(Block::Title(solver.name.clone(), parts.join(style.dot())));
        blocks.extend(solver.note.iter().map(|note| Block::Text(Tone::Plain, note.clone())));
        if !solver.conditions.is_empty() {
            blocks.push(Block::known("It refuses a problem where", Evidence::Code));
            // Most conditions come from the solver's own check, which is cited below.
            let text = |c: &ExplainCondition| match &solver.source {
                Some(own) if *own == c.source => c.refuses.clone(),
                _ => format!("{} [{}]", c.refuses, c.source),
            };
            let list = solver.conditions.iter().map(|c| item(&c.id, text(c)));
            blocks.push(Block::Items(list.collect()));
        }
        if let Some(source) = &solver.source {
            blocks.extend([
                Block::Space,
                Block::Text(Tone::Dim, format!("Read in {source}, where no other place is named.")),
            ]);
        }
    }
    blocks
}

/// What a number can be, and how to ask for more.
fn number_blocks(report: &ExplainWordReport) -> Vec<Block> {
    let text = |number: &ExplainNumber| match &number.meaning {
        Some(meaning) => format!("{}. {meaning}", number.name),
        None => number.name.clone(),
    };
    let items = report.numbers.iter().map(|number| item(&number.of, text(number))).collect();
    let mut blocks = vec![Block::Title(report.word.clone(), "number".into()), Block::Items(items)];
    if let Some(first) = report.numbers.iter().find(|number| number.explained) {
        let text = format!(
            "A number alone does not say whose it is. With its name: `rocm-audit explain {}`; better with the line that it stands in.",
            first.name
        );
        blocks.extend([Block::Space, Block::Text(Tone::Dim, text)]);
    }
    blocks
}

fn bytes_word(cause: &ExplainCause) -> &'static str {
    match cause.shown_by_bytes {
        crate::report::v1::ShownByBytes::Yes => "show it",
        crate::report::v1::ShownByBytes::Partly => "show a part of it, or exclude it",
        crate::report::v1::ShownByBytes::No => "do not show it",
    }
}

fn known_message(message: &ExplainKnownMessage, style: &Style) -> Vec<Block> {
    let right = format!("message{}{}{}{}", style.dot(), class(message.class), style.dot(), message.library);
    vec![
        Block::Title(message.id.clone(), right),
        Block::Items(vec![
            item("means", &message.meaning),
            item("causes", message.rules.join(", ")),
            item("bytes", &message.bytes),
        ]),
    ]
}

fn target_blocks(target: &ExplainTarget, style: &Style) -> Vec<Block> {
    let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let right = format!("target{}{}", style.dot(), target.family);
    let mut items = Vec::new();
    items.extend(target.devices.iter().map(|devices| item("devices", devices)));
    if target.members.is_empty() {
        items.push(item("loads", format!("code for {}", list(&target.loads))));
    } else {
        items.push(item("members", list(&target.members)));
    }
    items.push(item("same", format!("the same instruction set: {}", list(&target.same_instructions))));
    let decodes = format!("it has every instruction of: {}", list(&target.decodes));
    items.push(item("decodes", decodes));
    items.push(item("number", format!("{:#04x} in e_flags", target.mach)));
    let note = format!(
        "Read in the tables of {}. Code of another target is loaded only under HSA_OVERRIDE_GFX_VERSION. That its instructions \
         are here does not prove that it works: registers and firmware differ too. `rocm-audit explain {} --isa` has the instructions.",
        target.source, target.processor
    );
    let mut blocks = vec![
        Block::Title(target.processor.clone(), right),
        Block::Items(items),
        Block::Space,
        Block::Text(Tone::Dim, note),
    ];
    blocks.extend(served_by(target));
    blocks.extend(built_by(target));
    blocks.extend(named_by(target));
    blocks
}

/// Which public packages serve a processor.
fn served_by(target: &ExplainTarget) -> Vec<Block> {
    let of = |answer| {
        let all = target.packages.iter().filter(move |package| package.answer == answer);
        all.map(|package| package.package.as_str()).collect::<Vec<_>>().join(", ")
    };
    let rows = [
        ("runs", of(ExplainServed::Runs)),
        ("in part", of(ExplainServed::Limits)),
        ("not shown", of(ExplainServed::NotShown)),
    ];
    let rows: Vec<ListLine> = rows
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(label, names)| item(label, names))
        .collect();
    let Some(read) = target.packages.iter().map(|package| &package.read).max().filter(|_| !rows.is_empty())
    else {
        return Vec::new();
    };
    let note = format!(
        "Read from their bytes until {read}; files, digests and limits: docs/packages.md. Other builds may have more."
    );
    let heading = format!("Public packages, and what their files have for {}", target.processor);
    vec![Block::known(&heading, Evidence::Observed), Block::Items(rows), Block::Text(Tone::Dim, note)]
}

/// In which releases libraries are built for a processor by default.
fn built_by(target: &ExplainTarget) -> Vec<Block> {
    let (built, not): (Vec<_>, Vec<_>) =
        target.builds.iter().partition(|library| !library.releases.is_empty());
    let examined = |at: fn(&ExplainBuilds) -> &str| target.builds.iter().map(at);
    // Releases of the table have numbers of one digit each.
    let first = examined(|library| &library.examined_first).min();
    let last = examined(|library| &library.examined_last).max();
    let (Some(first), Some(last), false) = (first, last, built.is_empty()) else { return Vec::new() };
    let span = |first: &str, last: &str| {
        if first == last { first.to_owned() } else { format!("{first} to {last}") }
    };
    let row = |library: &&ExplainBuilds| {
        let releases = library.releases.iter();
        let releases =
            releases.map(|one| format!("{} ({})", span(&one.first, &one.last), one.targets.join(", ")));
        item(&library.library, releases.collect::<Vec<_>>().join("; "))
    };
    let mut rows: Vec<ListLine> = built.iter().map(row).collect();
    if !not.is_empty() {
        let names: Vec<&str> = not.iter().map(|library| library.library.as_str()).collect();
        rows.push(item("without", names.join(", ")));
    }
    let note = format!(
        "The targets that CMakeLists.txt of each release from {first} to {last} builds for where its user names none; JSON has commit and \
         line as `source`. Who builds packages may have named others, and later releases were not looked at."
    );
    let heading = format!("ROCm releases that are built for {} by default", target.processor);
    vec![Block::known(&heading, Evidence::Code), Block::Items(rows), Block::Text(Tone::Dim, note)]
}

/// When the sources of libraries named a processor, first and last.
fn named_by(target: &ExplainTarget) -> Vec<Block> {
    if target.history.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("library"),
        Column::left("first"),
        Column::left("last"),
        Column::left("the last commit"),
    ]);
    for row in &target.history {
        let date =
            |commit: &Option<ExplainCommit>| commit.as_ref().map_or("·", |one| one.date.as_str()).to_owned();
        let shown = row.last.as_ref().or(row.first.as_ref());
        let subject = shown.map_or_else(String::new, |one| {
            let out = if row.is_taken_out { "takes it out: " } else { "" };
            format!("{}: {out}{}", one.commit, one.subject)
        });
        table.row([
            TableCell::new(&row.library),
            TableCell::new(date(&row.first)),
            TableCell::new(date(&row.last)),
            TableCell::new(subject),
        ]);
    }
    let note = "First and last change of a line that names it, in the files that JSON names as `place`. A history ends where its \
                code moved to another repository. No later commit does not mean that support ended.";
    let heading = format!("{} in public histories", target.processor);
    vec![Block::known(&heading, Evidence::Code), Block::Table(table), Block::Text(Tone::Dim, note.to_owned())]
}
