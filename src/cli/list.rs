//! `rocm-audit list`: what this program knows.

use super::exit::Status;
use super::global::GlobalArgs;
use crate::error::AuditError;
use crate::finding::rule::Rule;
use crate::finding::rules::RULES;
use crate::format::{FORMATS, FormatRow, Support};
use crate::isa::class::{CLASSES, Class};
use crate::render::{Draw as _, Format, list};
use crate::report::v1::{Found, ListReport};
use crate::report::v1::{Header, document};
use crate::scan::{SCANNERS, Scanner};
use crate::tables::TABLES;
use crate::target::product::{self, Meant, Product};
use crate::target::{PROCESSORS, Processor};
#[cfg(feature = "engines")]
use crate::{
    answers::Answers, engines::miopen::device::Device, engines::miopen::solver::Version, target::TargetId,
};
use clap::ValueEnum;
#[cfg(feature = "engines")]
use rocm_audit_files::key_map::KeyMap;
use serde_json::Value;
#[cfg(feature = "engines")]
use std::collections::BTreeSet;
use std::fmt::Write;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// What to list
    what: ListSubject,
    /// Only lines with this text; for gpus a name, a PCI id or a processor
    pattern: Option<String>,
    /// Of solvers: by the rules of this release of MIOpen, such as 3.5.1 [default: 3.3.0]
    #[cfg(feature = "engines")]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    miopen: Option<Version>,
    /// Of solvers: only those that this release admits on other processors than --miopen does, and on which
    #[cfg(feature = "engines")]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    vs: Option<Version>,
}

