//! `rocm-audit miopen [PATH]...`

use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::roots;
use crate::answers::Answers;
use crate::engines::miopen::check;
use crate::engines::miopen::check::Asked;
use crate::error::AuditError;
use crate::finding::severity::Severity;
use crate::render::{self, Format};
use crate::report;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// Installs, or folders with databases [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// With --arch: what a device of it with N multiprocessors opens, as HIP counts them: compute units, or work group
    /// processors on RDNA; repeatable, or with commas
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    cu: Vec<u32>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !args.cu.is_empty() && global.arch.is_empty() {
        return Err(AuditError::Usage("miopen: --cu is of a device; name its target with --arch".into()));
    }
    let judge = Judge::new(global, FailOn::Severity(Severity::Error), exit::MIOPEN)?;
    let roots = roots::resolve(&args.paths)?;
    let stack = Answers::open(&roots);
    let folders = &stack.facts().database_folders;
    if folders.is_empty() {
        let what = "miopen: no database of MIOpen was found: no file is named like gfx900_56.HIP.fdb.txt or gfx900_56.db";
        return Err(AuditError::Usage(what.into()));
    }
    let mut checked = Vec::new();
    for folder in folders {
        checked.push(check::check(folder).map_err(|e| AuditError::io("list", folder.path(), e))?);
    }
    let compute_units = match args.cu.is_empty() {
        true => global.card_multiprocessors().into_iter().collect(),
        false => args.cu.clone(),
    };
    let asked = Asked { targets: global.arch.clone(), compute_units };
    let report = report::miopen(&checked, &asked, stack.install().faults());
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            let what = "miopen: there is no kernel inventory of databases; use -f json";
            return Err(AuditError::Usage(what.into()));
        }
        global::write(
            &destination,
            &render::miopen::draw(&report, format, &global.style_of_errors(&destination))?,
        )?;
    }
    Ok(judge.report(&report.found.findings).status())
}
