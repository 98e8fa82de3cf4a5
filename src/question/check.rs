//! Checks that the files have code for every required target.

use super::audit::digests;
use super::{Question, Trees};
use crate::capability::Capability;
use crate::capability::requirement::{Ignore, Required};
use crate::comparison::baseline::Baseline;
use crate::comparison::size_budget::{SizeBudget, over_budget};
use crate::comparison::{self, candidates, saved};
use crate::error::AuditError;
use crate::inventory::Inventory;
use crate::report::v1::{CheckReport, Manifest};
use crate::scan::run::Options;
use crate::target::TargetId;
use std::path::PathBuf;

/// The requirements on trees.
#[derive(Debug, Clone, Default)]
pub struct CheckQuestion {
    /// Targets for which every library must have kernels.
    pub require: Vec<TargetId>,
    /// If not empty, only these libraries, by their names in reports; each must be in the trees.
    pub libraries: Vec<String>,
    /// Check every file and every bundle of a library separately.
    pub per_file: bool,
    /// A saved report: no library may have less for a target than there, and only findings that it lacks
    /// count.
    pub baseline: Option<PathBuf>,
    /// Failures to ignore, with reasons.
    pub ignores: Vec<Ignore>,
    /// Whether to read roots that are files whole for their SHA-256.
    pub digest: bool,
    /// How large each root may be.
    pub budgets: Vec<SizeBudget>,
}

impl CheckQuestion {
    /// The manifests among the roots, and the other roots.
    fn without_manifests<'t>(
        &self,
        trees: &Trees<'t>,
    ) -> Result<(Vec<(PathBuf, Manifest)>, Trees<'t>), AuditError> {
        let of_folder =
            |root: &PathBuf| candidates::only_manifests_in(root).unwrap_or_else(|| vec![root.clone()]);
        let (manifests, others): (Vec<PathBuf>, Vec<PathBuf>) =
            trees.roots().iter().flat_map(of_folder).partition(|root| candidates::is_manifest(root));
        if self.baseline.is_some() && others.is_empty() {
            return Err(AuditError::Usage(
                "check: a baseline is compared with files, and only manifests are named; `rocm-audit diff` compares two of them"
                    .into(),
            ));
        }
        let read = |path: PathBuf| saved::read_manifest(&path).map(|manifest| (path, manifest));
        let manifests = manifests.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok((manifests, trees.at_roots(others)))
    }
}

impl Question for CheckQuestion {
    type Document = CheckReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<CheckReport, AuditError> {
        let baseline = self.baseline.as_ref().map(|path| Baseline::read(path)).transpose()?;
        if self.require.is_empty() && baseline.is_none() && self.budgets.is_empty() {
            return Err(AuditError::Usage(
                "check: nothing is required: targets are, a saved report to compare with, or a size".into(),
            ));
        }
        let (manifests, trees) = &self.without_manifests(trees)?;
        if !self.budgets.is_empty() && !manifests.is_empty() {
            let what =
                "check: a manifest does not say how large its artifact is; name the artifact for --max-size";
            return Err(AuditError::Usage(what.into()));
        }
        let inventory = match trees.roots() {
            [] => Inventory::default(),
            _ => trees.audited(|options| Options { targets: Vec::new(), ..options })?,
        };
        comparison::check::are_known(&inventory, manifests, &self.libraries)?;
        let before = baseline.as_ref().map(|baseline| baseline.before.as_slice()).unwrap_or_default();
        let mut asked = self.require.clone();
        asked.extend(before.iter().map(|before| TargetId::bare(before.processor.clone())));
        let mut found = Capability::from_inventory(&inventory, &asked);
        found.findings.extend(over_budget(&inventory, &self.budgets));
        let required = Required {
            targets: &self.require,
            libraries: &self.libraries,
            per_file: self.per_file,
            before,
            ignores: &self.ignores,
        };
        let compared = self.baseline.as_ref().zip(baseline.as_ref());
        let compared = compared.map(|(path, baseline)| (path.as_path(), baseline));
        let mut report =
            comparison::check::check_with_manifests(&inventory, &found, &required, compared, manifests)?;
        comparison::check::add_budgets(&mut report, &self.budgets);
        if self.digest {
            report.inputs = digests(trees.roots())?;
        }
        Ok(report)
    }
}
