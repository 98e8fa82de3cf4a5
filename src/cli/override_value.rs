//! `rocm-audit override VALUE --gpu GPU PATH...`

use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::roots;
use crate::capability::Capability;
use crate::error::AuditError;
use crate::render::{self, Format};
use crate::report::v1::OverrideReport;
use crate::report::{self, Overriding};
use crate::scan::run::{Options, Silent, audit};
use crate::target::{Family, TargetId};
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// The value of HSA_OVERRIDE_GFX_VERSION, such as 10.3.0; or the processor that it names
    #[arg(value_parser = value)]
    value: Value,
    /// Trees, packages or files whose code would be loaded [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
}

/// A value of the variable, and what it claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub text: String,
    pub claimed: TargetId,
}

/// `10.3.0` is gfx1030, `9.0.10` is gfx90a: major version in decimal, minor version and stepping as one hexadecimal digit
/// each. Source: ROCr's `amd_topology.cpp`, `HSA_OVERRIDE_GFX_VERSION`.
pub(super) fn value(text: &str) -> Result<Value, String> {
    let known = |target: TargetId| is_of_a_gpu(&target).then_some(target);
    if let Some(claimed) = TargetId::parse(&text.to_ascii_lowercase()).and_then(known) {
        return Ok(Value { text: text.to_owned(), claimed });
    }
    let numbers: Vec<u32> = text.split('.').filter_map(|number| number.parse().ok()).collect();
    let claimed = match numbers[..] {
        [major, minor @ 0..16, stepping @ 0..16] if text.split('.').count() == 3 => {
            known(TargetId::bare(format!("gfx{major}{minor:x}{stepping:x}")))
        }
        _ => None,
    };
    let claimed = claimed.ok_or_else(|| {
        "expected three numbers that name a processor, such as 10.3.0 for gfx1030 or 9.0.10 for gfx90a; `rocm-audit list arches` has all".to_owned()
    })?;
    Ok(Value { text: text.to_owned(), claimed })
}

/// Whether it is a processor that GPUs have: a generic target is one of compilers.
fn is_of_a_gpu(target: &TargetId) -> bool {
    target.known().is_some_and(|processor| processor.family != Family::Generic)
}

/// Answers the question for a tree. Of the options only those that say which files are read count.
///
/// # Errors
/// Where the tree cannot be read.
pub(super) fn answer(
    roots: &[PathBuf],
    question: &Overriding<'_>,
    files: &Options,
) -> Result<OverrideReport, AuditError> {
    let decode = report::needs_decoding(question.claimed, question.card);
    let options = Options {
        instructions: decode,
        targets: vec![question.claimed.clone()],
        only_for: report::gpus_asked(question.claimed, question.card),
        legal_on: decode.then(|| question.card.processor.clone()),
        ..files.clone()
    };
    let inventory = audit(roots, &options, &Silent, None)?;
    let asked = [question.claimed.clone(), question.card.clone()];
    Ok(report::override_value(&inventory, &Capability::of(&inventory, &asked), question))
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let [card] = &global.arch[..] else {
        let what = "override: name the one card that it is for, with --gpu \"RX 6600\" or --arch gfx1032";
        return Err(AuditError::Usage(what.into()));
    };
    if !is_of_a_gpu(card) {
        let what =
            format!("override: {card} is no GPU, and has no such variable; name the card or its processor");
        return Err(AuditError::Usage(what));
    }
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    let roots = roots::resolve(&args.paths)?;
    let question = Overriding { value: &args.value.text, claimed: &args.value.claimed, card };
    let report = answer(&roots, &question, &Options::default())?;
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            return Err(AuditError::Usage(
                "override: there is no kernel inventory of it; use -f json".into(),
            ));
        }
        let text = render::override_value::draw(&report, format, &global.style(&destination));
        global::write(&destination, &text?)?;
    }
    Ok(judge.report(&report.findings).overriding(report.answer.is_unsafe()).status())
}
