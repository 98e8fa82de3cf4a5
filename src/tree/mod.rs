//! A tree, read once: the facts that scanners found, and the files for later questions.
//!
//! Callers that need both use [`Tree::read`]: one walk, each package unpacked once. Callers that need only
//! names, because a question opens a single catalog, use [`Tree::list`], which scans nothing.

pub mod wanted;

use crate::error::AuditError;
use crate::input::install::Install;
use crate::inventory::Inventory;
use crate::scan::run::{self, KernelInventory, Options, Progress};
use std::path::PathBuf;

/// A tree: its files and their contents.
#[derive(Debug)]
pub struct Tree {
    /// The files of the file system, and the members of packages that questions may need.
    pub install: Install,
    /// What the scanners found in all files. Faults of reading are among its findings.
    pub inventory: Inventory,
}

impl Tree {
    /// Reads roots once.
    ///
    /// # Errors
    ///
    /// If an option is invalid, the kernel inventory cannot be written, or [`Options::stop`] ended the run.
    pub fn read(
        roots: &[PathBuf],
        options: &Options,
        progress: &dyn Progress,
        kernels: Option<KernelInventory<'_>>,
    ) -> Result<Self, AuditError> {
        let (inventory, install) = run::read(roots, options, progress, kernels, Some(&wanted::is_wanted))?;
        Ok(Tree { install, inventory })
    }

    /// Lists the files of roots without scanning them; what cannot be read is among [`Install::faults`].
    pub fn list(roots: &[PathBuf]) -> Install {
        Install::open(roots, &wanted::is_wanted, &|_| true)
    }
}
