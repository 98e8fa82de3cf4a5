//! `rocm-audit slim --keep TARGET PATH...`.

use super::destination::{self, Destination};
use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::gpu;
use super::roots;
use crate::error::AuditError;
use crate::question::{SlimQuestion, Trees};
use crate::render::{Draw as _, Format, slim};
use crate::target::TargetId;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// Trees, packages or files to read [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// GPUs to keep, by their targets; repeatable, or with commas. What loads on one of them stays
    #[arg(long, value_name = "TARGET", value_delimiter = ',', required = true, value_parser = gpu::target)]
    keep: Vec<TargetId>,
    /// Write the paths of the files that can go, a line for each
    #[arg(long, conflicts_with = "null")]
    list: bool,
    /// The same with a zero byte behind each, for `xargs -0`
    #[arg(long)]
    null: bool,
}

/// Findings that a list is followed by.
const DAMAGE_SHOWN: usize = 20;

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !global.arch.is_empty() {
        return Err(AuditError::Usage(
            "slim: targets stand behind --keep; --arch and --gpu have no meaning here".into(),
        ));
    }
    let outputs = global.outputs()?;
    let is_list = args.list || args.null;
    let is_other = |(to, format): &&(Destination, Format)| match (is_list, to) {
        (true, Destination::Stdout | Destination::Pager(_)) => *format != Format::Table,
        _ => !matches!(format, Format::Table | Format::Json),
    };
    if let Some((_, format)) = outputs.iter().find(is_other) {
        let list = if is_list {
            " beside --list and --null, which write a text; JSON goes to -o FILE.json"
        } else {
            ""
        };
        return Err(AuditError::Usage(format!(
            "slim: -f {} is not of this command{list}; -f table, -f json, --list or --null",
            format.name()
        )));
    }
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    let roots = roots::resolve(&args.paths)?;
    let inventory = Trees::at(roots).inventory()?;
    let report = SlimQuestion { keep: args.keep.clone() }.document(&inventory);
    // Such a list would name all device code, and what reads it deletes.
    let lacks = |target: &TargetId| report.without_code.contains(&target.processor);
    let keeps_nothing = args.keep.iter().all(lacks);
    if is_list && keeps_nothing && report.removable.count > 0 {
        return Err(AuditError::Usage(format!(
            "slim: nothing here is for {}, so a list would name every file with device code. --keep takes the target whose code the \
             card loads by HSA_OVERRIDE_GFX_VERSION; without --list the table shows what is here",
            report.keep.join(", ")
        )));
    }
    for (destination, format) in &outputs {
        let text = match (format, args.null, args.list) {
            (Format::Table, true, _) => slim::paths(&report, '\0').into(),
            (Format::Table, _, true) => slim::paths(&report, '\n').into(),
            _ => report.draw(*format, &global.style(destination))?,
        };
        destination::write(destination, &text)?;
    }
    // A list has no place for what could not be read.
    if is_list {
        slim::left_out(&report, if args.null { '\0' } else { '\n' })
            .iter()
            .for_each(|what| global::remark(what));
        let damage: Vec<_> = inventory.findings.iter().filter(|finding| finding.is_damage()).collect();
        damage.iter().take(DAMAGE_SHOWN).for_each(|finding| global::complain(&finding.to_string()));
        if let Some(more @ 1..) = damage.len().checked_sub(DAMAGE_SHOWN) {
            global::complain(&format!("{more} more findings of what could not be read: -f json has them"));
        }
    }
    Ok(judge.report(&report.findings).status())
}
