//! `rocm-audit check PATH... --require TARGET`.

use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::roots;
use crate::capability::Capability;
use crate::capability::requirement::Required;
use crate::error::AuditError;
use crate::render::{self, Format};
use crate::report;
use crate::scan::library_names::LIBRARIES;
use crate::scan::run::{Options, Silent, audit};
use crate::target::TargetId;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Trees, packages or files to check [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// Targets that every library must have kernels for; repeatable, or with commas
    #[arg(long, required = true, value_name = "TARGET", value_delimiter = ',', value_parser = global::target)]
    require: Vec<TargetId>,
    /// Ask only these libraries, by their names in the report (rocBLAS, ggml); each must be here. Repeatable, or with commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    library: Vec<String>,
    /// Ask every file and every bundle of a library, not only one of them
    #[arg(long)]
    per_file: bool,
}

/// The end of `--help`.
const EXAMPLES: &str = "Example:
  rocm-audit check dist/*.whl --require gfx90a,gfx1030,gfx1100 --per-file

A requirement that is not met is found, too.
Exit status: 0 done, 1 something was found that --fail-on names, 2 the call, an input or an output is unusable.";

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !global.arch.is_empty() {
        return Err(AuditError::Usage(
            "check: targets stand behind --require; --arch and --gpu have no meaning here".into(),
        ));
    }
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    let roots = roots::resolve(&args.paths)?;
    let inventory = audit(&roots, &Options::default(), &Silent, None)?;
    let here = |name: &String| inventory.artifacts.iter().any(|a| a.library.eq_ignore_ascii_case(name));
    let known = |name: &String| LIBRARIES.iter().any(|library| library.name.eq_ignore_ascii_case(name));
    if let Some(name) = args.library.iter().find(|name| !here(name) && !known(name)) {
        let mut all: Vec<&str> = inventory.artifacts.iter().map(|a| a.library.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        let what = format!(
            "--library {name}: no library of this name is known, or here; here are {}",
            all.join(", ")
        );
        return Err(AuditError::Usage(what));
    }
    let found = Capability::of(&inventory, &args.require);
    let required = Required { targets: &args.require, libraries: &args.library, per_file: args.per_file };
    let report = report::check(&inventory, &found, &required);
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            return Err(AuditError::Usage(
                "check: there is no kernel inventory of requirements; use -f json".into(),
            ));
        }
        global::write(&destination, &render::check::draw(&report, format, &global.style(&destination)))?;
    }
    let unmet = report.requirements.is_empty() || report.requirements.iter().any(|row| !row.is_met);
    let status = judge.report(&report.findings).status();
    Ok(if unmet { Status::Found } else { status })
}
