//! `rocm-audit list`: what this program knows.

use super::exit::Status;
use super::global::{Destination, GlobalArgs, write};
use crate::error::AuditError;
use crate::finding::rules::RULES;
use crate::format::{FORMATS, Support};
use crate::isa::class::CLASSES;
use crate::scan::SCANNERS;
use crate::target::PROCESSORS;
use crate::target::product::{self, Meant, Product};
use clap::ValueEnum;
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
    /// Classes of instructions, and which mnemonics they stand for
    Classes,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.finds_nothing("list")?;
    global.prints_a_list("list")?;
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
        What::Classes => {
            for class in CLASSES {
                let _ = writeln!(text, "{:<15} {:<42} {}", class.id, class.title, class.patterns.join(" "));
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
        write(&Destination::Stdout, &text)?;
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
    write(&Destination::Stdout, &lines.map(|line| format!("{line}\n")).collect::<String>())?;
    // As grep does where nothing matches.
    Ok(if found.is_empty() { Status::Found } else { Status::Done })
}
