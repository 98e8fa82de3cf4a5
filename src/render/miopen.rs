//! MIOpen's databases in blocks: what is there, what a device opens, and what is wrong.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::findings::{self, severities};
use super::shipped;
use super::style::{Style, Tone, plural};
use crate::report::v1::{
    DatabaseChoice, DatabaseForm, Evidence, MiopenDatabase, MiopenDatabaseKind, MiopenDevice, MiopenFolder,
    MiopenLines, MiopenOpened,
};

/// How a choice of a database is drawn.
struct DatabaseSign {
    choice: DatabaseChoice,
    unicode: &'static str,
    ascii: &'static str,
    tone: Tone,
    legend: &'static str,
}

/// All choices, in the order of the legend.
const SIGNS: [DatabaseSign; 6] = [
    DatabaseSign {
        choice: DatabaseChoice::Exact,
        unicode: "●",
        ascii: "+",
        tone: Tone::Good,
        legend: "the device's own",
    },
    DatabaseSign {
        choice: DatabaseChoice::Processor,
        unicode: "●",
        ascii: "+",
        tone: Tone::Good,
        legend: "the processor's",
    },
    DatabaseSign {
        choice: DatabaseChoice::Nearest,
        unicode: "◔",
        ascii: "~",
        tone: Tone::Partial,
        legend: "that of the nearest number of compute units",
    },
    DatabaseSign {
        choice: DatabaseChoice::Unreachable,
        unicode: "✗",
        ascii: "X",
        tone: Tone::Bad,
        legend: "the nearest, which MIOpen looks for and cannot find",
    },
    DatabaseSign {
        choice: DatabaseChoice::Pointer,
        unicode: "!",
        ascii: "!",
        tone: Tone::Bad,
        legend: "a Git LFS pointer in place of the file",
    },
    DatabaseSign {
        choice: DatabaseChoice::None,
        unicode: "·",
        ascii: "-",
        tone: Tone::Dim,
        legend: "nothing",
    },
];

impl DatabaseSign {
    fn for_choice(choice: DatabaseChoice) -> Option<&'static DatabaseSign> {
        SIGNS.iter().find(|sign| sign.choice == choice)
    }
}

/// What a database is for, in words.
fn words(kind: MiopenDatabaseKind) -> &'static str {
    match kind {
        MiopenDatabaseKind::FindDbHip => "find-db HIP",
        MiopenDatabaseKind::FindDbOpenCl => "find-db OpenCL",
        MiopenDatabaseKind::PerfDbText => "perf-db text",
        MiopenDatabaseKind::PerfDbSqlite => "perf-db SQLite",
        MiopenDatabaseKind::KernelDb => "kernel db",
        MiopenDatabaseKind::UserFindDb => "user find-db",
        MiopenDatabaseKind::UserPerfDbText => "user perf-db text",
        MiopenDatabaseKind::UserPerfDbSqlite => "user perf-db SQLite",
    }
}

fn is_users(kind: MiopenDatabaseKind) -> bool {
    use MiopenDatabaseKind::{UserFindDb, UserPerfDbSqlite, UserPerfDbText};
    matches!(kind, UserFindDb | UserPerfDbText | UserPerfDbSqlite)
}

/// One folder.
pub(super) fn of_folder(folder: &MiopenFolder, style: &Style) -> Vec<Block> {
    let parts = [
        plural(folder.databases.len() as u64, "database", "databases"),
        plural(folder.records, "record", "records"),
        plural(folder.entries, "entry", "entries"),
        style.size(folder.bytes),
    ];
    let mut blocks = vec![Block::Title(folder.path.clone(), parts.join(style.dot())), verdict(folder)];
    blocks.extend(databases(folder, style));
    blocks.extend(devices(folder, style));
    blocks.extend(lines(folder, style));
    blocks.extend(findings::section(&folder.findings, &folder.path, style));
    blocks
}

fn verdict(folder: &MiopenFolder) -> Block {
    let tone = if folder.counts.errors > 0 { Tone::Bad } else { Tone::Good };
    Block::Items(vec![ListLine { tone, label: "MIOpen".into(), text: severities(&folder.counts) }])
}

fn databases(folder: &MiopenFolder, style: &Style) -> Vec<Block> {
    if folder.databases.is_empty() {
        let text = "No database here is of a target that was asked for.";
        return vec![Block::Text(Tone::Plain, text.into())];
    }
    let mut table = Table::new([
        Column::left("device"),
        Column::left("database"),
        Column::right("records"),
        Column::right("entries"),
        Column::left("form"),
        Column::right("size"),
        Column::right("findings"),
    ]);
    let number = |number: Option<u64>| number.map_or(String::new(), |number| style.number(number));
    for file in &folder.databases {
        let tone = if file.findings > 0 { Tone::Partial } else { Tone::Dim };
        table.row([
            TableCell::new(&file.base),
            TableCell::new(words(file.kind)),
            TableCell::new(number(file.records)),
            TableCell::new(number(file.entries)),
            TableCell::new(form(file)),
            TableCell::new(style.size(file.bytes)),
            TableCell::toned(style.number(file.findings), tone),
        ]);
    }
    if folder.databases.len() > 1 {
        table.total = true;
        let [records, entries] = [folder.records, folder.entries].map(|n| TableCell::new(style.number(n)));
        let (none, size) = (TableCell::default(), TableCell::new(style.size(folder.bytes)));
        table.row([TableCell::new("TOTAL"), none.clone(), records, entries, none.clone(), size, none]);
    }
    let text = "Records are problems, each once; entries are their solvers. Findings are below.";
    vec![
        Block::Heading("Databases".into()),
        Block::Table(table),
        Block::Space,
        Block::Text(Tone::Dim, text.into()),
    ]
}

