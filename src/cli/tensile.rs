//! `rocm-audit tensile [PATH]...`

use super::global::{self, GlobalArgs};
use super::roots;
use crate::engines::tensile::consistency;
use crate::engines::tensile::consistency::Owner;
use crate::engines::tensile::name::{Name, Role};
use crate::error::AuditError;
use crate::input::walk;
use crate::render::{self, Format};
use crate::report;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// Installs, or folders with catalogs [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<(), AuditError> {
    let roots = roots::resolve(&args.paths)?;
    let folders = folders(&roots);
    if folders.is_empty() {
        return Err(AuditError::Usage(
            "tensile: no library folder of rocBLAS or hipBLASLt was found: none has files named TensileLibrary*".into(),
        ));
    }
    let processors: Vec<String> = global.arch.iter().map(|target| target.processor.clone()).collect();
    let mut checked = Vec::new();
    for (folder, owner) in folders {
        let found =
            consistency::check(&folder, owner, &processors).map_err(|e| AuditError::io("list", folder, e))?;
        checked.push(found);
    }
    let asked: Vec<String> = global.arch.iter().map(ToString::to_string).collect();
    let report = report::tensile(&checked, &asked);
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            let what = "tensile: there is no kernel inventory of catalogs; use -f json";
            return Err(AuditError::Usage(what.into()));
        }
        global::write(&destination, &render::tensile::draw(&report, format, &global.style(&destination)))?;
    }
    Ok(())
}

/// The folders below roots that have files of a Tensile library, and whose they are.
pub(super) fn folders(roots: &[PathBuf]) -> Vec<(PathBuf, Owner)> {
    let mut folders = BTreeSet::new();
    let mut lite = BTreeSet::new();
    for entry in walk::walk(roots, &walk::Options::default()).entries {
        // The files of a folder may be links, as in a store of packages.
        let (Some(name), Some(folder)) =
            (entry.path.file_name().map(|n| n.to_string_lossy()), entry.path.parent())
        else {
            continue;
        };
        match Name::parse(&name).map(|name| name.role) {
            Some(Role::Extension) => {
                lite.insert(folder.to_owned());
            }
            Some(Role::Helper) | None => {}
            Some(_) => {
                folders.insert(folder.to_owned());
            }
        }
    }
    let owner = |folder: &Path| {
        let named = folder.components().any(|part| part.as_os_str() == "hipblaslt");
        if named || lite.contains(folder) { Owner::HipBlasLt } else { Owner::RocBlas }
    };
    folders.iter().map(|folder| (folder.clone(), owner(folder))).collect()
}
