//! Files that say which solution to take for which product: whether their rows still do so in a library.
//!
//! Three libraries read such files: rocBLAS its overrides ([`rocblas`]), hipBLASLt its own ([`hipblaslt`]),
//! and PyTorch the results of its TunableOp ([`tunable_op`]). None of them says which rows it drops. A shell
//! sets variables that name a solution too ([`variables`]).

pub mod hipblaslt;
pub mod rocblas;
pub mod tunable_op;
pub mod variables;

#[cfg(test)]
mod tests;

use super::library as rocblas_library;
use super::lite::library as hipblaslt_library;
use super::version::Version;
use std::sync::Arc;

/// The libraries that a file is held against; none where the tree lacks one.
#[derive(Debug)]
pub struct Libraries {
    /// The device, such as `gfx90a:sramecc+:xnack-`.
    pub target: String,
    /// What HIP calls multiprocessors.
    pub multiprocessors: u32,
    /// Catalogs of rocBLAS.
    pub rocblas: Option<Arc<rocblas_library::Library>>,
    /// Catalogs of hipBLASLt.
    pub hipblaslt: Option<Arc<hipblaslt_library::Library>>,
}

impl Libraries {
    fn rocblas_version(&self) -> Option<Version> {
        self.rocblas.as_ref()?.version()
    }

    fn hipblaslt_version(&self) -> Option<Version> {
        self.hipblaslt.as_ref()?.release().library()?.version
    }
}

/// Who reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TuningFormat {
    /// rocBLAS, by `ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH`.
    RocBlas,
    /// hipBLASLt, by `HIPBLASLT_TUNING_OVERRIDE_FILE`.
    HipBlasLt,
    /// PyTorch, by `PYTORCH_TUNABLEOP_FILENAME`.
    TunableOp,
    /// A shell: variables of the environment.
    Variables,
}

impl TuningFormat {
    /// Who reads a text: TunableOp's begins with validators, hipBLASLt's names its build, a shell's sets
    /// variables, and all else is rocBLAS's.
    pub fn recognise(text: &str) -> TuningFormat {
        let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty());
        match lines.next() {
            Some(line) if line.starts_with("Validator,") || line.starts_with("Gemm") => {
                TuningFormat::TunableOp
            }
            Some(line) if line.starts_with("Git Version:") => TuningFormat::HipBlasLt,
            Some(line) if variables::setting(line).is_some() => TuningFormat::Variables,
            _ => TuningFormat::RocBlas,
        }
    }

    /// The reader's name.
    pub fn reader(self) -> &'static str {
        match self {
            TuningFormat::RocBlas => "rocBLAS",
            TuningFormat::HipBlasLt => "hipBLASLt",
            TuningFormat::TunableOp => "PyTorch's TunableOp",
            TuningFormat::Variables => "a shell, for Tensile",
        }
    }
}

/// A row that is not in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleRow {
    /// Its line, counted from 1.
    pub line: u64,
    /// Why, and what is taken instead where that is known.
    pub why: String,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedTuning {
    /// Who reads it.
    pub kind: TuningFormat,
    /// Rows that name a solution.
    pub rows: u64,
    /// Those that are not in force, in the order of the file.
    pub stale: Vec<StaleRow>,
    /// Why the whole file is rejected; its rows were checked all the same.
    pub rejected: Option<StaleRow>,
}

/// Holds a file against libraries.
pub fn check(text: &str, libraries: &Libraries) -> CheckedTuning {
    let kind = TuningFormat::recognise(text);
    let mut checked = CheckedTuning { kind, rows: 0, stale: Vec::new(), rejected: None };
    match kind {
        TuningFormat::RocBlas => rocblas::check(text, libraries, &mut checked),
        TuningFormat::HipBlasLt => hipblaslt::check(text, libraries, &mut checked),
        TuningFormat::TunableOp => tunable_op::check(text, libraries, &mut checked),
        TuningFormat::Variables => variables::check(text, libraries, &mut checked),
    }
    checked.stale.sort_by_key(|stale| stale.line);
    checked
}

impl CheckedTuning {
    /// How many rows are in force.
    pub fn in_force(&self) -> u64 {
        let stale = (self.stale.len() as u64).min(self.rows);
        if self.rejected.is_some() { 0 } else { self.rows - stale }
    }

    fn stale(&mut self, line: u64, why: impl Into<String>) {
        self.stale.push(StaleRow { line, why: why.into() });
    }

    fn reject(&mut self, line: u64, why: impl Into<String>) {
        self.rejected.get_or_insert(StaleRow { line, why: why.into() });
    }
}

/// The lines of a text with their numbers, without what ends them.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines())
}
