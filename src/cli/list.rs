//! `rocm-audit list`: what this program knows.

use super::exit::Status;
use super::global::{GlobalArgs, print};
use crate::error::AuditError;
use crate::finding::rules::RULES;
use crate::format::{FORMATS, Support};
use crate::isa::class::CLASSES;
use crate::scan::SCANNERS;
use crate::tables::TABLES;
use crate::target::PROCESSORS;
use crate::target::product::{self, Meant, Product};
#[cfg(feature = "engines")]
use crate::{answers::Answers, engines::miopen::device::Device, target::TargetId};
use clap::ValueEnum;
#[cfg(feature = "engines")]
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// What to list
    what: What,
    /// Only lines with this text; for gpus a name, a PCI id or a processor
    pattern: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
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
    /// MIOpen's solvers of convolutions; with --arch or --gpu, which of them a processor admits, whatever the shape, else why
    /// not
    #[cfg(feature = "engines")]
    Solvers,
    /// Columns of the tables that `tables` and -o FILE.parquet write: table, column, type, what it says
    Tables,
    /// Classes of instructions, and which mnemonics they stand for
    Classes,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.finds_nothing("list")?;
    #[cfg(feature = "engines")]
    let of_targets = matches!(args.what, What::Solvers);
    #[cfg(not(feature = "engines"))]
    let of_targets = false;
    global.prints_a_list("list", of_targets)?;
    let mut text = String::new();
    match args.what {
        What::Arches => {
            for p in PROCESSORS {
                let (family, generic) = (p.family.name(), p.generic.unwrap_or(""));
                let line =
                    format!("{:<16} {:#04x}  {family:<14} {generic:<16} {}", p.name, p.mach, p.devices);
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
        What::Gpus => {
            let _ = writeln!(
                text,
                "{:<34} {:<9} {:>5} {:<4} {:<12} PCI ids",
                "name", "processor", "CUs", "", "sources"
            );
            for p in product::products() {
                let units = p.compute_units.map_or("?".to_owned(), |units| units.to_string());
                let apu = if p.is_apu { "APU" } else { "" };
                let ids = p.ids.join(" ");
                let line =
                    format!("{:<34} {:<9} {units:>5} {apu:<4} {:<12} {ids}", p.name, p.processor, p.sources);
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
        What::Scanners => {
            for scanner in SCANNERS {
                let _ = writeln!(text, "{:<18} {}", scanner.id, scanner.finds);
            }
        }
        What::Rules => {
            for (topic, rule) in RULES {
                let (severity, confidence) = (rule.severity.name(), rule.confidence.name());
                let _ =
                    writeln!(text, "{:<31} {severity:<8} {confidence:<8} {topic:<8} {}", rule.id, rule.what);
            }
        }
        #[cfg(feature = "engines")]
        What::Solvers => solvers(global, &mut text)?,
        What::Classes => {
            for class in CLASSES {
                let _ = writeln!(text, "{:<15} {:<42} {}", class.id, class.title, class.patterns.join(" "));
            }
        }
        What::Tables => {
            for table in TABLES {
                for column in table.columns() {
                    let (name, kind) = (format!("{}.{}", table.name, column.name), column.kind.name());
                    let _ = writeln!(text, "{name:<30} {kind:<8} {}", column.about);
                }
            }
        }
        What::Formats => {
            for format in FORMATS {
                let read = match format.support {
                    Support::Yes => "read",
                    Support::Members if !cfg!(feature = "packages") => {
                        "not read: built without the feature packages"
                    }
                    Support::Members => "read, member by member",
                    Support::NotYet => "recognised, not read yet",
                    Support::Nothing => "holds no device code",
                };
                let _ = writeln!(text, "{:<20} {read}", format.name);
            }
        }
    }
    let Some(pattern) = &args.pattern else {
        print(text)?;
        return Ok(Status::Done);
    };
    let meant: Vec<&str> = match Product::meant(pattern) {
        Meant::Products(all) | Meant::Several(all) if matches!(args.what, What::Gpus) => {
            all.into_iter().map(|product| product.name).collect()
        }
        _ => Vec::new(),
    };
    let lower = pattern.to_ascii_lowercase();
    let fits = |line: &&str| {
        line.to_ascii_lowercase().contains(&lower)
            || meant.iter().any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with("  ")))
    };
    let found: Vec<&str> = text.lines().filter(fits).collect();
    let head = text.lines().next().filter(|_| matches!(args.what, What::Gpus) && !found.is_empty());
    let lines = head.into_iter().chain(found.iter().copied());
    print(lines.map(|line| format!("{line}\n")).collect())?;
    // As grep does where nothing matches.
    Ok(if found.is_empty() { Status::Found } else { Status::Done })
}

/// A line for each solver; with one processor the reason of a refusal, with several a column for each.
#[cfg(feature = "engines")]
fn solvers(global: &GlobalArgs, text: &mut String) -> Result<(), AuditError> {
    let stack = Answers::open(&[]);
    // Without a target the registry alone is meant.
    let targets = match &global.arch[..] {
        [] => vec![TargetId::bare("gfx900")],
        asked => asked.to_vec(),
    };
    let mut lines: BTreeMap<u16, (String, String, Vec<Option<String>>)> = BTreeMap::new();
    for target in &targets {
        let compute_units = global.card_multiprocessors().unwrap_or(64);
        let device = Device { target: target.clone(), compute_units };
        for family in stack.solver_families(&device)? {
            let admitted = family.admitted.iter().map(|solver| (*solver, None));
            let refused = family.refused.iter().map(|refused| {
                let clause = refused.clause;
                (refused.solver, Some(format!("{} ({})", clause.because, clause.source)))
            });
            for (solver, why) in admitted.chain(refused) {
                let line = lines.entry(solver.id);
                let line = line.or_insert_with(|| (solver.name.clone(), family.name.to_owned(), Vec::new()));
                line.2.push(why);
            }
        }
    }
    let head = targets.iter().map(|target| format!("{:<9} ", target.processor)).collect::<String>();
    let asked = !global.arch.is_empty();
    let _ = writeln!(
        text,
        "{:>4} {:<52} {:<24} {}",
        "id",
        "solver",
        "family",
        if asked { &head } else { "" }.trim_end()
    );
    for (id, (name, family, answers)) in lines {
        let words = |why: &Option<String>| format!("{:<9} ", if why.is_some() { "no" } else { "yes" });
        let answer = match &answers[..] {
            _ if !asked => String::new(),
            [Some(why)] => format!("no: {why}"),
            all => all.iter().map(words).collect(),
        };
        let line = format!("{id:>4} {name:<52} {family:<24} {answer}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    Ok(())
}