#[cfg(feature = "engines")]
fn version(text: &str) -> Result<Version, AuditError> {
    let wrong = || AuditError::Usage(format!("{text}: a version is three numbers, such as 3.3.0"));
    Version::parse(text).ok_or_else(wrong)
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ListSubject {
    /// Processors: name, e_flags number, family, generic target, devices
    Arches,
    /// Cards, accelerators and APUs: name, processor, compute units, PCI ids
    Gpus,
    /// Scanners: id and what each finds
    Scanners,
    /// File formats, and whether device code in them is read
    Formats,
    /// Rules of findings: id, severity, how sure, what
    Rules,
    /// MIOpen's solvers of convolutions; with --arch or --gpu, which of them a processor admits, whatever the
    /// shape, else why not
    #[cfg(feature = "engines")]
    Solvers,
    /// Columns of the tables that `tables` and -o FILE.parquet write: table, column, type, what it says
    Tables,
    /// Classes of instructions, and which mnemonics they stand for
    Classes,
}

/// A list: what its rows have, and the rows.
struct Listing {
    columns: Vec<Column>,
    /// Whether the screen names the columns.
    has_head: bool,
    rows: Vec<Vec<Value>>,
    /// What is known and no row can say.
    undecided: Vec<String>,
}

/// What a row has.
struct Column {
    name: String,
    /// Letters that it takes on the screen.
    width: usize,
    is_right: bool,
}

impl Column {
    fn new(name: &str, width: usize) -> Self {
        Column { name: name.to_owned(), width, is_right: false }
    }

    fn right(name: &str, width: usize) -> Self {
        Column { is_right: true, ..Column::new(name, width) }
    }
}

impl Listing {
    fn new(columns: &[(&str, usize)], rows: Vec<Vec<Value>>) -> Self {
        let columns = columns.iter().map(|(name, width)| Column::new(name, *width)).collect();
        Listing { columns, has_head: false, rows, undecided: Vec::new() }
    }

    /// A line of the screen.
    fn line(&self, cells: impl Iterator<Item = String>) -> String {
        let mut line = String::new();
        for (column, cell) in self.columns.iter().zip(cells) {
            let width = column.width;
            let _ = match column.is_right {
                true => write!(line, "{cell:>width$} "),
                false => write!(line, "{cell:<width$} "),
            };
        }
        line.trim_end().to_owned()
    }

    fn line_of(&self, row: &[Value]) -> String {
        self.line(self.columns.iter().zip(row).map(|(column, value)| list::text(&column.name, value)))
    }

    /// All lines of the screen; none without a row.
    fn text(&self) -> String {
        let head = self.line(self.columns.iter().map(|column| column.name.clone()));
        let head = Some(head).filter(|_| self.has_head && !self.rows.is_empty());
        let rows = self.rows.iter().map(|row| self.line_of(row));
        let undecided = self.undecided.iter().map(|what| format!("not decided: {what}"));
        head.into_iter().chain(rows).chain(undecided).map(|line| format!("{line}\n")).collect()
    }

    /// Keeps the rows that are meant by a text.
    fn keep(&mut self, pattern: &str, what: ListSubject) {
        let meant: Vec<&str> = match Product::meant(pattern) {
            Meant::Products(all) | Meant::Several(all) if matches!(what, ListSubject::Gpus) => {
                all.into_iter().map(|product| product.name()).collect()
            }
            _ => Vec::new(),
        };
        let lower = pattern.to_ascii_lowercase();
        let rows = std::mem::take(&mut self.rows);
        let is_meant = |row: &Vec<Value>| {
            let name = row.first().and_then(Value::as_str).unwrap_or_default();
            meant.contains(&name) || self.line_of(row).to_ascii_lowercase().contains(&lower)
        };
        self.rows = rows.into_iter().filter(is_meant).collect();
    }

    fn report(&self, what: ListSubject) -> ListReport {
        let columns: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        let row = |row: &Vec<Value>| columns.iter().cloned().zip(row.iter().cloned()).collect();
        ListReport {
            header: Header::from_document(document::LIST),
            found: Found::nothing(),
            list: what.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default(),
            rows: self.rows.iter().map(row).collect(),
            undecided: self.undecided.clone(),
            columns,
        }
    }
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.finds_nothing("list")?;
    global.has_no_findings("list")?;
    #[cfg(feature = "engines")]
    let of_targets = matches!(args.what, ListSubject::Solvers);
    #[cfg(not(feature = "engines"))]
    let of_targets = false;
    if !global.arch.is_empty() && !of_targets {
        let what = "list: it is of no target, so --arch has no meaning here; name a text behind the list";
        return Err(AuditError::Usage(what.into()));
    }
    #[cfg(feature = "engines")]
    if (args.miopen.is_some() || args.vs.is_some()) && !of_targets {
        let what = "list: --miopen and --vs are of a release of MIOpen, so only `list solvers` takes them";
        return Err(AuditError::Usage(what.into()));
    }
    let mut listing = listing(args, global)?;
    if let Some(pattern) = &args.pattern {
        listing.keep(pattern, args.what);
    }
    let report = listing.report(args.what);
    global.write_each(&|format, style| match format {
        Format::Table => Ok(listing.text().into()),
        Format::Jsonl => Err(AuditError::Usage("list: there are no lines of JSON of it; use -f json".into())),
        _ => report.draw(format, style),
    })?;
    // As grep does where nothing matches.
    Ok(if args.pattern.is_some() && report.rows.is_empty() { Status::Found } else { Status::Done })
}

#[cfg_attr(
    not(feature = "engines"),
    expect(unused_variables, reason = "only the list of solvers asks about targets")
)]
fn listing(args: &Args, global: &GlobalArgs) -> Result<Listing, AuditError> {
    Ok(match args.what {
        ListSubject::Arches => {
            let columns = [("name", 16), ("e_flags", 5), ("family", 14), ("generic", 16), ("devices", 0)];
            let row = |p: &Processor| {
                let number = format!("{:#04x}", p.mach());
                vec![
                    p.name().into(),
                    number.into(),
                    p.family().name().into(),
                    p.generic().unwrap_or("").into(),
                    p.devices().into(),
                ]
            };
            Listing::new(&columns, PROCESSORS.iter().map(row).collect())
        }
        ListSubject::Gpus => gpus(),
        ListSubject::Scanners => {
            let row = |scanner: &&Scanner| vec![scanner.id.into(), scanner.finds.into()];
            Listing::new(&[("id", 18), ("finds", 0)], SCANNERS.iter().map(row).collect())
        }
        ListSubject::Rules => {
            let columns = [("id", 31), ("severity", 8), ("confidence", 8), ("topic", 8), ("what", 0)];
            let row = |(topic, rule): &(&str, &Rule)| {
                let (severity, confidence) = (rule.severity.name(), rule.confidence.name());
                vec![rule.id.into(), severity.into(), confidence.into(), (*topic).into(), rule.what.into()]
            };
            Listing::new(&columns, RULES.iter().map(row).collect())
        }
        #[cfg(feature = "engines")]
        ListSubject::Solvers => match args.vs {
            Some(vs) => solvers_of_two(args.miopen, vs, global)?,
            None => solvers(args.miopen, global)?,
        },
        ListSubject::Classes => {
            let row = |class: &Class| vec![class.id.into(), class.title.into(), class.patterns.into()];
            Listing::new(&[("id", 15), ("title", 42), ("mnemonics", 0)], CLASSES.iter().map(row).collect())
        }
        ListSubject::Tables => {
            let mut rows = Vec::new();
            for table in TABLES.iter().chain(manifest_tables()) {
                for column in table.columns() {
                    let name = format!("{}.{}", table.name, column.name);
                    rows.push(vec![name.into(), column.kind.name().into(), column.about.into()]);
                }
            }
            Listing::new(&[("column", 30), ("type", 8), ("about", 0)], rows)
        }
        ListSubject::Formats => {
            let row = |format: &FormatRow| vec![format.name.into(), how_read(format.support).into()];
            Listing::new(&[("format", 20), ("read", 0)], FORMATS.iter().map(row).collect())
        }
    })
}

