//! What a wheel of the Python module has beside the library: licences of all that is linked into it, and the
//! bill of materials.

use super::product::Product;
use super::{dependency, licences, sbom};
use crate::command::project;
use anyhow::{Context as _, Result};
use serde_json::json;
use std::path::{Path, PathBuf};
use tempfile::{TempDir, TempPath};

/// The package, and the target that its wheel is made for.
const NAME: &str = "rocm-audit-py";
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Files in the folder of the module for as long as a wheel is made: maturin takes what lies there only.
pub(crate) struct Enclosed {
    _licences: TempPath,
    folder: TempDir,
}

impl Enclosed {
    /// Writes them.
    ///
    /// # Errors
    /// The dependencies are not known, or a file cannot be written.
    pub(crate) fn write(module: &Path) -> Result<Self> {
        let product = Product { name: NAME.to_owned(), ..Product::read()? };
        let all = dependency::package_dependencies(NAME, TARGET)?;
        // maturin takes every file that is called like a licence.
        let own = module.join("LICENSES-THIRD-PARTY.txt");
        std::fs::write(&own, licences::text(&all)?).with_context(|| own.display().to_string())?;
        let _licences = TempPath::try_from_path(own)?;
        let target = project().join("target");
        std::fs::create_dir_all(&target)?;
        let enclosed = Enclosed { _licences, folder: tempfile::tempdir_in(target)? };
        let mut bill = sbom::document(&product, TARGET, &all)?;
        bill["metadata"]["component"]["type"] = json!("library");
        std::fs::write(enclosed.bill(), serde_json::to_vec_pretty(&bill)?)?;
        Ok(enclosed)
    }

    /// The bill of materials.
    pub(crate) fn bill(&self) -> PathBuf {
        self.folder.path().join(format!("{NAME}.cdx.json"))
    }
}
