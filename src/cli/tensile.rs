//! `rocm-audit tensile [PATH]...`

use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::roots;
use crate::answers::facts::TensileFolder;
use crate::answers::{Answers, findings};
use crate::engines::tensile::{against_code, consistency, tuning, vocabulary};
use crate::error::AuditError;
use crate::finding::severity::Severity;
use crate::render::{self, Format};
use crate::report;
use crate::report::v1::TensileReport;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// Installs, or folders with catalogs [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// Check the rows of a tuning file against the catalogs instead: an override file of rocBLAS, one of hipBLASLt, or the results
    /// of PyTorch's TunableOp; repeatable
    #[arg(long, value_name = "FILE")]
    tuning: Vec<PathBuf>,
    /// Multiprocessors of the device that --tuning is for [default: those of the card that --gpu names]
    #[arg(long, value_name = "N", requires = "tuning", value_parser = clap::value_parser!(u32).range(1..))]
    cu: Option<u32>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let judge = Judge::new(global, FailOn::Severity(Severity::Error), exit::TENSILE)?;
    let roots = roots::resolve(&args.paths)?;
    let stack = Answers::open(&roots);
    if !args.tuning.is_empty() {
        return of_tuning(args, &stack, judge, global);
    }
    let folders = &stack.facts().tensile_folders;
    if folders.is_empty() {
        return Err(AuditError::Usage(
            "tensile: no library folder of rocBLAS or hipBLASLt was found: none has files named TensileLibrary*".into(),
        ));
    }
    let processors: Vec<String> = global.arch.iter().map(|target| target.processor.clone()).collect();
    let mut checked = Vec::new();
    // A folder of one processor is looked in for that one alone. Where none is for what is asked, the first says so.
    let serving: Vec<&TensileFolder> = folders.iter().filter(|folder| folder.serves(&processors)).collect();
    let serving = if serving.is_empty() { folders.iter().take(1).collect() } else { serving };
    for whole in serving {
        let TensileFolder { folder, owner, .. } = whole;
        let found = consistency::check(folder, *owner, &processors);
        let mut found = found.map_err(|e| AuditError::io("list", folder.path(), e))?;
        found.findings.extend(stack.facts().release_conflict(whole));
        found.findings.extend(vocabulary::check(folder, *owner));
        found.findings.extend(against_code::check(folder, *owner, &processors));
        crate::finding::sort(&mut found.findings);
        checked.push(found);
    }
    let asked: Vec<String> = global.arch.iter().map(ToString::to_string).collect();
    let report = report::tensile(&checked, &asked, stack.install().faults());
    write(&report, global)?;
    Ok(judge.report(&report.found.findings).status())
}

/// Holds tuning files against the catalogs.
fn of_tuning(args: &Args, stack: &Answers, judge: Judge, global: &GlobalArgs) -> Result<Status, AuditError> {
    let [target] = &global.arch[..] else {
        let what = "tensile --tuning: name the one device that the file is for, with --gpu \"MI210\" or --arch gfx90a";
        return Err(AuditError::Usage(what.into()));
    };
    let multiprocessors = global.multiprocessors(args.cu, "tensile --tuning")?;
    let libraries = stack.tuned_libraries(target, multiprocessors);
    if libraries.rocblas.is_none() && libraries.hipblaslt.is_none() {
        let what = format!("tensile --tuning: no catalog of rocBLAS or hipBLASLt for {target} was found");
        return Err(AuditError::Usage(what));
    }
    let mut found = stack.install().faults().to_vec();
    for path in &args.tuning {
        let bytes = std::fs::read(path).map_err(|e| AuditError::io("read", path.clone(), e))?;
        let checked = tuning::check(&String::from_utf8_lossy(&bytes), &libraries);
        found.extend(findings::of_tuning(&path.to_string_lossy(), &checked, target));
    }
    let report = report::tensile(&[], &[target.to_string()], &found);
    write(&report, global)?;
    Ok(judge.report(&report.found.findings).status())
}

fn write(report: &TensileReport, global: &GlobalArgs) -> Result<(), AuditError> {
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            let what = "tensile: there is no kernel inventory of catalogs; use -f json";
            return Err(AuditError::Usage(what.into()));
        }
        global::write(
            &destination,
            &render::tensile::draw(report, format, &global.style_of_errors(&destination))?,
        )?;
    }
    Ok(())
}