/// Whether device code of a format is read.
fn how_read(support: Support) -> &'static str {
    match support {
        Support::Yes => "read",
        Support::Members if !cfg!(feature = "packages") => "not read: built without the feature packages",
        Support::Members => "read, member by member",
        Support::NotYet => "recognised, not read yet",
        Support::Nothing => "holds no device code",
    }
}

fn gpus() -> Listing {
    let row = |p: &Product| {
        vec![
            p.name().into(),
            p.processor().into(),
            p.compute_units().into(),
            p.memory_gib().into(),
            p.is_apu().into(),
            p.sources().to_string().into(),
            p.ids().iter().map(ToString::to_string).collect::<Vec<String>>().into(),
        ]
    };
    let columns = vec![
        Column::new("name", 34),
        Column::new("processor", 9),
        Column::right("CUs", 5),
        Column::right("GiB", 5),
        Column::new("apu", 4),
        Column::new("sources", 12),
        Column::new("PCI ids", 0),
    ];
    let rows = product::products().iter().map(row).collect();
    Listing { columns, has_head: true, rows, undecided: Vec::new() }
}

/// A row for each solver; with one processor the reason of a refusal, with several a column for each.
#[cfg(feature = "engines")]
fn solvers(miopen: Option<Version>, global: &GlobalArgs) -> Result<Listing, AuditError> {
    let stack = Answers::open(&[]);
    // Without a target the registry alone is meant.
    let targets = match &global.arch[..] {
        [] => vec![TargetId::bare("gfx900")],
        asked => asked.to_vec(),
    };
    let mut lines: KeyMap<u16, (String, String, Vec<Option<String>>)> = KeyMap::new();
    for target in &targets {
        let compute_units = global.card_multiprocessors().unwrap_or(64);
        let device = Device { target: target.clone(), compute_units };
        for family in stack.solver_families_of(&device, miopen)? {
            let admitted = family.admitted.iter().map(|solver| (*solver, None));
            let refused = family.refused.iter().map(|refused| {
                let clause = refused.clause;
                (refused.solver, Some(format!("{} ({})", clause.because, clause.source)))
            });
            for (solver, why) in admitted.chain(refused) {
                let line = lines.entry(solver.id);
                let line =
                    line.or_insert_with(|| (solver.name.to_owned(), family.name.to_owned(), Vec::new()));
                line.2.push(why);
            }
        }
    }
    let mut columns = vec![Column::right("id", 4), Column::new("solver", 52), Column::new("family", 24)];
    columns.extend(global.arch.iter().map(|target| Column::new(&target.processor, 9)));
    let row = |(id, (name, family, answers)): (u16, (String, String, Vec<Option<String>>))| {
        let words = |why: &Option<String>| match why {
            None => "yes".to_owned(),
            Some(why) if answers.len() == 1 => format!("no: {why}"),
            Some(_) => "no".to_owned(),
        };
        let answers = answers.iter().map(|why| words(why).into()).take(global.arch.len());
        [id.into(), name.into(), family.into()].into_iter().chain(answers).collect()
    };
    let rows = lines.into_iter().map(row).collect();
    Ok(Listing { columns, has_head: true, rows, undecided: Vec::new() })
}

