//! Asks whether the catalogs, code objects and databases that libraries read are consistent.

use super::{Question, Trees};
use crate::answers::facts::TensileFolder;
use crate::answers::{Answers, findings};
use crate::engines::miopen::check::{self, CheckFilter};
use crate::engines::tensile::consistency::{self, Consistency};
use crate::engines::tensile::{against_code, tuning, vocabulary};
use crate::error::AuditError;
use crate::input::install::InstallFile;
use crate::report;
use crate::report::v1::VerifyReport;
use crate::source::SourceFile;
use crate::target::TargetId;
use std::path::PathBuf;

/// Asks whether MIOpen's databases and the library folders of rocBLAS, hipBLASLt and hipSPARSELt are
/// complete.
#[derive(Debug, Clone, Default)]
pub struct VerifyQuestion {
    /// If not empty, checks only these targets.
    pub targets: Vec<TargetId>,
    /// Multiprocessors of the devices whose databases are looked up, as HIP counts them.
    pub multiprocessors: Vec<u32>,
}

impl Question for VerifyQuestion {
    type Document = VerifyReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<VerifyReport, AuditError> {
        let answers = trees.listed()?;
        let (folders, databases) = (&answers.facts().tensile_folders, &answers.facts().database_folders);
        if folders.is_empty() && databases.is_empty() {
            return Err(AuditError::NotThere(format!(
                "verify: nothing to verify was found: no library folder of rocBLAS, hipBLASLt or hipSPARSELt (files named TensileLibrary*), and no database of MIOpen (files named like gfx900_56.HIP.fdb.txt or gfx900_56.db){}",
                not_entered(&answers, |_| true)
            )));
        }
        let places =
            folders.iter().map(|own| own.folder.path()).chain(databases.iter().map(|own| own.path()));
        let places: Vec<String> = places.map(|path| path.to_string_lossy().into_owned()).collect();
        let has_nothing = |root: &&PathBuf| {
            let root = root.to_string_lossy();
            !places.iter().any(|place| place.starts_with(root.trim_end_matches('/')))
        };
        if let Some(root) = trees.roots().iter().find(has_nothing) {
            return Err(AuditError::NotThere(format!(
                "verify: nothing to verify was found in {}, no library folder and no database; a tuning file goes behind --tuning{}",
                root.display(),
                not_entered(&answers, |link| link.starts_with(&*root.to_string_lossy()))
            )));
        }
        let asked =
            CheckFilter { targets: self.targets.clone(), compute_units: self.multiprocessors.clone() };
        let libraries = self.libraries(&answers, folders)?;
        let checked = databases
            .iter()
            .map(|folder| check::check(folder).map_err(|error| AuditError::io("list", folder.path(), error)));
        let databases: Vec<_> = checked.collect::<Result<_, _>>()?;
        Ok(report::verify(&libraries, &databases, Vec::new(), &asked, answers.install().faults()))
    }
}

/// The links to folders that were not entered, which may be why nothing was found; those that `is_asked`.
fn not_entered(answers: &Answers, is_asked: impl Fn(&str) -> bool) -> String {
    let links = answers
        .install()
        .files()
        .iter()
        .map(InstallFile::path)
        .filter(|path| is_asked(&path.to_string_lossy()) && path.is_dir() && path.is_symlink());
    let say = |link: PathBuf| {
        let link = link.display();
        format!("; {link} leads to a folder below none of the roots, and was not entered: name that folder")
    };
    links.take(MOST_LINKS).map(say).collect()
}

/// Links that an error names.
const MOST_LINKS: usize = 3;

impl VerifyQuestion {
    fn libraries(
        &self,
        answers: &Answers,
        folders: &[TensileFolder],
    ) -> Result<Vec<Consistency>, AuditError> {
        let processors: Vec<String> = self.targets.iter().map(|target| target.processor.clone()).collect();
        // A library searches a folder for one processor only for that processor. If no folder serves the
        // asked targets, the first reports it.
        let serving: Vec<&TensileFolder> =
            folders.iter().filter(|folder| folder.serves(&processors)).collect();
        let serving = if serving.is_empty() { folders.iter().take(1).collect() } else { serving };
        let checked = serving.into_iter().map(|whole| {
            let TensileFolder { folder, owner, .. } = whole;
            let mut found = consistency::check(folder, *owner, &processors)
                .map_err(|error| AuditError::io("list", folder.path(), error))?;
            found.findings.extend(answers.facts().release_conflict(whole));
            found.findings.extend(vocabulary::check(folder, *owner));
            found.findings.extend(against_code::check(folder, *owner, &processors));
            crate::finding::sort(&mut found.findings);
            Ok(found)
        });
        checked.collect()
    }
}

/// Asks which rows of tuning files still name a solution in the catalogs, on one device.
#[derive(Debug)]
pub struct TuningQuestion {
    /// The target of the device.
    pub target: TargetId,
    /// Number of multiprocessors, as HIP counts them.
    pub multiprocessors: u32,
    /// Override files of rocBLAS and hipBLASLt, and results of PyTorch's TunableOp.
    pub files: Vec<SourceFile>,
}

impl Question for TuningQuestion {
    type Document = VerifyReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<VerifyReport, AuditError> {
        let answers = trees.listed()?;
        let target = &self.target;
        let libraries = answers.tuned_libraries(target, self.multiprocessors);
        if libraries.rocblas.is_none() && libraries.hipblaslt.is_none() {
            let what = format!("verify --tuning: no catalog of rocBLAS or hipBLASLt for {target} was found");
            return Err(AuditError::NotThere(what));
        }
        let mut found = answers.install().faults().to_vec();
        let mut files = Vec::new();
        for file in &self.files {
            let checked = tuning::check(&String::from_utf8_lossy(file.bytes()), &libraries);
            let path = file.locator().shown();
            found.extend(findings::of_tuning(&path, &checked, target));
            files.push(report::tuning_file(path, &checked));
        }
        let asked = CheckFilter { targets: vec![target.clone()], compute_units: vec![self.multiprocessors] };
        Ok(report::verify(&[], &[], files, &asked, &found))
    }
}
