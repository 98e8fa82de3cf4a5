//! `rocm-audit [PATH]...` and `rocm-audit audit [PATH]...`.

use super::global::{self, GlobalArgs};
use super::progress::Bar;
use super::roots;
use crate::error::AuditError;
use crate::input::exclude::Exclusion;
use crate::render::{self, Format, kernels};
use crate::scan::run::{KernelInventory, Options, Progress, Silent, audit};
use crate::{capability::Capability, codeobject::Kernel, report, scan::device_code::Place};
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub(super) struct Args {
    /// Trees or files to read [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// Inflate compressed bundles to their end and check their hashes
    #[arg(long)]
    verify: bool,
    /// Decode all machine code: which instructions each library uses on each target, and which kernels only trap
    #[arg(long)]
    isa: bool,
    /// Follow symbolic links inside of the trees
    #[arg(long)]
    follow_links: bool,
    /// Leave out files, folders and members of packages that match; without a slash by name, with one by the path below
    /// the root; repeatable
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Use only this scanner (`rocm-audit list scanners`); repeatable
    #[arg(long, value_name = "SCANNER", value_delimiter = ',')]
    only: Vec<String>,
    /// Do not use this scanner; repeatable
    #[arg(long, value_name = "SCANNER", value_delimiter = ',')]
    skip: Vec<String>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<(), AuditError> {
    let roots = roots::resolve(&args.paths)?;
    let outputs = global.outputs()?;
    let options = Options {
        follow_links: args.follow_links,
        verify: args.verify,
        instructions: args.isa,
        targets: global.arch.clone(),
        exclude: Exclusion::new(&args.exclude)?,
        only: args.only.clone(),
        skip: args.skip.clone(),
    };
    let bar = (!global.no_progress && global::stderr_is_terminal()).then(Bar::new);
    let progress: &dyn Progress = bar.as_ref().map_or(&Silent as &dyn Progress, |bar| bar);
    let line = |out: &mut Vec<u8>, place: &Place<'_>, kernel: &Kernel<'_>| {
        if global.wants(place.target) {
            kernels::line(out, place, kernel, None);
        }
    };
    // The kernel inventory is written while scanning, so that its length does not matter.
    let mut inventories = Vec::new();
    for (destination, _) in outputs.iter().filter(|(_, format)| *format == Format::Jsonl) {
        inventories.push(global::open(destination)?);
    }
    let mut out = Several(inventories);
    let kernels = (!out.0.is_empty()).then_some(KernelInventory { line: &line, out: &mut out });
    let inventory = audit(&roots, &options, progress, kernels);
    if let Some(bar) = &bar {
        bar.finish();
    }
    let inventory = inventory?;
    out.finish()?;
    let report = report::audit(&inventory, &Capability::of(&inventory, &global.arch));
    for (destination, format) in outputs.iter().filter(|(_, format)| *format != Format::Jsonl) {
        global::write(destination, &render::report(&report, *format, &global.style(destination)))?;
    }
    Ok(())
}

/// Writes the same to several places.
struct Several(Vec<Box<dyn std::io::Write>>);

impl std::io::Write for Several {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.iter_mut().try_for_each(|out| out.write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.iter_mut().try_for_each(|out| out.flush())
    }
}

impl Several {
    fn finish(&mut self) -> Result<(), AuditError> {
        use std::io::Write;
        self.flush().map_err(|e| AuditError::io("write", "the kernel inventory", e))
    }
}
