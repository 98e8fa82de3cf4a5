//! `rocm-audit survey GPU [PATH]...`

use super::claim::ClaimArgs;
use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs, Gpu};
use super::roots;
use crate::answers::Answers;
use crate::answers::model::MULTIPROCESSORS;
use crate::answers::reference::GgmlHere;
use crate::capability::Capability;
use crate::engines::miopen::device::Device;
use crate::error::AuditError;
use crate::render::{self, Format};
use crate::report::{self, Surveyed};
use crate::scan::run::{Options, Silent};
use crate::tree::Tree;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The card by its name (`RX 6600`, 780m, MI250X), a PCI id (0x73ff) or its processor (gfx1032)
    #[arg(value_name = "GPU", value_parser = global::gpu)]
    card: Gpu,
    /// Trees, packages or files [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// Beside this card or processor
    #[arg(long, value_name = "GPU", value_parser = global::gpu)]
    vs: Option<Gpu>,
    /// Multiprocessors of the card as HIP counts them: compute units, or work group processors on RDNA [default: those of the
    /// card]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cu: Option<u32>,
    #[command(flatten)]
    claim: ClaimArgs,
}

/// The end of `--help`.
const EXAMPLES: &str = exit::help!(
    "Examples:
  rocm-audit survey 'vega 56' /opt/rocm
  rocm-audit survey gfx900 --vs gfx1030 /opt/rocm /usr/lib/x86_64-linux-gnu/ggml
"
);

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !global.arch.is_empty() {
        let what = "survey: the card stands behind the command, another behind --vs; --arch and --gpu have no meaning here";
        return Err(AuditError::Usage(what.into()));
    }
    let (card, claim) = args.claim.of(&args.card)?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    let roots = roots::resolve(&args.paths)?;
    let cards = std::iter::once(&card).chain(&args.vs);
    let asked: Vec<_> = cards.map(|card| card.target.clone()).collect();
    let options = Options { targets: asked.clone(), ..Options::default() };
    let Tree { install, inventory } = Tree::read(&roots, &options, &Silent, None)?;
    let stack = Answers::of(install);
    let mut devices = vec![surveyed(&card, args.cu, &stack)];
    devices.extend(args.vs.as_ref().map(|other| surveyed(other, None, &stack)));
    let found = Capability::of(&inventory, &asked);
    let ggml = stack.ggml().ok().flatten().and_then(GgmlHere::of);
    let mut report = report::survey(&inventory, &found, &stack, ggml.as_ref(), &devices)?;
    for (side, card) in report.sides.iter_mut().zip(std::iter::once(&card).chain(&args.vs)) {
        card.name_first(&mut side.products);
    }
    report.claim = claim;
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            return Err(AuditError::Usage("survey: there is no kernel inventory of it; use -f json".into()));
        }
        global::write(&destination, &render::survey::draw(&report, format, &global.style(&destination))?)?;
    }
    Ok(judge.report(&report.findings).status())
}

/// The device, with the multiprocessors that are given, else those of the card, else the most that the tree has databases
/// for, else those of the largest card with its processor.
fn surveyed(card: &Gpu, given: Option<u32>, stack: &Answers) -> Surveyed {
    let known = given.or_else(|| card.multiprocessors());
    let in_tree = || stack.database_units(&card.target.processor).last().copied();
    let assumed = || in_tree().or_else(|| card.most_multiprocessors()).unwrap_or(MULTIPROCESSORS);
    let device = Device { target: card.target.clone(), compute_units: known.unwrap_or_else(assumed) };
    Surveyed { device, is_assumed: known.is_none() }
}