fn devices(folder: &MiopenFolder, style: &Style) -> Vec<Block> {
    let all = || folder.devices.iter().flat_map(|device| &device.opened);
    // Kinds that no device opens are left out, but not those that every install is asked for.
    let shown = |kind: &MiopenDatabaseKind| {
        !is_users(*kind) || all().any(|opened| opened.kind == *kind && opened.state != DatabaseChoice::None)
    };
    let Some(first) = folder.devices.first() else { return Vec::new() };
    let kinds: Vec<MiopenDatabaseKind> = first.opened.iter().map(|o| o.kind).filter(shown).collect();
    let columns = kinds.iter().map(|kind| Column::left(words(*kind)));
    let mut table = Table::new(std::iter::once(Column::left("device")).chain(columns));
    for device in &folder.devices {
        let cell = |kind: &MiopenDatabaseKind| {
            let opened = device.opened.iter().find(|opened| opened.kind == *kind);
            opened.map_or(TableCell::default(), |opened| sign(opened, &device.base, style))
        };
        table.row(std::iter::once(TableCell::new(&device.base)).chain(kinds.iter().map(cell)));
    }
    let occurs = |sign: &&DatabaseSign| {
        all().any(|opened| opened.state == sign.choice && kinds.contains(&opened.kind))
    };
    let signs = SIGNS.iter().filter(occurs);
    let legend: Vec<String> =
        signs.map(|sign| format!("{} {}", style.pick(sign.unicode, sign.ascii), sign.legend)).collect();
    let mut text = format!("{}.", legend.join("; "));
    if all().any(|opened| opened.made_from.is_some()) {
        text.push_str(
            " The text form of a perf-db that is here in SQLite is what a default build makes of it.",
        );
    }
    let mut blocks = vec![
        Block::Heading("What a device opens".into()),
        Block::Table(table),
        Block::Space,
        Block::Text(Tone::Dim, text),
    ];
    blocks.extend(reasons(&folder.devices, &kinds, style));
    blocks
}

fn sign(opened: &MiopenOpened, device: &str, style: &Style) -> TableCell {
    let Some(sign) = DatabaseSign::for_choice(opened.state) else { return TableCell::default() };
    let glyph = style.pick(sign.unicode, sign.ascii);
    match &opened.base {
        Some(base) if base != device => TableCell::toned(format!("{glyph} {base}"), sign.tone),
        _ => TableCell::toned(glyph, sign.tone),
    }
}

/// Why a device does not open a file of its own: once for each kind and file, with `-v` for each device.
fn reasons(devices: &[MiopenDevice], kinds: &[MiopenDatabaseKind], style: &Style) -> Vec<Block> {
    let mut items: Vec<ListLine> = Vec::new();
    for device in devices {
        for opened in device.opened.iter().filter(|opened| kinds.contains(&opened.kind)) {
            let told = match style.verbose {
                0 => opened.state == DatabaseChoice::Unreachable && items.is_empty(),
                _ => opened.state != DatabaseChoice::None,
            };
            if told {
                let made = opened.made_from.as_ref().map_or(String::new(), |from| format!(" (of {from})"));
                let file = opened.file.as_deref().unwrap_or_default();
                items.push(ListLine {
                    tone: DatabaseSign::for_choice(opened.state).map_or(Tone::Plain, |sign| sign.tone),
                    label: device.base.clone(),
                    text: format!(
                        "{}: {file}{made}: {} ({})",
                        words(opened.kind),
                        opened.why,
                        source(opened.known)
                    ),
                });
            }
        }
    }
    if items.is_empty() { Vec::new() } else { vec![Block::Space, Block::Items(items)] }
}

fn lines(folder: &MiopenFolder, style: &Style) -> Vec<Block> {
    if folder.lines.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("target"),
        Column::left("device"),
        Column::right("find-db HIP"),
        Column::right("find-db OpenCL"),
        Column::right("perf-db"),
        Column::right("lines"),
    ]);
    for row in &folder.lines {
        let MiopenLines { processor, base, find_db_hip, find_db_opencl, perf_db, lines } = row;
        let target = processor.as_deref().unwrap_or("TOTAL");
        let device = base.as_deref().unwrap_or(if processor.is_some() { "all" } else { "" });
        let numbers = [find_db_hip, find_db_opencl, perf_db, lines];
        let cells = [TableCell::new(target), TableCell::new(device)].into_iter();
        table.total |= processor.is_none();
        table.row(cells.chain(numbers.map(|number| TableCell::new(style.number(*number)))));
    }
    let text = "As `wc -l` counts; a perf-db in SQLite, where it has no text form, counts as that.";
    vec![
        Block::Heading("Lines of text".into()),
        Block::Table(table),
        Block::Space,
        Block::Text(Tone::Dim, text.into()),
    ]
}

fn source(known: Evidence) -> &'static str {
    match known {
        Evidence::Observed => "observed",
        Evidence::Code => "read in the source of MIOpen 3.3",
        Evidence::Runtime => "measured on a GPU",
        Evidence::StandIn => "measured with the real library, without a GPU",
        Evidence::Inferred => "inferred",
    }
}

/// How a database is stored; of a find-db the forms of its records say that too.
fn form(file: &MiopenDatabase) -> String {
    match file.form {
        Some(DatabaseForm::Text) if !file.versions.is_empty() => file.versions.join(" and "),
        form => form.map_or("", shipped::form).to_owned(),
    }
}
