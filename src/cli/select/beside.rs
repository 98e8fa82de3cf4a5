//! What `select gemm` and `select matmul` set a choice beside: other devices, and other installs.

use crate::answers::{Answers, InstallChoice};
use crate::cli::exit::Status;
use crate::cli::global::GlobalArgs;
use crate::cli::gpu::{self, Gpu};
use crate::cli::roots;
use crate::error::{AuditError, NotUnderstood};
use crate::finding::Finding;
use crate::render::{Format, beside};
use crate::report::v1::BesideReport;
use std::path::PathBuf;

const HEADING: &str = "Side by side";

#[derive(Debug, Clone, clap::Args)]
pub(super) struct BesideArgs {
    /// Beside this target or card: with its multiprocessors behind a comma where its cards differ:
    /// gfx1100,48; repeatable
    #[arg(long, value_name = "TARGET[,CU]", value_parser = device, conflicts_with = "problems", help_heading = HEADING)]
    vs: Vec<Device>,
    /// Beside the library of this install, or below this folder; repeatable
    #[arg(long, value_name = "PATH", conflicts_with = "problems", help_heading = HEADING)]
    vs_library: Vec<PathBuf>,
}

/// A device to compare with.
#[derive(Debug, Clone)]
pub(super) struct Device {
    asked: Gpu,
    multiprocessors: Option<u32>,
}

fn device(text: &str) -> Result<Device, NotUnderstood> {
    let (word, number) = match text.rsplit_once(',') {
        Some((word, number)) => {
            let wrong = |_| {
                NotUnderstood::from(format!(
                    "{number}: a number of multiprocessors is expected behind the comma"
                ))
            };
            (word, Some(number.trim().parse().map_err(wrong)?))
        }
        None => (text, None),
    };
    Ok(Device { asked: Gpu::from_word(word.trim())?, multiprocessors: number.filter(|number| *number > 0) })
}

impl BesideArgs {
    /// Whether something is set beside the choice.
    pub(super) fn is_asked(&self) -> bool {
        !self.vs.is_empty() || !self.vs_library.is_empty()
    }

    /// The devices, the one that was asked first: targets and their multiprocessors. `needed` says that these
    /// matter.
    pub(super) fn devices(
        &self,
        first: (String, u32),
        needed: bool,
        operation: &str,
    ) -> Result<Vec<(String, u32)>, AuditError> {
        let other = |device: &Device| {
            let known = device.multiprocessors.or_else(|| device.asked.multiprocessors());
            let of_all = || device.asked.most_multiprocessors().filter(|_| device.asked.is_of_one_size());
            let target = device.asked.target.to_string();
            match known.or_else(of_all) {
                Some(number) => Ok((target, number)),
                None if !needed => Ok((target, 1)),
                None => Err(AuditError::Usage(format!(
                    "{operation} --vs {target}: its cards have different numbers of multiprocessors, or none that is known; \
                     name a card, or give the number behind a comma: --vs {target},48"
                ))),
            }
        };
        let others: Vec<_> = self.vs.iter().map(other).collect::<Result<_, _>>()?;
        Ok(std::iter::once(first).chain(others).collect())
    }

    /// Asks each install about each device, and gives the answers with what was found.
    pub(super) fn ask(
        &self,
        own: &[PathBuf],
        devices: &[(String, u32)],
        ask: &dyn Fn(&Answers, PathBuf, &str, u32) -> InstallChoice,
        found: &dyn Fn(&Answers, &[InstallChoice]) -> Vec<Finding>,
    ) -> Result<(Vec<InstallChoice>, Vec<Finding>), AuditError> {
        let mut installs = vec![own.to_vec()];
        for path in &self.vs_library {
            installs.push(roots::resolve(std::slice::from_ref(path))?);
        }
        let (mut sides, mut all) = (Vec::new(), Vec::new());
        for roots in &installs {
            let stack = Answers::open(roots);
            let name = roots.first().cloned().unwrap_or_default();
            let of_install: Vec<InstallChoice> =
                devices.iter().map(|(target, number)| ask(&stack, name.clone(), target, *number)).collect();
            all.extend(found(&stack, &of_install));
            sides.extend(of_install);
        }
        Ok((sides, all))
    }
}

/// Writes the answers side by side.
pub(super) fn write(
    report: &BesideReport,
    found: &[Finding],
    global: &GlobalArgs,
) -> Result<Status, AuditError> {
    global.write_each(&|format, style| match format {
        Format::Jsonl => {
            let what =
                "select with --vs or --vs-library: there is no line for answers side by side; use -f json";
            Err(AuditError::Usage(what.to_owned()))
        }
        _ => beside::beside(report, format, style),
    })?;
    super::status(global, found)
}

/// A target as it was asked, for calls.
pub(super) fn parsed(target: &str) -> crate::target::TargetId {
    gpu::target(target).unwrap_or_else(|_| crate::target::TargetId::bare(target))
}