/// A row for each solver that one of two releases admits on processors on which the other does not.
#[cfg(feature = "engines")]
fn solvers_of_two(first: Option<Version>, vs: Version, global: &GlobalArgs) -> Result<Listing, AuditError> {
    let first = first.unwrap_or(Version(3, 3, 0));
    let stack = Answers::open(&[]);
    let targets = match &global.arch[..] {
        [] => PROCESSORS.iter().map(|processor| TargetId::bare(processor.name())).collect(),
        asked => asked.to_vec(),
    };
    let compute_units = global.card_multiprocessors().unwrap_or(64);
    let admitted = |version: Version| -> Result<BTreeSet<(u16, String, usize)>, AuditError> {
        let mut all = BTreeSet::new();
        for (place, target) in targets.iter().enumerate() {
            let device = Device { target: target.clone(), compute_units };
            for family in stack.solver_families_of(&device, Some(version))? {
                all.extend(family.admitted.iter().map(|solver| (solver.id, solver.name.to_owned(), place)));
            }
        }
        Ok(all)
    };
    let (before, after) = (admitted(first)?, admitted(vs)?);
    let name =
        |place: &usize| targets.get(*place).map(|target| target.processor.as_str()).unwrap_or_default();
    let mut lines: KeyMap<(u16, &str), [Vec<&str>; 2]> = KeyMap::new();
    for (id, solver, place) in before.difference(&after) {
        lines.entry((*id, solver)).or_default()[0].push(name(place));
    }
    for (id, solver, place) in after.difference(&before) {
        lines.entry((*id, solver)).or_default()[1].push(name(place));
    }
    let still = |id: u16| after.iter().any(|(own, ..)| *own == id);
    let row = |((id, solver), [lost, gained]): ((u16, &str), [Vec<&str>; 2])| {
        let lost = if still(id) { lost.join(" ") } else { "all of them".to_owned() };
        [Value::from(id), solver.into(), lost.into(), gained.join(" ").into()].into_iter().collect()
    };
    let only = |version: Version| format!("only by {version}");
    let columns = vec![
        Column::right("id", 4),
        Column::new("solver", 46),
        Column::new(&only(first), 30),
        Column::new(&only(vs), 0),
    ];
    let rows = lines.into_iter().map(row).collect();
    let undecided = stack.undecided_between(first, vs)?;
    Ok(Listing { columns, has_head: true, rows, undecided })
}

/// The tables that `tables` makes of manifests alone.
fn manifest_tables() -> &'static [&'static crate::tables::Table] {
    #[cfg(feature = "parquet")]
    return crate::tables::manifests::MANIFEST_TABLES;
    #[cfg(not(feature = "parquet"))]
    &[]
}
