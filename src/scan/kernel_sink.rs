//! Where the rows of a kernel inventory go, and which kernels have one.
//!
//! Scanners hand on [`KernelRow`]s in file order, a part of a file at a time, so that the memory for them is
//! bounded however long the inventory is. What becomes of them is up to the sink: lines, a table, a total,
//! another sink.

use super::kernel_condition::KernelCondition;
use crate::codeobject::Kernel;
use crate::inventory::kernel_row::KernelRow;
use crate::target::TargetId;
use regex::Regex;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// Takes the rows of a kernel inventory.
pub trait KernelSink {
    /// Takes the rows of the next part, in file order.
    ///
    /// # Errors
    /// Where they cannot be written. The run ends then.
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()>;
}

/// Keeps them.
impl KernelSink for Vec<KernelRow> {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        self.extend(rows);
        Ok(())
    }
}

/// Receives the rows of the next part of a file.
pub type OnRows<'a> = dyn FnMut(Vec<KernelRow>) + 'a;

/// The kernels that have a row. It is asked before a row is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct KernelFilter<'a> {
    /// Targets: kernels whose code loads on one of them; all where none is named.
    pub targets: &'a [TargetId],
    /// Names: kernels whose mangled or demangled name matches.
    pub name: Option<&'a Regex>,
    /// What else has to be so.
    pub asked: Option<&'a KernelAsk>,
    /// Whether rows go without demangled names: making them takes longer than all else of a row. A condition
    /// on names asks for them all the same.
    pub as_it_stands: bool,
}

/// What has to be so of a kernel beside its name and target.
#[derive(Debug, Default)]
pub struct KernelAsk {
    /// A condition on its numbers.
    pub condition: Option<KernelCondition>,
    /// How many sets of mnemonics it has to use; each was asked for with
    /// [`DecodeOptions::uses`](crate::codeobject::disassembly::DecodeOptions::uses).
    pub uses: usize,
    /// Kernels that may or may not fit: their metadata lacks a number, or their code was not decoded.
    pub undecided: AtomicU64,
}

impl KernelAsk {
    /// Whether it is so of a kernel.
    fn holds(&self, kernel: &Kernel<'_>, target: &TargetId) -> bool {
        let all = u64::MAX.checked_shr(u64::BITS.saturating_sub(self.uses as u32)).unwrap_or(0);
        let uses =
            if self.uses == 0 { Some(true) } else { kernel.code().map(|code| code.uses() & all == all) };
        let condition =
            self.condition.as_ref().map_or(Some(true), |condition| condition.holds(kernel, target));
        match (uses, condition) {
            (Some(false), _) | (_, Some(false)) => false,
            (Some(true), Some(true)) => true,
            _ => {
                self.undecided.fetch_add(1, Ordering::Relaxed);
                false
            }
        }
    }
}

impl KernelFilter<'_> {
    /// Whether kernels of a target have rows.
    pub fn wants_target(&self, target: &TargetId) -> bool {
        target.is_wanted_by(self.targets)
    }

    /// Whether a kernel has one, by its numbers and instructions.
    pub fn wants_numbers(&self, kernel: &Kernel<'_>, target: &TargetId) -> bool {
        self.asked.is_none_or(|asked| asked.holds(kernel, target))
    }

    /// Whether a kernel has one, by its name.
    pub fn wants(&self, kernel: &Kernel<'_>, demangled: Option<&str>) -> bool {
        self.name.is_none_or(|name| {
            name.is_match(kernel.name()) || demangled.is_some_and(|demangled| name.is_match(demangled))
        })
    }
}

/// Hands rows to a sink until it fails, and keeps its first failure.
pub(crate) struct Latch<'a> {
    sink: &'a mut dyn KernelSink,
    result: io::Result<()>,
}

impl<'a> Latch<'a> {
    pub fn new(sink: &'a mut dyn KernelSink) -> Self {
        Latch { sink, result: Ok(()) }
    }

    pub fn rows(&mut self, rows: Vec<KernelRow>) {
        if self.result.is_ok() && !rows.is_empty() {
            self.result = self.sink.rows(rows);
        }
    }

    /// Whether the sink failed: nothing more is handed on.
    pub fn has_failed(&self) -> bool {
        self.result.is_err()
    }

    /// # Errors
    /// The first failure of the sink.
    pub fn finish(self) -> io::Result<()> {
        self.result
    }
}
