//! Source lines of the kernels of a file that were looked into.

use super::opened_objects::each_object;
use crate::input::device_file::DeviceFile;
use crate::inventory::file_code::Details;
use crate::inventory::source_lines::{KernelSource, SourceFrame};
use crate::kernel::lines::{Depth, Frame, SourceLines};
use crate::locator::Locator;
use std::collections::HashSet;

/// Most chains and stretches that are kept of a kernel.
const CHAINS_KEPT: usize = 1 << 16;
const STRETCHES_KEPT: usize = 1 << 18;

/// Adds source lines to the kernels whose code was kept or listed.
pub(super) fn attach(open: &DeviceFile, details: &mut Details) {
    let listed = details.kernels.iter().filter(|kernel| kernel.code.is_listed());
    let wanted: HashSet<Locator> = listed.map(|kernel| kernel.at.clone()).collect();
    if wanted.is_empty() {
        return;
    }
    each_object(open, &|at| wanted.contains(at), &mut |at, bytes| {
        let Ok(Some(lines)) = SourceLines::read(bytes, Depth::Chains) else { return };
        let own = details.kernels.iter_mut().filter(|kernel| kernel.at == *at && kernel.code.is_listed());
        for kernel in own {
            let Some(address) = kernel.code.address() else { continue };
            kernel.source = Some(source(&lines, address, kernel.code.bytes()));
        }
    });
}

/// The source of the code at an address.
pub(super) fn source(lines: &SourceLines<'_>, address: u64, bytes: u64) -> KernelSource {
    let found = lines.chained(address..address.saturating_add(bytes));
    let mut problems: Vec<String> = lines.problems().iter().map(ToString::to_string).collect();
    if found.chains.len() > CHAINS_KEPT || found.stretches.len() > STRETCHES_KEPT {
        problems.push("more lines than are kept: those of the rest of the kernel are left out".to_owned());
    }
    let chain = |frames: &Vec<Frame<'_>>| frames.iter().map(frame).collect();
    let stretches =
        found.stretches.iter().take(STRETCHES_KEPT).filter(|(_, chain)| (*chain as usize) < CHAINS_KEPT);
    KernelSource {
        chains: found.chains.iter().take(CHAINS_KEPT).map(chain).collect(),
        stretches: stretches
            .map(|(range, chain)| stretch(range.start - address, range.end - range.start, *chain))
            .collect(),
        problems,
    }
}

fn stretch(offset: u64, bytes: u64, chain: u32) -> crate::inventory::source_lines::SourceStretch {
    crate::inventory::source_lines::SourceStretch { offset, bytes, chain }
}

pub(super) fn frame(frame: &Frame<'_>) -> SourceFrame {
    SourceFrame {
        function: frame.function.map(|name| String::from_utf8_lossy(name).into_owned()),
        file: frame.file.clone(),
        line: frame.line,
        column: frame.column,
    }
}
