//! `rocm-audit tensile [PATH]...`

use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::roots;
use crate::answers::Answers;
use crate::answers::facts::TensileFolder;
use crate::engines::tensile::consistency;
use crate::error::AuditError;
use crate::finding::severity::Severity;
use crate::render::{self, Format};
use crate::report;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// Installs, or folders with catalogs [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let judge = Judge::new(global, FailOn::Severity(Severity::Error), exit::TENSILE)?;
    let roots = roots::resolve(&args.paths)?;
    let stack = Answers::open(&roots);
    let folders = &stack.facts().tensile_folders;
    if folders.is_empty() {
        return Err(AuditError::Usage(
            "tensile: no library folder of rocBLAS or hipBLASLt was found: none has files named TensileLibrary*".into(),
        ));
    }
    let processors: Vec<String> = global.arch.iter().map(|target| target.processor.clone()).collect();
    let mut checked = Vec::new();
    for whole in folders {
        let TensileFolder { folder, owner, .. } = whole;
        let found = consistency::check(folder, *owner, &processors);
        let mut found = found.map_err(|e| AuditError::io("list", folder.path(), e))?;
        found.findings.extend(stack.facts().release_conflict(whole));
        crate::finding::sort(&mut found.findings);
        checked.push(found);
    }
    let asked: Vec<String> = global.arch.iter().map(ToString::to_string).collect();
    let report = report::tensile(&checked, &asked, stack.install().faults());
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            let what = "tensile: there is no kernel inventory of catalogs; use -f json";
            return Err(AuditError::Usage(what.into()));
        }
        global::write(
            &destination,
            &render::tensile::draw(&report, format, &global.style_of_errors(&destination))?,
        )?;
    }
    Ok(judge.report(&report.found.findings).status())
}
